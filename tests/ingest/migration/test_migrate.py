"""Tests of what a migration writes into the ledger: from the tables that the Kinesis Client Library's own consumer left."""

from types import MappingProxyType
from typing import Any

import pytest

from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.kinesis.start import After, AtTimestamp, TrimHorizon
from firnline_ingest.migration import openflow
from firnline_ingest.migration.errors import (
    JournalMissing,
    NotMigratable,
    StreamKnown,
)
from firnline_ingest.migration.migrate import MigrationWriter, apply, planned, watch
from firnline_ingest.migration.tables import MigrationJournal, Source
from firnline_ingest.values import Fence, ShardKey
from tests.fakes.kinesis import client_of
from tests.ingest.migration.conftest import RECORDED, make_table
from tests.ingest.migration.world import APP, World, every_record, no_wait, read_all, read_stream
from tests.kcl import scene


@pytest.mark.parametrize("name", RECORDED)
def test_the_first_epoch_begins_exactly_behind_what_the_library_took_in(
    dynamodb: Any, writer: MigrationWriter, name: str
) -> None:
    """Nothing is missing and nothing is double: the shard that ended is left, one is gone on with inside of an aggregate."""
    world = World(dynamodb, name)
    assert world.apply(writer) == 5
    ours = read_stream(world, dict(writer.ledger.rows(world.lineage.incarnation)))
    assert len(ours) == len(set(ours))
    assert set(ours) & world.taken == set()
    assert set(ours) | world.taken == set(every_record(world))
    inside = [sub for shard, _, sub in ours if shard == "shardId-000000000001"]
    assert inside[:3] == [2, 3, 4]


def test_a_ledger_that_an_engine_has_used_for_the_stream_is_refused(world: World, writer: MigrationWriter) -> None:
    key = ShardKey("orders", world.lineage.stream_created_ms, "shardId-000000000001")
    writer.ledger.take(key, Fence(), "an engine", TrimHorizon())
    with pytest.raises(StreamKnown):
        world.apply(writer)
    assert writer.journal.read(world.lineage.incarnation) == {}


def test_a_plan_with_problems_writes_nothing(dynamodb: Any, world: World, writer: MigrationWriter) -> None:
    item = next(each for each in world.items if each["leaseKey"]["S"] == "shardId-000000000002")
    dynamodb.put_item(TableName=APP, Item={**item, "checkpoint": {"S": "LATEST"}})
    with pytest.raises(NotMigratable, match="shardId-000000000002"):
        world.apply(writer)
    assert writer.ledger.rows(world.lineage.incarnation) == {}
    assert world.apply(writer, at=AtTimestamp(7)) == 5
    assert writer.ledger.rows(world.lineage.incarnation)["shardId-000000000002"].start == AtTimestamp(7)


def test_openflow_s_table_is_gone_on_behind_whole_records(dynamodb: Any, writer: MigrationWriter) -> None:
    """A table as its source (apache/nifi, KinesisShardManager) leaves it when its nodes stop: without owners and heartbeats."""
    kinesis, stream = scene.make()
    client = client_of(kinesis)
    lineage = read_lineage(client, "orders")
    place = {shard.id: str(shard.records[6].sequence_number) for shard in stream.shards if len(shard.records) > 6}
    items: list[dict[str, Any]] = [
        {"streamName": {"S": "orders"}, "shardId": {"S": shard.id}, "lastUpdateTimestamp": {"N": "1760000000000"}}
        for shard in stream.shards
    ]
    for item in items:
        if number := place.get(item["shardId"]["S"]):
            item["sequenceNumber"] = {"S": number}
    items.append({"streamName": {"S": "orders"}, "shardId": {"S": "__node__#0b6a8f7e-3d1c-4a55-9d0c-0d4f4b0c8a11"}})
    make_table(dynamodb, "connector", openflow.KEY, items)
    watched = watch(Source(dynamodb, "connector"), 30, no_wait)
    assert watched.source.kind == "Openflow"
    assert apply(planned(watched, lineage, TrimHorizon()), watched, lineage, writer) == 5
    rows = writer.ledger.rows(lineage.incarnation)
    for shard, number in place.items():
        start = rows[shard].read_through
        assert start is not None
        records, _ = read_all(kinesis, client, shard, After(start))
        assert all(record[1] > int(number) for record in records)


def test_a_journal_that_may_not_be_made_is_asked_for(dynamodb: Any) -> None:
    with pytest.raises(JournalMissing, match="ledger_migration"):
        MigrationJournal(dynamodb, "ledger_migration").open(create=False)


def test_a_listing_that_changed_between_plan_and_reading_is_only_more_shards(
    world: World, writer: MigrationWriter
) -> None:
    """A reshard after the library stopped: the children have no leases, and begin when their parent has ended."""
    world.stream.shard("shardId-000000000003").split()
    assert world.apply(writer) == 5
    ours = read_stream(world, dict(writer.ledger.rows(world.lineage.incarnation)))
    assert set(ours) | world.taken == set(every_record(world))
    assert isinstance(world.lineage.shards, MappingProxyType)
