"""Pipelines with a query through real Spark: SQL and a function between the records and the channel, killed and refused."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.audit import PipelineReport, ReaderUser, audit
from firnline_infra.audit.findings import ProblemKind
from firnline_infra.audit.mode import BEHIND_A_QUERY
from firnline_infra.audit.report_text import report_text
from firnline_ingest.config.load import load_config
from tests.spark.conftest import HANGS_S, Lane, until
from tests.spark.test_chaos import freeze_workers, kill_a_worker, processes_of, thaw
from tests.spark.test_engine import command

pytestmark = [pytest.mark.slow, pytest.mark.spark, pytest.mark.timeout(HANGS_S)]

SEED = int(os.environ.get("FIRNLINE_SEED", "2"))
FUNCTION = """
from pyspark.sql import functions as sql

def dear(rows):
    return rows.where("amount > 1000").withColumn("note", sql.concat(sql.lit("n="), "n"))
"""

SCHEMA = "n BIGINT, amount DECIMAL(10, 2), tags ARRAY<STRING>"
SQL = "SELECT _position, n, amount * 2 AS twice, size(tags) AS tags FROM rows WHERE n % 3 <> 0"


EXECUTOR = b"CoarseGrainedExecutorBackend"


def query(sql: str = SQL, **changes: Any) -> dict[str, Any]:
    return {"query": {"schema": SCHEMA, "sql": sql, **changes}}


def event(n: int) -> dict[str, Any]:
    return {"n": n, "amount": n + 0.25, "tags": ["a"] * (n % 4), "not in the schema": n}


def expected(numbers: range) -> list[int]:
    """Returns the numbers that the query keeps, by an oracle of its own."""
    return [n for n in numbers if n % 3]


def test_a_query_filters_and_makes_columns_and_what_does_not_fit_its_schema_is_a_dead_letter(
    new_lane: Callable[..., Lane],
) -> None:
    lane = new_lane(pipeline=query())
    lane.put(*map(event, range(300)), b"not json", {"n": "a text"}, {"amount": 1})
    with lane.engine(available_now=True) as engine:
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
        assert engine.total("dead_letters") == 2
    rows = sorted(lane.rows("N, TWICE, TAGS"))
    assert [row[0] for row in rows] == expected(range(300))
    assert all(float(twice) == 2 * n + 0.5 and tags == n % 4 for n, twice, tags in rows)
    letters = [path for path in Path(lane.folder / "dead-letters").rglob("*") if path.is_file()]
    assert letters
    with lane.engine(available_now=True) as again:
        assert again.wait(HANGS_S) == 0, list(again.last_lines)
        assert again.total("rows") == 0
        assert again.total("records") == 0  # what the query drops holds no position up


def test_every_row_arrives_once_whatever_is_killed_between_spark_and_the_channel(
    new_lane: Callable[..., Lane], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(SEED)
    lane = new_lane(pipeline=query())
    lane.put(*map(event, range(500)))
    with lane.engine(available_now=False) as first:
        until(lambda: first.total("rows"), first)
        for part in range(1, 4):
            lane.put(*map(event, range(500 * part, 500 * part + 500)))
            time.sleep(rng.uniform(0.0, 3.0))
            kill_a_worker(first, rng)  # one that has shards, one that brings rows back, or the daemon of either
        frozen = freeze_workers(first)
        first.kill_driver()
        lane.put(*map(event, range(2000, 2500)))
        with lane.engine(available_now=False) as second:
            until(second.started.is_set, second)
            thaw(frozen)
            until(lambda: second.total("records"), second)
            time.sleep(rng.uniform(0.0, 3.0))
            second.kill_driver()
            with lane.engine(available_now=True) as third:
                assert third.wait(HANGS_S) == 0, list(third.last_lines)
    assert sorted(n for (n,) in lane.rows("N")) == expected(range(2500))
    totals = audited(lane, monkeypatch).totals
    assert (totals.records, totals.rows, totals.skipped) == (2500, len(expected(range(2500))), 2500 - totals.rows)


def test_a_function_is_run_and_a_condition_that_drops_everything_passes_every_record(
    new_lane: Callable[..., Lane], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme_lane.py").write_text(FUNCTION)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    lane = new_lane(pipeline={"query": {"schema": SCHEMA, "function": "acme_lane:dear"}})
    lane.put(*map(event, range(100)))
    with lane.engine(available_now=True) as engine:
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
        assert (engine.total("records"), engine.total("rows")) == (100, 0)
    assert sum(line["filtered"] for line in lane.log() if line["event"] == "shard.receipt") == 100
    lane.put({"n": 1, "amount": 5000})
    with lane.engine(available_now=True) as again:
        assert again.wait(HANGS_S) == 0, list(again.last_lines)
        assert again.total("records") == 1
    assert [(int(n), note) for n, note in lane.rows("N, NOTE")] == [(1, "n=1")]


def test_every_row_arrives_once_though_executors_are_lost(
    new_lane: Callable[..., Lane], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(SEED)
    two = {"master": "local-cluster[2,1,900]", "conf": {"spark.executor.memory": "512m"}}
    lane = new_lane(pipeline=query(), spark=two, epoch={"shards_per_task": 1})
    lane.put(*map(event, range(500)))
    with lane.engine(available_now=False) as first:
        for part in range(1, 4):
            seen = first.total("rows")
            until(lambda seen=seen: first.total("rows") > seen, first)
            lane.put(*map(event, range(500 * part, 500 * part + 500)))
            time.sleep(rng.uniform(0.0, 3.0))  # so that the executor is killed anywhere in a round
            os.kill(rng.choice(until(lambda: processes_of(first, EXECUTOR), first)), signal.SIGKILL)
        until(lambda: lane.rows()[0][0] == len(expected(range(2000))), first)
        assert command(lane, "stop").returncode == 0
        assert first.wait(HANGS_S) == 0, list(first.last_lines)
    assert sorted(n for (n,) in lane.rows("N")) == expected(range(2000))
    totals = audited(lane, monkeypatch).totals
    assert (totals.records, totals.rows, totals.skipped) == (2000, len(expected(range(2000))), 2000 - totals.rows)


@pytest.mark.parametrize(
    ("sql", "problem", "words"),
    [
        ("SELECT _position, count(*) AS n FROM rows GROUP BY _position", "FL-1213", "Aggregate"),
        ("SELECT _position, n, 1 / (n - n) AS x FROM rows", "FL-1214", "DIVIDE_BY_ZERO"),
    ],
)
def test_a_query_that_is_not_narrow_or_fails_stops_its_pipeline_with_the_reason_and_takes_nothing_in(
    new_lane: Callable[..., Lane], sql: str, problem: str, words: str
) -> None:
    lane = new_lane(pipeline=query(sql), failures={"patience_seconds": 60})
    lane.put(*map(event, range(20)))
    with lane.engine(available_now=True) as engine:
        assert engine.wait(HANGS_S) == 4, list(engine.last_lines)
    failed = [line for line in lane.log() if line["event"] == "pipeline.failed"]
    assert {line["problem"] for line in failed} == {problem}
    assert words in failed[0]["what"]
    assert lane.rows() == [(0,)]


def test_a_record_on_which_the_query_raises_an_error_is_a_dead_letter_and_the_rest_goes_on(
    new_lane: Callable[..., Lane], monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT _position, n, 1000 / (n % 100 - 7) AS x FROM rows WHERE n % 3 <> 0"
    lane = new_lane(pipeline=query(sql), failures={"patience_seconds": 60})
    lane.put(*map(event, range(300)))
    bad = [n for n in expected(range(300)) if n % 100 == 7]
    with lane.engine(available_now=True) as engine:
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
        assert engine.total("dead_letters") == len(bad) == 2
    assert sorted(n for (n,) in lane.rows("N")) == [n for n in expected(range(300)) if n not in bad]
    with lane.engine(available_now=True) as again:
        assert again.wait(HANGS_S) == 0, list(again.last_lines)
        assert again.total("records") == 0
    totals = audited(lane, monkeypatch).totals
    assert (totals.records, totals.skipped) == (300, 100)


def test_an_audit_finds_a_row_that_is_deleted_by_what_the_ledger_says_was_dropped(
    new_lane: Callable[..., Lane], monkeypatch: pytest.MonkeyPatch
) -> None:
    lane = new_lane(pipeline=query())
    lane.put(*map(event, range(60)), b"not json")
    with lane.engine(available_now=True) as engine:
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
    totals = audited(lane, monkeypatch).totals
    assert (totals.records, totals.rows, totals.dead_letters, totals.skipped) == (61, 40, 1, 20)
    lane.environment.query(f"DELETE FROM {lane.table} WHERE N = 31", login="admin")
    found = audit(load_config(lane.config_file), reader_of(lane))
    assert (found.exit_status, found.pipelines[0].totals.missing, found.pipelines[0].totals.skipped) == (3, 1, 20)
    (problem,) = found.pipelines[0].problems(ProblemKind.MISSING)
    assert "are in no table and no dead letter" in problem.detail


def audited(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> PipelineReport:
    """Returns what an audit says of the lane."""
    for name, value in lane.environment.variables.items():
        monkeypatch.setenv(name, value)
    report = audit(load_config(lane.config_file), reader_of(lane), content=True)
    assert report.exit_status == 0, report_text(report)
    assert BEHIND_A_QUERY in report_text(report)
    return report.pipelines[0]


def reader_of(lane: Lane) -> ReaderUser:
    login = lane.environment.logins["reader"]
    return ReaderUser(user=login.user, role=login.role, key_file=login.private_key_file)
