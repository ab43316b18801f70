"""A migration is taken back, until an engine has begun."""

from typing import Any

import pytest

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.migration.errors import (
    EngineHasBegun,
    NothingMigrated,
)
from firnline_ingest.migration.migrate import MigrationWriter, undo
from firnline_ingest.migration.tables import HEAD
from firnline_ingest.values import Fence, Position, ShardKey
from tests.ingest.migration.world import APP, World


def test_it_can_be_taken_back_and_done_again(dynamodb: Any, writer: MigrationWriter) -> None:
    world = World(dynamodb, "3.5.1-multi")
    for _ in range(2):
        assert world.apply(writer) == 5
        noted = writer.journal.read(world.lineage.incarnation)
        assert noted[HEAD]["source"] == APP
        assert noted["shardId-000000000001"]["from"]["checkpointSubSequenceNumber"] == 1
        assert undo(world.lineage, writer) == 5
        assert writer.ledger.rows(world.lineage.incarnation) == {}
        assert writer.journal.read(world.lineage.incarnation) == {}
    with pytest.raises(NothingMigrated):
        undo(world.lineage, writer)


def test_it_can_not_be_taken_back_once_an_engine_has_opened_a_shard(world: World, writer: MigrationWriter) -> None:
    world.apply(writer)
    rows = writer.ledger.rows(world.lineage.incarnation)
    row = rows["shardId-000000000003"]
    writer.ledger.take(row.key, row.fence, "an engine", row.start)
    with pytest.raises(EngineHasBegun, match="shardId-000000000003"):
        undo(world.lineage, writer)
    assert writer.ledger.rows(world.lineage.incarnation).keys() == rows.keys()


def test_neither_once_an_engine_has_opened_a_child_that_no_lease_named(world: World, writer: MigrationWriter) -> None:
    world.apply(writer)
    new = ShardKey("orders", world.lineage.stream_created_ms, "shardId-000000000009")
    writer.ledger.take(new, Fence(), "an engine", TrimHorizon())
    with pytest.raises(EngineHasBegun, match="shardId-000000000009"):
        undo(world.lineage, writer)


def test_what_a_try_before_has_left_does_not_outlive_a_change_of_the_leases(
    dynamodb: Any, world: World, writer: MigrationWriter
) -> None:
    """The other consumer ran once more in between, went on in one shard and cleaned up the lease of another."""
    world.apply(writer)
    leases = {item["leaseKey"]["S"]: item for item in world.items}
    dynamodb.delete_item(TableName=APP, Key={"leaseKey": {"S": "shardId-000000000000"}})
    last = str(world.stream.shard("shardId-000000000003").records[-1].sequence_number)
    dynamodb.put_item(TableName=APP, Item={**leases["shardId-000000000003"], "checkpoint": {"S": last}})
    assert world.apply(writer) == 5
    rows = writer.ledger.rows(world.lineage.incarnation)
    assert rows["shardId-000000000003"].read_through == Position(int(last))
    assert rows["shardId-000000000000"].ended
