"""Tests of what `--help` says to somebody who has never seen a command: whole sentences, and nothing left to guess."""

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from firnline_infra.cli.environment_argument import WHAT_ENV_IS
from firnline_infra.cli.lazy_group import LazyGroup
from firnline_infra.cli.main import firnline
from firnline_ingest.__main__ import main as engine

ENGINE = ["run", "validate", "resume"]
WIDTH = 200
"""Of the terminal, so that no sentence is broken."""


def commands(group: click.Group = firnline, *way: str) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*way, name)
        if isinstance(command, click.Group):
            yield from commands(command, *way, name)


def help_of(*command: str) -> str:
    result = CliRunner().invoke(firnline, [*command, "--help"], terminal_width=WIDTH, max_content_width=WIDTH)
    assert result.exit_code == 0, result.output
    return result.output


def found(way: tuple[str, ...]) -> click.Command:
    command: click.Command = firnline
    for name in way:
        assert isinstance(command, click.Group)
        inner = command.get_command(click.Context(command), name)
        assert inner is not None
        command = inner
    return command


GROUPS = [(), *(way for way in commands() if isinstance(found(way), click.Group))]
OWN = [way for way in commands() if way[0] not in ENGINE]


@pytest.mark.parametrize("group", GROUPS, ids=" ".join)
def test_no_summary_in_a_list_of_commands_is_cut_off(group: tuple[str, ...]) -> None:
    listed = (
        CliRunner()
        .invoke(firnline, [*group, "--help"], terminal_width=80)
        .output.partition("Show this message and exit.")[2]
    )
    assert listed
    assert "..." not in listed


@pytest.mark.parametrize("command", OWN, ids=" ".join)
def test_every_option_is_explained_in_a_sentence(command: tuple[str, ...]) -> None:
    for parameter in found(command).params:
        if isinstance(parameter, click.Option):
            said = parameter.help or ""
            assert said[:1].isupper() or said[:1] in "`<", parameter.opts
            assert said.endswith("."), parameter.opts


@pytest.mark.parametrize("command", OWN, ids=" ".join)
def test_what_env_is_is_said_wherever_it_is_asked_for(command: tuple[str, ...]) -> None:
    text = " ".join(help_of(*command).split())
    usage = text.partition("Options:")[0]
    if " ENV" in usage.removeprefix("Usage: ").split("  ")[0][:80]:
        assert WHAT_ENV_IS in text


def test_examples_stay_on_their_lines() -> None:
    assert '  eval "$(firnline local env)"\n' in help_of("local", "env")


@pytest.mark.parametrize("command", ENGINE)
def test_an_engines_command_is_called_as_it_was_typed_and_explains_its_options(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        engine([command, "--help"], program="firnline")
    said = capsys.readouterr().out
    assert f"Usage: firnline {command} " in said
    assert "\nOptions:\n" in said
    assert "The engine's configuration: engine.json, or" in said
    summary = found((command,)).help
    assert summary is not None
    assert summary in " ".join(said.split())


@pytest.mark.parametrize("command", ENGINE)
def test_an_engines_help_waits_for_no_sdk_and_no_specification(command: str) -> None:
    """They are most of its time, and it has no use for either."""
    heavy = "{'botocore', 'pydantic', 'yaml', 'firnline_infra.specification'}"
    script = (
        f"import sys; sys.argv = ['firnline', {command!r}, '--help']\n"
        "from firnline_infra.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print(sorted({heavy} & sys.modules.keys()))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "FIRNLINE_ENV"}
    said = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "[]"


def test_an_engines_command_refuses_in_the_words_of_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        engine(["run"], program="firnline")
    assert refused.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("Usage: firnline run [")
    assert "Try 'firnline run --help' for help.\n\nError: The following arguments are required: --config.\n" in said


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("ups", "Did you mean 'up'?"), ("statuss", "Did you mean 'status'?"), ("zebra", "No such command 'zebra'.")],
)
def test_a_mistyped_command_is_refused_with_the_nearest_one(typed: str, hint: str) -> None:
    result = CliRunner().invoke(firnline, [typed])
    assert result.exit_code == 2
    assert hint in result.output


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        (["dead-letters", "dev", "list"], "Give the command first: firnline dead-letters list dev\n"),
        (["pipeline", "dev", "orders", "pause"], "Give the command first: firnline pipeline pause dev\n"),
        (["keys", "rotat"], "Did you mean 'rotate'?"),
        (["spec", "dev"], "No such command 'dev'.\n"),
    ],
)
def test_a_command_of_a_group_is_named_that_was_given_behind_its_argument(typed: list[str], hint: str) -> None:
    result = CliRunner().invoke(firnline, typed, prog_name="firnline")
    assert result.exit_code == 2
    assert hint in result.output


@pytest.mark.parametrize("command", OWN, ids=" ".join)
def test_no_example_is_broken_by_a_terminal_of_a_hundred_columns(command: tuple[str, ...]) -> None:
    written = inspect.cleandoc(found(command).help or "").partition("\b\n")[2].partition("\n\n")[0]
    assert [line for line in written.splitlines() if len(line) > 98] == []


def test_a_command_of_a_package_that_is_not_installed_names_the_extra() -> None:
    alone = LazyGroup("firnline", sections={}, brought_by={"demo": "local"})
    result = CliRunner().invoke(alone, ["demo"])
    assert result.exit_code == 2
    assert "No such command 'demo': pip install 'firnline[local]'" in result.output
