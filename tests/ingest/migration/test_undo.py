"""A migration is taken back, until an engine has begun."""

from typing import Any

import pytest

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.migration.errors import (
    EngineHasBegun,
    NothingMigrated,
)
from firnline_ingest.migration.migrate import Books, undo
from firnline_ingest.migration.tables import HEAD
from firnline_ingest.values import Fence, Position, ShardKey
from tests.ingest.migration.world import APP, World


def test_it_can_be_taken_back_and_done_again(dynamodb: Any, books: Books) -> None:
    world = World(dynamodb, "3.5.1-multi")
    for _ in range(2):
        assert world.apply(books) == 5
        noted = books.journal.read(world.lineage.incarnation)
        assert noted[HEAD]["source"] == APP
        assert noted["shardId-000000000001"]["from"]["checkpointSubSequenceNumber"] == 1
        assert undo(world.lineage, books) == 5
        assert books.ledger.rows(world.lineage.incarnation) == {}
        assert books.journal.read(world.lineage.incarnation) == {}
    with pytest.raises(NothingMigrated):
        undo(world.lineage, books)


def test_it_can_not_be_taken_back_once_an_engine_has_opened_a_shard(dynamodb: Any, books: Books) -> None:
    world = World(dynamodb, "3.5.1-single")
    world.apply(books)
    rows = books.ledger.rows(world.lineage.incarnation)
    row = rows["shardId-000000000003"]
    books.ledger.take(row.key, row.fence, "an engine", row.start)
    with pytest.raises(EngineHasBegun, match="shardId-000000000003"):
        undo(world.lineage, books)
    assert books.ledger.rows(world.lineage.incarnation).keys() == rows.keys()


def test_neither_once_an_engine_has_opened_a_child_that_no_lease_named(dynamodb: Any, books: Books) -> None:
    world = World(dynamodb, "3.5.1-single")
    world.apply(books)
    new = ShardKey("orders", world.lineage.stream_created_ms, "shardId-000000000009")
    books.ledger.take(new, Fence(), "an engine", TrimHorizon())
    with pytest.raises(EngineHasBegun, match="shardId-000000000009"):
        undo(world.lineage, books)


def test_what_a_try_before_has_left_does_not_outlive_a_change_of_the_leases(dynamodb: Any, books: Books) -> None:
    """The other consumer ran once more in between, went on in one shard and cleaned up the lease of another."""
    world = World(dynamodb, "3.5.1-single")
    world.apply(books)
    leases = {item["leaseKey"]["S"]: item for item in world.items}
    dynamodb.delete_item(TableName=APP, Key={"leaseKey": {"S": "shardId-000000000000"}})
    last = str(world.stream.shard("shardId-000000000003").records[-1].sequence_number)
    dynamodb.put_item(TableName=APP, Item={**leases["shardId-000000000003"], "checkpoint": {"S": last}})
    assert world.apply(books) == 5
    rows = books.ledger.rows(world.lineage.incarnation)
    assert rows["shardId-000000000003"].read_through == Position(int(last))
    assert rows["shardId-000000000000"].ended
