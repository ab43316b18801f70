"""Help, completion and FIRNLINE_* as a person has them in a shell."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from firnline_infra.cli.main import firnline

FIRNLINE = [sys.executable, "-c", "from firnline_infra.cli import main; main()"]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = Path("stacks/environments")
    folder.mkdir(parents=True)
    dev = (Path(__file__).parents[3] / "stacks" / "environments" / "dev.yaml").read_text(encoding="utf-8")
    (folder / "dev.yaml").write_text(dev)
    for other in ("dev.keys", "dev.drift", "prod"):
        (folder / f"{other}.yaml").write_text("")
    return tmp_path


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_of_that_shell_and_asks_the_command(shell: str) -> None:
    result = CliRunner().invoke(firnline, ["completion", shell])
    assert result.exit_code == 0
    assert f"_FIRNLINE_COMPLETE={shell}_complete" in result.output


def test_bash_takes_the_script() -> None:
    script = CliRunner().invoke(firnline, ["completion", "bash"]).output
    checked = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def completed(*words: str) -> list[str]:
    """Returns what a shell is offered for the last word: asked as its script asks."""
    variables = {
        "_FIRNLINE_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    result = CliRunner(env=variables).invoke(firnline, [], prog_name="firnline", complete_var="_FIRNLINE_COMPLETE")
    return [line.partition(",")[2] for line in result.output.splitlines() if line]


def test_commands_and_environments_are_completed(repository: Path) -> None:
    assert completed("firnline", "dea") == ["dead-letters"]
    assert completed("firnline", "estimate", "") == ["dev", "prod"]
    assert completed("firnline", "status", "d") == ["dev"]
    assert completed("firnline", "spec", "check", "dev", "p") == ["prod"]
    assert completed("firnline", "drain", "d") == ["dev"]


def test_streams_users_and_ids_are_completed(repository: Path) -> None:
    assert completed("firnline", "pipeline", "pause", "dev", "o") == ["orders"]
    assert completed("firnline", "pipeline", "pause", "prod", "") == [], "an empty document has none"
    assert completed("firnline", "keys", "create", "dev", "") == ["ingest", "reader"]
    specification = repository / "stacks" / "environments" / "dev.yaml"
    specification.write_text(
        f"{specification.read_text(encoding='utf-8')}pipelines: [{{stream: orders, ingest: {{}}}}]\n"
    )
    assert completed("firnline", "keys", "rotate", "dev", "o") == ["orders"]
    assert "FL-3011" in completed("firnline", "explain", "fl-301")


@pytest.mark.parametrize("words", [(), ("keys", "create"), ("explain",), ("run",)])
def test_help_is_what_the_option_says(words: tuple[str, ...]) -> None:
    by_option = subprocess.run([*FIRNLINE, *words, "--help"], capture_output=True, text=True, check=True).stdout
    by_command = subprocess.run([*FIRNLINE, "help", *words], capture_output=True, text=True, check=True).stdout
    assert by_command.split("Options:")[-1].split() == by_option.split("Options:")[-1].split()


def test_help_of_a_command_that_is_not_there_offers_the_nearest() -> None:
    result = CliRunner().invoke(firnline, ["help", "keys", "crate"])
    assert result.exit_code == 2
    assert "firnline keys has no command 'crate'; did you mean 'create'?" in result.output


def test_a_variable_gives_an_option_and_the_command_line_wins(repository: Path) -> None:
    given = CliRunner(env={"FIRNLINE_HOSTS_OUTPUT": "json"})
    assert json.loads(given.invoke(firnline, ["hosts", "dev"]).stdout)
    assert given.invoke(firnline, ["hosts", "dev", "--output", "table"]).stdout.startswith("host ")


def test_a_variable_names_the_environment_and_what_is_typed_wins(repository: Path) -> None:
    by_variable = CliRunner(env={"FIRNLINE_ENV": "dev"})
    assert by_variable.invoke(firnline, ["hosts"]).exit_code == 0
    assert "prod.yaml" in str(by_variable.invoke(firnline, ["hosts", "prod"]).exception)
    refused = by_variable.invoke(firnline, ["status", "--config", "absent.json"])
    assert "absent.json" in f"{refused.output}{refused.exception}"
    assert "Give either ENV or --config" not in refused.output
