"""The other consumer's table: whether anybody is at work in it, and that nothing of ours is."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.migration import kcl
from firnline_ingest.migration.errors import (
    SourceForeign,
    SourceInUse,
    SourceMissing,
    TableTrouble,
)
from firnline_ingest.migration.migrate import MigrationWriter, planned, undo, watch
from firnline_ingest.migration.tables import Source
from tests.ingest.migration.conftest import RECORDED, make_table
from tests.ingest.migration.world import APP, World, no_wait


@pytest.mark.parametrize("name", RECORDED)
def test_leases_that_the_stopped_library_still_owns_are_no_reason_to_refuse(dynamodb: Any, name: str) -> None:
    """The library leaves its name in them. What tells is that their counters stand still."""
    world = World(dynamodb, name)
    assert any("leaseOwner" in item for item in world.items)
    assert planned(world.watched(), world.lineage, None).problems == ()


@pytest.mark.parametrize("name", RECORDED)
def test_a_library_that_runs_is_found_by_what_it_writes_within_seconds(dynamodb: Any, name: str) -> None:
    """Two recordings four seconds apart, with a failover time of three: the counter of each lease had moved."""
    world = World(dynamodb, name)

    def four_seconds(_: float) -> None:
        for item in world.running[1]:
            dynamodb.put_item(TableName=APP, Item=item)

    for item in world.running[0]:
        dynamodb.put_item(TableName=APP, Item=item)
    with pytest.raises(SourceInUse, match=r"still written to.* [5-7] of its items changed .*Owners: worker-"):
        watch(world.source, 4, four_seconds)


def test_a_library_that_is_started_while_rows_are_written_makes_everything_be_taken_back(
    world: World, writer: MigrationWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = writer.ledger.take

    def take_and_be_overtaken(*arguments: Any) -> ShardRow:
        world.touch("shardId-000000000003")
        return take(*arguments)

    monkeypatch.setattr(writer.ledger, "take", take_and_be_overtaken)
    with pytest.raises(SourceInUse, match="shardId-000000000003"):
        world.apply(writer)
    assert writer.ledger.rows(world.lineage.incarnation) == {}
    assert writer.journal.read(world.lineage.incarnation) == {}


def test_the_other_consumer_s_table_is_never_written_to(dynamodb: Any, writer: MigrationWriter) -> None:
    world = World(dynamodb, "3.5.1-multi")
    before = world.scan()
    writes: list[str] = []

    def note(params: Any, model: Any, **_: Any) -> None:
        if params.get("TableName") == APP:
            writes.append(model.name)

    dynamodb.meta.events.register("provide-client-params.dynamodb.*", note, unique_id="note")
    world.apply(writer)
    undo(world.lineage, writer)
    dynamodb.meta.events.unregister("provide-client-params.dynamodb.*", unique_id="note")
    assert set(writes) == {"DescribeTable", "Scan"}
    assert world.scan() == before


def test_a_table_that_is_no_lease_table_or_is_not_there_is_said_so(dynamodb: Any) -> None:
    with pytest.raises(SourceMissing):
        watch(Source(dynamodb, "nowhere"), 0, no_wait)
    make_table(dynamodb, "app-WorkerMetricStats", {"wid": "HASH"}, [])
    with pytest.raises(SourceForeign, match="wid"):
        watch(Source(dynamodb, "app-WorkerMetricStats"), 0, no_wait)


def test_what_dynamodb_refuses_names_the_operation_and_the_table(
    dynamodb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "not authorized"}}, "Scan")

    make_table(dynamodb, APP, kcl.KEY, [])
    monkeypatch.setattr(dynamodb, "scan", denied)
    with pytest.raises(TableTrouble, match=r"dynamodb:Scan on 'orders-app'"):
        watch(Source(dynamodb, APP), 0, no_wait)
