"""Tests of figures that follow from how shards stand."""

from typing import Any

from firnline_ingest.config.metrics import FAILING_SHARDS, NEW_COLUMNS, UNDECIDED_SHARDS
from firnline_ingest.metrics.figures import UNDECIDED, figures
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState, Tally
from firnline_ingest.snowflake.target_errors import ColumnsUndecided
from firnline_ingest.values import ShardKey


def receipt(shard: str, problem: Exception | None = None, **counts: Any) -> Receipt:
    told = ShardProblem.of(problem) if problem else None
    return Receipt.of(ShardKey("s", 1, shard), Tally(**counts), epoch=1, state=ShardState.DONE, problem=told)


def test_shards_that_wait_for_a_persons_word_are_counted_apart() -> None:
    assert ColumnsUndecided.id == UNDECIDED
    waiting = receipt("a", ColumnsUndecided("DB.RAW.T", ["KEY"]))
    _, found = figures([waiting, receipt("b", LookupError("x")), receipt("c", new_columns=2)])
    values = found.values
    assert (values[UNDECIDED_SHARDS], values[FAILING_SHARDS], values[NEW_COLUMNS]) == (1, 2, 2)
