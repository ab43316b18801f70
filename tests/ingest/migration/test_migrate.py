"""A migration from the tables that the Kinesis Client Library's own consumer left, and back."""

import threading
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.hash_range import HashRange
from firnline_ingest.kinesis.lineage import Lineage, read_lineage
from firnline_ingest.kinesis.polling import PollingConfig
from firnline_ingest.kinesis.reader import ShardReader
from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.ledger.errors import AnotherEngineRuns, RunDisplaced
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.plan import plan_shards
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.migration import kcl, openflow
from firnline_ingest.migration.errors import (
    EngineHasBegun,
    JournalMissing,
    NothingMigrated,
    NotMigratable,
    SourceForeign,
    SourceInUse,
    SourceMissing,
    StreamKnown,
    TableTrouble,
)
from firnline_ingest.migration.migrate import Books, Watched, apply, planned, undo, watch
from firnline_ingest.migration.tables import HEAD, Journal, Source
from firnline_ingest.values import Fence, Position, ShardKey
from firnline_local.kinesis import FakeKinesis
from tests.ingest.migration.conftest import RECORDED, make_table, recorded
from tests.kcl import scene

APP = "orders-app"


def no_wait(_: float) -> None:
    return None


def client_of(kinesis: FakeKinesis) -> Any:
    client = kinesis_client(AwsConfig(region="us-east-1", endpoints={"kinesis": "http://fake.invalid"}))
    kinesis.connect(client)
    return client


