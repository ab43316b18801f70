"""Tests of what the demo prints while it runs: on a terminal, and in a log."""

import json
import sys
from pathlib import Path

import pytest

from firnline_infra.audit.findings import Counts, ProblemKind
from firnline_infra.specification import load_spec
from firnline_ingest.spark.errors import QueryFailed
from firnline_ingest.spark.policy import describe
from firnline_local.demo.engine_process import EngineProcess
from firnline_local.demo.rows import proof_picture
from firnline_local.demo.screen import LOG_EVERY_S, Screen
from firnline_local.demo.story import Demo
from tests.infra.audit.test_report import report as audit_report
from tests.infra.audit.test_report import shard

ENVIRONMENTS = Path(__file__).parents[3] / "stacks" / "environments"


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


def test_what_is_printed_fits_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    screen = Screen(lambda: 0.0)
    screen.say("a sentence of many words " * 12)
    screen.table(("name", "value"), [("x" * 90, "y" * 200)])
    screen.live("z" * 300)
    lines = [line for part in capsys.readouterr().out.split("\r") for line in part.splitlines()]
    assert max(map(len, lines)) == 80
    screen.show("c" * 100)
    assert "c" * 100 in capsys.readouterr().out, "a command that a person copies stays whole"


def test_the_proof_is_a_picture_whose_parts_are_the_whole() -> None:
    totals = Counts(records=1000, rows=980, dead_letters=20)
    report = audit_report(shard(0, totals))
    lines = list(proof_picture(report, before_the_kill=490, width=78))
    assert max(map(len, lines)) == 78
    bars = [line[32:] for line in lines[:-1]]
    assert bars[0] == "█" * 46
    assert bars[1].rstrip() == "▒" * 23
    assert bars[2] == " " * 23 + "█" * 22
    assert bars[3] == " " * 45 + "░"
    assert lines[-1] == "lost or doubled            none"
    lost = list(
        proof_picture(audit_report(shard(0, totals, (ProblemKind.MISSING, "1"))), before_the_kill=990, width=78)
    )
    assert "rows since then" not in "".join(lost)
    assert lost[-1] == "lost or doubled       1 missing"


def test_a_query_that_spark_ended_is_said_with_what_comes_next(
    tmp_path: Path, screen: Screen, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = QueryFailed("RuntimeError: Python worker failed to connect back.")
    line = json.dumps({"level": "warning", "event": "query.failed", **describe(failed)})
    command = [sys.executable, "-c", f"import sys; sys.stderr.write({line!r} + chr(10))"]
    spec = load_spec(ENVIRONMENTS / "local.yaml")
    demo = Demo(folder=tmp_path, spec=spec, events=[], screen=screen)
    with EngineProcess.of(command, {}, tmp_path / "engine.log") as engine:
        demo._until_started(engine)
    demo._say_failures(engine)
    said = " ".join(printed(capsys))
    assert "[FL-1201] Spark's query failed: RuntimeError: Python worker failed to connect back." in said
    assert "it is started again. The machine of the driver was too busy" in said
