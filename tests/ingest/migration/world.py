"""A stream and the table that the Kinesis Client Library's own consumer left of it, and what an engine reads from there."""

from dataclasses import replace
from typing import Any

from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.hash_range import HashRange
from firnline_ingest.kinesis.lineage import Lineage, read_lineage
from firnline_ingest.kinesis.polling import PollingConfig
from firnline_ingest.kinesis.reader import ShardReader
from firnline_ingest.kinesis.start import After, Start, TrimHorizon
from firnline_ingest.ledger.plan import plan_shards
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.migration import kcl
from firnline_ingest.migration.migrate import MigrationWriter, WatchedSource, apply, planned, watch
from firnline_ingest.migration.tables import Source
from firnline_ingest.values import ShardKey
from firnline_local.kinesis import FakeKinesis
from tests.fakes.kinesis import client_of
from tests.fakes.migration import RecordedSource
from tests.ingest.migration.conftest import make_table, recorded
from tests.kcl import scene

APP = "orders-app"


def no_wait(_: float) -> None:
    return None


class World:
    """The scene's stream, and what the library left of it: in a table, or in memory, where no one writes to it."""

    def __init__(self, dynamodb: Any | None, name: str) -> None:
        self.kinesis, self.stream = scene.make()
        found = recorded(name)
        self.taken = {(shard, int(number), int(sub)) for shard, number, sub, _ in found["taken"]}
        self.dynamodb: Any = dynamodb
        self.items: list[dict[str, Any]] = found["tables"][APP]
        self.running: list[list[dict[str, Any]]] = [each[APP] for each in found["while_running"]]
        self.source: Source
        if dynamodb is None:
            self.source = RecordedSource(APP, self.items)
        else:
            make_table(dynamodb, APP, kcl.KEY, self.items)
            self.source = Source(dynamodb, APP)
        self.client = client_of(self.kinesis)

    @property
    def lineage(self) -> Lineage:
        return read_lineage(self.client, "orders")

    def watched(self) -> WatchedSource:
        return watch(self.source, 30, no_wait)

    def apply(self, writer: MigrationWriter, at: Any = None) -> int:
        watched = self.watched()
        return apply(planned(watched, self.lineage, at), watched, self.lineage, writer)

    def scan(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.dynamodb.scan(TableName=APP)["Items"]
        return sorted(items, key=str)

    def touch(self, shard: str) -> None:
        """Touches a lease as a worker does that renews it."""
        item = next(each for each in self.scan() if each["leaseKey"]["S"].endswith(shard))
        count = str(int(item["leaseCounter"]["N"]) + 1)
        self.dynamodb.put_item(TableName=APP, Item={**item, "leaseCounter": {"N": count}})


def read_all(kinesis: FakeKinesis, client: Any, shard: str, start: Start) -> tuple[list[tuple[str, int, int]], bool]:
    """Returns what an engine's reader makes of the shard from there; and whether it ends."""
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
