import sys

import click
import pytest

from firnline_infra.cli.lazy_group import LazyGroup
from firnline_infra.cli.main import firnline, main
from firnline_ingest.errors import UsageError


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(sys, "argv", ["firnline", "local"])
    return monkeypatch


def failing(error: Exception) -> click.Command:
    def fail() -> None:
        raise error

    return click.Command("local", callback=fail)


def test_what_is_known_to_be_wrong_is_printed_without_a_traceback(
    run: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = UsageError("No such thing.", next_step="name another.")
    run.setattr(LazyGroup, "get_command", lambda *_: failing(error))
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert capsys.readouterr().err == "[FL-1002] No such thing.\n  Next: name another.\n"


def test_an_error_that_quotes_others_steers_no_terminal(
    run: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = UsageError("Snowflake says '\x1b]0;\x07'.", next_step="größe.")
    run.setattr(LazyGroup, "get_command", lambda *_: failing(error))
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err == "[FL-1002] Snowflake says '\\x1b]0;\\x07'.\n  Next: größe.\n"


def test_a_defect_keeps_its_traceback(run: pytest.MonkeyPatch) -> None:
    run.setattr(LazyGroup, "get_command", lambda *_: failing(ZeroDivisionError("a defect")))
    with pytest.raises(ZeroDivisionError):
        main()


def test_a_missing_extra_is_named(run: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    run.setattr(LazyGroup, "get_command", lambda *_: failing(ModuleNotFoundError(name="pulumi.runtime")))
    with pytest.raises(SystemExit):
        main()
    assert "pip install 'firnline-infra[deploy]'" in capsys.readouterr().err


def test_a_module_of_no_extra_is_a_defect(run: pytest.MonkeyPatch) -> None:
    run.setattr(LazyGroup, "get_command", lambda *_: failing(ModuleNotFoundError(name="firnline_infra.nowhere")))
    with pytest.raises(ModuleNotFoundError):
        main()


def test_every_registered_command_exists_and_says_what_it_does() -> None:
    def check(group: click.Group, context: click.Context) -> int:
        count = 0
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None, name
            assert command.get_short_help_str(), name
            count += 1 + (check(command, context) if isinstance(command, click.Group) else 0)
        return count

    assert check(firnline, click.Context(firnline)) >= 5