class World:
    """The scene's stream, and what the library left of it."""

    def __init__(self, dynamodb: Any, name: str) -> None:
        self.kinesis, self.stream = scene.make()
        found = recorded(name)
        self.taken = {(shard, int(number), int(sub)) for shard, number, sub, _ in found["taken"]}
        self.dynamodb = dynamodb
        self.items: list[dict[str, Any]] = found["tables"][APP]
        self.running: list[list[dict[str, Any]]] = [each[APP] for each in found["while_running"]]
        make_table(dynamodb, APP, kcl.KEY, self.items)
        self.source = Source(dynamodb, APP)
        self.client = client_of(self.kinesis)

    @property
    def lineage(self) -> Lineage:
        return read_lineage(self.client, "orders")

    def watched(self) -> Watched:
        return watch(self.source, 30, no_wait)

    def apply(self, books: Books, at: Any = None) -> int:
        watched = self.watched()
        return apply(planned(watched, self.lineage, at), watched, self.lineage, books)

    def scan(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.dynamodb.scan(TableName=APP)["Items"]
        return sorted(items, key=str)

    def touch(self, shard: str) -> None:
        """As a worker that renews its lease does."""
        item = next(each for each in self.scan() if each["leaseKey"]["S"].endswith(shard))
        count = str(int(item["leaseCounter"]["N"]) + 1)
        self.dynamodb.put_item(TableName=APP, Item={**item, "leaseCounter": {"N": count}})


def read_all(kinesis: FakeKinesis, client: Any, shard: str, start: Start) -> tuple[list[tuple[str, int, int]], bool]:
    """What an engine's reader makes of the shard from there; and whether it ends."""
    stream = kinesis.stream("orders")
    key = ShardKey("orders", stream.found.created_ms, shard)
    reader = ShardReader(client, key, start, PollingConfig(), clock=lambda: 0.0, jitter=lambda: 0.0)
    own = stream.shard(shard).hash_range
    users = UserRecords(lambda: HashRange(own.start, own.end), start.position if isinstance(start, After) else None)
    found: list[tuple[str, int, int]] = []
    while True:
        page = reader.read(lambda _: False)
        if page is None:
            continue
        assert page.gap is None
        for piece in users.pieces(page.records):
            found += [(shard, each.position.sequence_number, each.position.sub_sequence_number) for each in piece]
        if page.is_end or page.is_at_tip:
            return found, page.is_end


def read_stream(world: World, rows: dict[str, ShardRow]) -> list[tuple[str, int, int]]:
    """Everything that the engine's plan has read, in its order, from the ledger's rows on."""
    found: list[tuple[str, int, int]] = []
    done: set[str] = set()
    while readable := sorted(plan_shards(world.lineage, rows, {}, TrimHorizon()).readable - done):
        for shard in readable:
            start = plan_shards(world.lineage, rows, {}, TrimHorizon()).starts[shard]
            records, ended = read_all(world.kinesis, world.client, shard, start)
            found += records
            done.add(shard)
            row = rows.get(shard) or ShardRow(
                key=ShardKey("orders", world.lineage.stream_created_ms, shard), start=TrimHorizon()
            )
            rows[shard] = replace(row, ended=ended)
    return found


def every_record(world: World) -> list[tuple[str, int, int]]:
    return [
        record
        for shard in world.lineage.shards
        for record in read_all(world.kinesis, world.client, shard, TrimHorizon())[0]
    ]


@pytest.mark.parametrize("name", RECORDED)
def test_the_first_epoch_begins_exactly_behind_what_the_library_took_in(dynamodb: Any, books: Books, name: str) -> None:
    """Nothing is missing and nothing is double: the shard that ended is left, one is gone on with inside of an aggregate."""
    world = World(dynamodb, name)
    assert world.apply(books) == 5
    ours = read_stream(world, dict(books.ledger.rows(world.lineage.incarnation)))
    assert len(ours) == len(set(ours))
    assert set(ours) & world.taken == set()
    assert set(ours) | world.taken == set(every_record(world))
    inside = [sub for shard, _, sub in ours if shard == "shardId-000000000001"]
    assert inside[:3] == [2, 3, 4]


@pytest.mark.parametrize("name", RECORDED)
def test_leases_that_the_stopped_library_still_owns_are_no_reason_to_refuse(dynamodb: Any, name: str) -> None:
    """It leaves its name in them. What tells is that their counters stand still."""
    world = World(dynamodb, name)
    assert any("leaseOwner" in item for item in world.items)
    assert planned(world.watched(), world.lineage, None).problems == ()


@pytest.mark.parametrize("name", RECORDED)
def test_a_library_that_runs_is_found_by_what_it_writes_within_seconds(dynamodb: Any, name: str) -> None:
    """As recorded four seconds apart, with a failover time of three: the counter of each lease had moved."""
    world = World(dynamodb, name)

    def four_seconds(_: float) -> None:
        for item in world.running[1]:
            dynamodb.put_item(TableName=APP, Item=item)

    for item in world.running[0]:
        dynamodb.put_item(TableName=APP, Item=item)
    with pytest.raises(SourceInUse, match=r"still written to.* [5-7] of its items changed .*Owners: worker-"):
        watch(world.source, 4, four_seconds)


def test_a_library_that_is_started_while_rows_are_written_makes_everything_be_taken_back(
    dynamodb: Any, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(dynamodb, "3.5.1-single")
    take = books.ledger.take

    def take_and_be_overtaken(*arguments: Any) -> ShardRow:
        world.touch("shardId-000000000003")
        return take(*arguments)

    monkeypatch.setattr(books.ledger, "take", take_and_be_overtaken)
    with pytest.raises(SourceInUse, match="shardId-000000000003"):
        world.apply(books)
    assert books.ledger.rows(world.lineage.incarnation) == {}
    assert books.journal.read(world.lineage.incarnation) == {}


def test_the_other_consumer_s_table_is_never_written_to(dynamodb: Any, books: Books) -> None:
    world = World(dynamodb, "3.5.1-multi")
    before = world.scan()
    writes: list[str] = []

    def note(params: Any, model: Any, **_: Any) -> None:
        if params.get("TableName") == APP:
            writes.append(model.name)

    dynamodb.meta.events.register("provide-client-params.dynamodb.*", note, unique_id="note")
    world.apply(books)
    undo(world.lineage, books)
    dynamodb.meta.events.unregister("provide-client-params.dynamodb.*", unique_id="note")
    assert set(writes) == {"DescribeTable", "Scan"}
    assert world.scan() == before


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


@pytest.mark.parametrize("calls", [1, 2, 5, 8, 15])
def test_a_migration_that_was_killed_anywhere_is_done_again_or_taken_back_and_no_engine_plans_in_between(
    dynamodb: Any, books: Books, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    world = World(dynamodb, "3.5.1-single")
    left = [calls]

    def killed(**_: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    for operation in ("PutItem", "UpdateItem"):
        dynamodb.meta.events.register_first(f"before-call.dynamodb.{operation}", killed, unique_id=operation)
    with pytest.raises(KeyboardInterrupt):
        world.apply(books)
    for operation in ("PutItem", "UpdateItem"):
        dynamodb.meta.events.unregister(f"before-call.dynamodb.{operation}", unique_id=operation)
    mark = books.ledger.mark("orders")
    assert mark is None or mark.is_paused or not books.ledger.rows(world.lineage.incarnation)
    if calls % 2:
        noted = books.journal.read(world.lineage.incarnation)
        assert noted.keys() - {HEAD} >= books.ledger.rows(world.lineage.incarnation).keys()
        if noted:
            undo(world.lineage, books)
        assert books.ledger.rows(world.lineage.incarnation) == {}
    assert world.apply(books) == 5
    mark = books.ledger.mark("orders")
    assert mark is not None
    assert not mark.is_paused
    ours = read_stream(world, dict(books.ledger.rows(world.lineage.incarnation)))
    assert set(ours) | world.taken == set(every_record(world))
    assert set(ours) & world.taken == set()


@pytest.mark.parametrize("calls", [1, 6])
def test_an_undoing_that_was_killed_leaves_the_stream_paused_and_is_done_again(
    dynamodb: Any, books: Books, calls: int
) -> None:
    world = World(dynamodb, "3.5.1-single")
    world.apply(books)
    left = [calls]

    def killed(**_: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    dynamodb.meta.events.register_first("before-call.dynamodb.DeleteItem", killed, unique_id="kill")
    with pytest.raises(KeyboardInterrupt):
        undo(world.lineage, books)
    dynamodb.meta.events.unregister("before-call.dynamodb.DeleteItem", unique_id="kill")
    mark = books.ledger.mark("orders")
    assert mark is not None
    assert mark.is_paused
    undo(world.lineage, books)
    assert books.ledger.rows(world.lineage.incarnation) == {}
    mark = books.ledger.mark("orders")
    assert mark is not None
    assert not mark.is_paused


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


def test_a_ledger_that_an_engine_has_used_for_the_stream_is_refused(dynamodb: Any, books: Books) -> None:
    world = World(dynamodb, "3.5.1-single")
    key = ShardKey("orders", world.lineage.stream_created_ms, "shardId-000000000001")
    books.ledger.take(key, Fence(), "an engine", TrimHorizon())
    with pytest.raises(StreamKnown):
        world.apply(books)
    assert books.journal.read(world.lineage.incarnation) == {}


def test_an_engine_that_runs_under_the_name_is_not_written_under(dynamodb: Any, books: Books) -> None:
    world = World(dynamodb, "3.5.1-single")
    other = replace(books.lease, run=replace(books.lease.run, run_id="other"))
    other.begin()
    beats = replace(books.lease, sleep=lambda _: other.beat())
    with pytest.raises(AnotherEngineRuns):
        world.apply(replace(books, lease=beats))
    assert books.ledger.rows(world.lineage.incarnation) == {}


def test_an_engine_that_is_started_while_rows_are_written_is_refused(
    dynamodb: Any, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, beats = World(dynamodb, "3.5.1-single"), threading.Semaphore(0)
    beat, take, refused = books.ledger.beat, books.ledger.take, list[AnotherEngineRuns]()

    def until_it_beats(_: float) -> bool:
        while beats.acquire(blocking=False):
            pass
        return not beats.acquire(timeout=10)

    engine = RunLease(books.lease.ledger, "app", sleep=until_it_beats)

    def take_meanwhile(*arguments: Any) -> ShardRow:
        try:
            engine.begin()
        except AnotherEngineRuns as error:
            refused.append(error)
        return take(*arguments)

    monkeypatch.setattr(books.ledger, "beat", lambda run_id: (beat(run_id), beats.release())[0])
    monkeypatch.setattr(books.ledger, "take", take_meanwhile)
    assert world.apply(replace(books, lease=replace(books.lease, every_s=0.001))) == 5
    assert len(refused) == 5


def test_a_migration_that_was_frozen_until_an_engine_took_over_leaves_the_stream_paused(
    dynamodb: Any, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, take = World(dynamodb, "3.5.1-single"), books.ledger.take
    engine = RunLease(books.lease.ledger, "app", sleep=no_wait)

    def taken_late(*arguments: Any) -> ShardRow:
        if books.ledger.current_run() == books.lease.run:
            engine.begin()
        return take(*arguments)

    monkeypatch.setattr(books.ledger, "take", taken_late)
    with pytest.raises(RunDisplaced):
        world.apply(books)
    mark = books.ledger.mark("orders")
    assert mark is not None
    assert mark.is_paused
    engine.end()
    assert world.apply(replace(books, lease=RunLease(books.lease.ledger, "app", sleep=no_wait))) == 5


def test_a_migration_that_is_done_again_lets_nobody_plan_without_rows(
    dynamodb: Any, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, pause = World(dynamodb, "3.5.1-single"), books.ledger.pause
    world.apply(books)
    said = list[tuple[bool, int]]()

    def noted(stream: str, paused: bool) -> bool:
        said.append((paused, len(books.ledger.rows(world.lineage.incarnation))))
        return pause(stream, paused)

    monkeypatch.setattr(books.ledger, "pause", noted)
    world.apply(books)
    assert [rows for paused, rows in said if not paused] == [5]


def test_a_plan_with_problems_writes_nothing(dynamodb: Any, books: Books) -> None:
    world = World(dynamodb, "3.5.1-single")
    item = next(each for each in world.items if each["leaseKey"]["S"] == "shardId-000000000002")
    dynamodb.put_item(TableName=APP, Item={**item, "checkpoint": {"S": "LATEST"}})
    with pytest.raises(NotMigratable, match="shardId-000000000002"):
        world.apply(books)
    assert books.ledger.rows(world.lineage.incarnation) == {}
    assert world.apply(books, at=AtTimestamp(7)) == 5
    assert books.ledger.rows(world.lineage.incarnation)["shardId-000000000002"].start == AtTimestamp(7)


def test_openflow_s_table_is_gone_on_behind_whole_records(dynamodb: Any, books: Books) -> None:
    """A table as its pages and its source describe it; no real one was at hand."""
    kinesis, stream = scene.make()
    client = client_of(kinesis)
    lineage = read_lineage(client, "orders")
    place = {shard.id: str(shard.records[6].sequence_number) for shard in stream.shards if len(shard.records) > 6}
    items: list[dict[str, Any]] = [
        {"streamName": {"S": "orders"}, "shardId": {"S": shard.id}, "leaseOwner": {"S": "node"}}
        for shard in stream.shards
    ]
    for item in items:
        if number := place.get(item["shardId"]["S"]):
            item["sequenceNumber"] = {"S": number}
    make_table(dynamodb, "connector", openflow.KEY, items)
    watched = watch(Source(dynamodb, "connector"), 30, no_wait)
    assert watched.source.kind == "Openflow"
    assert apply(planned(watched, lineage, TrimHorizon()), watched, lineage, books) == 5
    rows = books.ledger.rows(lineage.incarnation)
    for shard, number in place.items():
        start = rows[shard].read_through
        assert start is not None
        records, _ = read_all(kinesis, client, shard, After(start))
        assert all(record[1] > int(number) for record in records)


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


def test_a_journal_that_may_not_be_made_is_asked_for(dynamodb: Any) -> None:
    with pytest.raises(JournalMissing, match="ledger_migration"):
        Journal(dynamodb, "ledger_migration").open(create=False)


def test_a_listing_that_changed_between_plan_and_reading_is_only_more_shards(dynamodb: Any, books: Books) -> None:
    """A reshard after the library stopped: the children have no leases, and begin when their parent has ended."""
    world = World(dynamodb, "3.5.1-single")
    world.stream.shard("shardId-000000000003").split()
    assert world.apply(books) == 5
    ours = read_stream(world, dict(books.ledger.rows(world.lineage.incarnation)))
    assert set(ours) | world.taken == set(every_record(world))
    assert isinstance(world.lineage.shards, MappingProxyType)
