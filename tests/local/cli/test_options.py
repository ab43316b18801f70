from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from firnline_local.cli.options import LOCAL_SPEC, PACKAGED_SPEC, spec_option

ROOT = Path(__file__).parents[3]


@click.command()
@spec_option
def command(spec_file: Path) -> None:
    click.echo(spec_file)


def test_the_packaged_specification_is_the_one_of_the_clone() -> None:
    assert PACKAGED_SPEC.read_bytes() == (ROOT / LOCAL_SPEC).read_bytes()


def test_a_folder_without_a_specification_gets_the_packaged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(command).output == f"{PACKAGED_SPEC}\n"
    LOCAL_SPEC.parent.mkdir(parents=True)
    LOCAL_SPEC.touch()
    assert CliRunner().invoke(command).output == f"{LOCAL_SPEC}\n"
