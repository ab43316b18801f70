"""A drain asks the ledger alone where it is, unless only the engine's checkpoint may know where a stream begins."""

from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.spark.drain_checkpoint import drain_checkpoint
from firnline_ingest.values import Fence, ShardKey
from tests.fakes.configs import config, matching, reading
from tests.fakes.ledger import MemoryLedger

OF_A_CLUSTER = {"checkpoint": "s3://bucket/checkpoint/"}
LATEST = {"initial_position": {"at": "LATEST"}}


def begun(*, has_row: bool) -> MemoryLedger:
    ledger = MemoryLedger()
    ledger.set_mark("events", StreamMark("events@1"), None)
    if has_row:
        ledger.take(ShardKey("events", 1, "shard-0"), Fence(), "engine", TrimHorizon())
    return ledger


def checkpoint(ledger: MemoryLedger, **changes: Any) -> str:
    with drain_checkpoint(config(spark=OF_A_CLUSTER, **changes), ledger) as own:
        return own.spark.checkpoint


def test_a_clusters_checkpoint_is_replaced_by_a_folder_that_goes() -> None:
    folder = Path(checkpoint(MemoryLedger()))
    assert folder.is_absolute()
    assert not folder.parent.exists()


def test_a_checkpoint_of_this_machine_is_used() -> None:
    with drain_checkpoint(config(), MemoryLedger()) as own:
        assert own == config()


@pytest.mark.parametrize("has_row", [False, True])
def test_the_checkpoint_counts_where_a_stream_begins_at_latest_and_the_ledger_has_no_shard_of_it(has_row: bool) -> None:
    is_needed = checkpoint(begun(has_row=has_row), pipelines=[reading(**LATEST)]) == OF_A_CLUSTER["checkpoint"]
    assert is_needed is not has_row


def test_of_a_pattern_that_begins_at_latest_nobody_can_tell() -> None:
    changes: dict[str, Any] = {"pipelines": [], "patterns": [matching("events.*", **LATEST)]}
    assert checkpoint(begun(has_row=True), **changes) == OF_A_CLUSTER["checkpoint"]
