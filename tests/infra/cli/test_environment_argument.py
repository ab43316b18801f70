from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from firnline_infra.cli.environment_argument import env_argument, environment_argument


@click.command()
@environment_argument
def command(environment: Path) -> None:
    click.echo(f"{environment} {env_argument(environment)}")


@pytest.fixture(autouse=True)
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    specs = tmp_path / "stacks" / "environments"
    specs.mkdir(parents=True)
    for name in ("dev.yaml", "dev.keys.yaml", "prod.yaml"):
        (specs / name).touch()
    (tmp_path / "own.yaml").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "path", "name"),
    [
        ("dev", "stacks/environments/dev.yaml", "dev"),
        ("stacks/environments/dev.yaml", "stacks/environments/dev.yaml", "dev"),
        ("own.yaml", "own.yaml", "own.yaml"),
        ("./own.yaml", "own.yaml", "own.yaml"),
    ],
)
def test_an_environment_is_named_or_its_file_given(given: str, path: str, name: str) -> None:
    assert CliRunner().invoke(command, [given]).output == f"{path} {name}\n"


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("pord", "did you mean 'prod'?"),
        ("zzz", "expected one of: dev, prod."),
        ("other.yaml", "there is no other.yaml"),
    ],
)
def test_one_that_does_not_exist_is_refused_with_what_there_is(given: str, hint: str) -> None:
    result = CliRunner().invoke(command, [given])
    assert result.exit_code == 2
    assert hint in result.output


def test_where_there_is_no_specification_at_all_the_next_step_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    result = CliRunner().invoke(command, ["dev"])
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert "no stacks/environments/dev.yaml, and no other specification in stacks/environments here" in said
    assert "Run this in the folder of your repository" in said
    assert "firnline init" in said
