"""Tests of what the driver makes of rounds that fail, with a stand-in for Spark's; tests/spark/test_query.py has Spark."""

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql.types import StructType

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.spark.errors import QueryRoundFailed
from firnline_ingest.spark.query_isolation import Document
from firnline_ingest.spark.query_rounds import QueryEpochs, StreamQuery
from firnline_ingest.spark.query_task import CONFIRMED
from tests.fakes.configs import reading

from .standing_in import config

QUERY = {"schema": "n BIGINT", "sql": "SELECT * FROM rows"}


class StandInQuery:
    """A stream's query whose rounds fail while it is told to."""

    def __init__(self, pipeline: Any) -> None:
        self.pipeline, self.fails, self.rounds = pipeline, True, 0

    def run(self, orders: Sequence[tuple[int, str, str]], _: Sequence[str] = ()) -> list[dict[str, Any]]:
        self.rounds += 1
        if self.fails:
            raise QueryRoundFailed("orders", "[DIVIDE_BY_ZERO] Division by zero.")
        return [{"token": "t", "is_over": True, "is_stop_wanted": False} for _ in orders]

    def rows_of(self, documents: Sequence[Document]) -> list[tuple[int, str]]:
        raise QueryRoundFailed("orders", "[DIVIDE_BY_ZERO] Division by zero.")


@pytest.fixture
def configured() -> EngineConfig:
    return config(pipelines=[reading("orders", query=QUERY), reading("clicks")])


def test_a_query_whose_rounds_fail_rests_when_its_pipeline_has_stopped_and_is_tried_when_that_is_due(
    configured: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[StandInQuery] = []

    def of(_: object, pipeline: Any) -> Any:
        made.append(StandInQuery(pipeline))
        return made[-1]

    monkeypatch.setattr(StreamQuery, "of", of)
    monkeypatch.setattr(QueryEpochs, "_isolated", lambda _self, _isolation, orders: made[-1].run(orders))
    epochs = QueryEpochs(None, configured)  # type: ignore[arg-type] # no Spark
    resting: set[str] = set()
    streams = ("orders", "clicks")

    def epoch() -> list[str]:
        refused = epochs.prepare(streams, resting.__contains__)
        problems = dict(refused)
        if "orders" not in refused:
            epochs._round("orders", [], problems)
        return [problem.id for problem in problems.values()]

    assert epoch() == ["FL-1214"]
    assert epoch() == ["FL-1214"]
    tried = made[0].rounds
    assert tried > 1
    resting.add("orders")
    assert epoch() == ["FL-1214"]
    assert made[0].rounds == tried
    resting.clear()
    made[0].fails = False
    assert epoch() == []
    resting.add("orders")  # of another trouble: its table, say
    assert epoch() == []
    assert len(made) == 1


def test_a_round_with_a_full_page_is_followed_at_once_and_another_one_by_a_pause(
    configured: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [
        {"is_full": is_full, "is_over": False, "is_stop_wanted": False} for is_full in (False, True, True, False)
    ]
    answers.append({"is_full": True, "is_over": True, "is_stop_wanted": False})
    done: list[object] = []

    def next_round(*_: object) -> list[dict[str, bool]]:
        done.append(len(done))
        return [answers.pop(0)]

    monkeypatch.setattr(QueryEpochs, "_round", next_round)
    monkeypatch.setattr("firnline_ingest.spark.query_rounds.run_in_own_workers", lambda *_: [])
    spark: Any = SimpleNamespace(sparkContext=None)
    epochs = QueryEpochs(spark, configured, clock=lambda: 0.0, pause=lambda seconds: done.append(f"{seconds:.1f} s"))
    assignment: Any = SimpleNamespace(shards=[SimpleNamespace(stream="orders")], to_json=str)
    assert epochs.run([(0, "", assignment)], 30.0) == {}
    assert done == [0, "1.0 s", 2, 3, 4, "1.0 s", 6]


def test_the_rounds_of_an_epoch_are_planned_once_and_each_hears_of_the_one_before(
    configured: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, str]] = []
    planned: list[object] = []
    context = SimpleNamespace(setLocalProperty=lambda name, value: heard.append((name, value)))
    answers = SimpleNamespace(collect=lambda: [json.dumps({"token": "t", "attempt": 0})])
    monkeypatch.setattr(StreamQuery, "_rows", lambda _, __, orders: orders)
    monkeypatch.setattr(
        StreamQuery,
        "_query",
        lambda _, rows: planned.append(rows) or SimpleNamespace(mapPartitions=lambda _: answers),
    )
    session: Any = SimpleNamespace(sparkContext=context)
    query = StreamQuery(configured.pipelines[0], session, StructType())
    first, second = ([(0, "", json.dumps({"run_id": "r", "epoch": epoch}))] for epoch in (1, 2))
    for orders, confirmed in ((first, ()), (first, ("a",)), (second, ("b",)), (first, ("c",))):
        assert query.run(orders, confirmed) == [{"token": "t", "attempt": 0}]
    assert planned == [first, second, first]
    assert heard == [(CONFIRMED, text) for text in ("[]", '["a"]', '["b"]', '["c"]')]
