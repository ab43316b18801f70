import sys
from pathlib import Path

import pytest

from firnline_local.pulumi.engine.language_host import NoInterpreter, Plugin, interpreter_of, required_by


def test_a_program_runs_with_the_hosts_own_interpreter_unless_it_names_one(tmp_path: Path) -> None:
    own = tmp_path / "venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.touch()
    assert interpreter_of({}, root=tmp_path) == Path(sys.executable)
    assert interpreter_of({"virtualenv": "venv"}, root=tmp_path) == own
    assert interpreter_of({"virtualenv": str(tmp_path / "venv")}, root=Path("/elsewhere")) == own


def test_a_virtual_environment_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoInterpreter, match=r"nowhere(?s:.*)Next: make it"):
        interpreter_of({"virtualenv": "nowhere"}, root=tmp_path)


def test_the_providers_that_installed_packages_need_are_found() -> None:
    assert set(required_by(Path(sys.executable))) >= {Plugin("aws", "7.51.1", ""), Plugin("snowflake", "2.22.0", "")}
