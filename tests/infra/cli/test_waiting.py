"""The line that says what a long command waits for: after two silent seconds, on a terminal, and gone before anything else."""

import sys
from io import StringIO

import pytest

from firnline_infra.cli.waiting import AFTER_S, CLEAR, StatusLine, status_line
from firnline_ingest.activity import current, waiting_for


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_it_is_shown_after_two_silent_seconds_and_goes_with_what_is_waited_for() -> None:
    terminal = Terminal()
    line = StatusLine(terminal, now=100)
    with waiting_for("Snowflake: SHOW\nTABLES"):
        line.tick(100 + AFTER_S - 0.1)
        assert terminal.getvalue() == ""
        line.tick(100 + AFTER_S)
        assert terminal.getvalue().startswith(f"{CLEAR}… Snowflake: SHOW\\nTABLES")
        line.printed(102)
        assert terminal.getvalue().endswith(CLEAR)
        line.tick(103)
        assert terminal.getvalue().endswith(CLEAR), "something was printed a second ago"
        line.tick(104)
        assert terminal.getvalue().count("Snowflake") == 2
    line.tick(105)
    assert terminal.getvalue().endswith(CLEAR)
    before = terminal.getvalue()
    line.tick(106)
    assert terminal.getvalue() == before


def test_the_innermost_is_said() -> None:
    with waiting_for("outer"):
        with waiting_for("inner"):
            assert (found := current()) is not None
            assert found.what == "inner"
        assert (found := current()) is not None
        assert found.what == "outer"
    assert current() is None


def test_nothing_is_changed_where_standard_error_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with status_line():
        assert (sys.stdout, sys.stderr) == before


def test_what_is_printed_meanwhile_is_whole_and_the_streams_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with status_line():
        print("an answer")
        print("progress", file=sys.stderr)
    assert (sys.stdout, sys.stderr) == (out, err)
    assert (out.getvalue(), err.getvalue()) == ("an answer\n", "progress\n")
