"""What the demo prints while it runs: on a terminal, and in a log."""

import sys

import pytest

from firnline_local.demo.screen import LOG_EVERY_S, Screen


class Clock:
    """Stands still until it is set."""

    now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def screen(clock: Clock) -> Screen:
    return Screen(clock)


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line.strip() for line in capsys.readouterr().out.splitlines() if line.strip()]


def test_a_log_gets_a_line_of_progress_every_few_seconds(
    screen: Screen, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    for tenths in range(int(LOG_EVERY_S * 25)):
        clock.now_s = 1_000.0 + tenths / 10
        screen.live(f"{tenths}")
    assert printed(capsys) == ["0", "50", "100"]


def test_a_log_says_once_what_is_waited_for_and_then_at_once_what_came_of_it(
    screen: Screen, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(60):
        screen.live("starting", waits_for="the start")
        clock.now_s += LOG_EVERY_S
    clock.now_s -= LOG_EVERY_S
    screen.live("a first row")
    screen.live("a second row")
    assert printed(capsys) == ["starting", "a first row"]


def test_after_another_line_a_log_starts_its_progress_anew(screen: Screen, capsys: pytest.CaptureFixture[str]) -> None:
    screen.live("starting", waits_for="the start")
    screen.live("a row")
    screen.step("It starts again")
    screen.live("starting", waits_for="the start")
    screen.live("another row")
    assert printed(capsys) == ["starting", "a row", "▸ It starts again", "starting", "another row"]


def test_on_a_terminal_each_live_line_replaces_the_last_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    screen = Screen(lambda: 0.0)
    for text in ("starting", "starting", "a row"):
        screen.live(text, waits_for="the start" if text == "starting" else None)
    screen.say("done")
    first, *live = capsys.readouterr().out.split("\r")
    assert first == ""
    assert [line.split() for line in live] == [["starting"], ["starting"], ["a", "row", "done"]]
