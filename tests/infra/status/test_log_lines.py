import json
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from firnline_infra.cli.main import firnline
from firnline_infra.status.log_lines import at_least, log_lines

FAILED = {
    "at": "2026-11-23T04:37:01.123+00:00", "level": "error", "event": "pipeline.failed", "stream": "orders",
    "problem": "FL-3011", "what": "The user is disabled.", "next_step": "ALTER USER … SET DISABLED = FALSE.", "again_in_s": 300,
}  # fmt: skip # as one reads it
ENDED = {"at": "2026-11-23T04:37:02.000+00:00", "level": "info", "event": "epoch.ended", "rows": 5, "opens": 0}
LINES = [
    "26/11/23 04:36:59 INFO SparkContext: Running Spark version 4.1.1",
    json.dumps(ENDED),
    "26/11/23 04:37:00 ERROR Executor: Exception in task 0.0",
    "java.lang.IllegalStateException: no",
    "\tat org.apache.spark.Executor.run(Executor.scala:1)",
    json.dumps(FAILED),
    "26/11/23 04:37:03 WARN TaskSetManager: Lost task",
]


def test_a_line_has_a_level_and_what_follows_it_has_the_same() -> None:
    levels = [line.level for line in log_lines(LINES)]
    assert levels == ["info", "info", "error", "error", "error", "error", "warning"]
    assert [line.raw for line in at_least(log_lines(LINES), "warning")] == LINES[2:]
    assert [line.raw for line in at_least(log_lines(LINES), "debug")] == LINES


def test_a_person_reads_what_is_wrong_where_and_what_to_do_next() -> None:
    lines = [line.for_a_person() for line in log_lines(LINES)]
    assert lines[5].splitlines() == [
        "2026-11-23 04:37:01 ERROR   pipeline.failed orders FL-3011 The user is disabled. again_in_s=300",
        "    Next: ALTER USER … SET DISABLED = FALSE.",
    ]
    assert lines[1] == "2026-11-23 04:37:02 INFO    epoch.ended rows=5", "what is zero is not shown"
    assert lines[3] == LINES[3]


@pytest.mark.parametrize("text", ["{", '{"level": "loud", "event": "x"}', '{"event": "x"}', "[]", "{}", '{"a": 1}', ""])
def test_what_is_no_line_of_the_engine_is_shown_as_it_is(text: str) -> None:
    (line,) = log_lines([text])
    assert (line.level, line.for_a_person()) == ("info", text)


def test_a_line_steers_no_terminal() -> None:
    (line,) = log_lines([json.dumps({"level": "error", "event": "x", "what": "\x1b[2J"})])
    assert "\x1b" not in line.for_a_person()


@pytest.mark.parametrize(
    ("options", "shown"),
    [((), LINES), (("--errors",), LINES[2:6]), (("--lines", "1"), LINES[-1:]), (("-o", "json",), [LINES[1], LINES[5]]),
     (("-o", "json", "--errors"), [LINES[5]])],
)  # fmt: skip # one a line
def test_logs_are_chosen_by_level_and_number(
    options: tuple[str, ...], shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = logs(monkeypatch, LINES, *options)
    assert (done.exit_code, done.stdout.splitlines()) == (0, shown)


def test_where_there_is_no_log_the_status_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    done = logs(monkeypatch, LINES[:2], "--errors")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "No such line has arrived yet" in done.stderr


def logs(monkeypatch: pytest.MonkeyPatch, lines: list[str], *options: str) -> Any:
    engine = SimpleNamespace(log_lines=lambda _: iter(lines))
    monkeypatch.setattr("firnline_infra.cli.rollout.engine_of", lambda *_: engine)
    return CliRunner().invoke(firnline, ["logs", "stacks/environments/dev.yaml", *options])
