"""`firnline init --from` in an empty folder."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firnline_infra.cli.main import firnline

from .taking_over import ANSWERS, Run


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(name: str, text: str, *without: str) -> Result:
        (tmp_path / name).write_text(text, encoding="utf-8")
        options = [part for option in ANSWERS.items() if option[0] not in without for part in option]
        return CliRunner().invoke(firnline, ["init", "--from", name, *options])

    return run
