"""A streaming query over format("kinesis"): every record once and in order, whatever dies, and whatever the stream does."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.datasource import KinesisDataSource, source
from firnline_ingest.datasource.ends import BatchEnds
from firnline_ingest.datasource.errors import BatchUnread, EndsDiffer, OffsetForeign, SourceRecordsLost
from firnline_ingest.datasource.offset import END, ShardEnd, StreamOffset, parse_start_text
from firnline_ingest.datasource.options import SourceOptions
from firnline_ingest.datasource.rows import FrameRows
from firnline_ingest.datasource.shard import ShardRange, read_range
from firnline_ingest.errors import ConfigError
from firnline_ingest.kinesis.errors import StreamReplaced
from firnline_ingest.values import ShardKey
from firnline_local.kinesis import FakeKinesis, KinesisServer, ManualClock
from tests.contract.datasource.query import Checkpoint, Killed, Query, options_of, put, subscribe
from tests.fakes.kpl_packing import Packed, pack

pytestmark = pytest.mark.contract

EFFECTS = (
    "before the offset is logged",
    "after the offset is logged",
    "inside a task",
    "after a task",
    "before the sink",
    "after the sink",
)


@pytest.fixture(params=["polling", "fan-out"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[KinesisServer]:
    """A stream that each test reads in both ways."""
    monkeypatch.setattr(source, "PLAN_EVERY_S", 0.0)
    with KinesisServer(FakeKinesis(clock=ManualClock(), read_limits=False)) as server:
        server.kinesis.create_stream("orders", shards=2)
        if request.param == "fan-out":
            subscribe(server, monkeypatch)
        yield server


def each_once(count: int) -> Counter[int]:
    return Counter(range(count))


def in_order_by_key(checkpoint: Checkpoint) -> bool:
    """Returns whether a key's records came as they were put: by its sequence numbers, over all shards that it was in."""
    seen: dict[str, list[int]] = {}
    for row in checkpoint.rows:
        seen.setdefault(row[1], []).append(int(row[2]))
    return all(numbers == sorted(numbers) for numbers in seen.values())


def test_batches_follow_one_another_and_say_where_each_began(server: KinesisServer, tmp_path: Path) -> None:
    checkpoint = Checkpoint()
    query = Query(options_of(server, tmp_path), checkpoint)
    put(server.kinesis, 0, 10)
    query.run(1)
    put(server.kinesis, 10, 5)
    query.run(1)
    assert checkpoint.ids() == each_once(15)
    row = checkpoint.rows[0]
    assert (row[3], row[5].startswith("shardId-"), row[6]) == (0, True, "orders")
    assert row[4].tzinfo is not None
    starts = [offset["starts"] for offset in checkpoint.offsets]
    assert set(starts[0].values()) == {"TRIM_HORIZON"}
    assert all(text.removeprefix("AFTER_SEQUENCE_NUMBER ").isdigit() for text in starts[1].values())
    assert all(parse_start_text(text) for text in starts[1].values())


@pytest.mark.parametrize("where", EFFECTS)
def test_a_process_that_is_killed_anywhere_neither_loses_a_record_nor_repeats_one(
    server: KinesisServer, tmp_path: Path, where: str
) -> None:
    checkpoint, options = Checkpoint(), options_of(server, tmp_path, maxRecordsPerShard="7")
    put(server.kinesis, 0, 30)
    Query(options, checkpoint).run(1)
    put(server.kinesis, 30, 10)
    with pytest.raises(Killed):
        Query(options, checkpoint, where).run(5)
    # What a second attempt at the same batch must not take in, where the first one came to its end.
    put(server.kinesis, 40, 20)
    Query(options, checkpoint).run(4)
    assert checkpoint.ids() == each_once(60)
    assert in_order_by_key(checkpoint)


def test_a_batch_that_was_read_whole_is_the_same_at_every_attempt(server: KinesisServer, tmp_path: Path) -> None:
    checkpoint, options = Checkpoint(), options_of(server, tmp_path)
    put(server.kinesis, 0, 10)
    with pytest.raises(Killed):
        Query(options, checkpoint, "after the sink").run(1)
    first = checkpoint.written[0]
    put(server.kinesis, 10, 10)
    Query(options, checkpoint).run(0)
    assert checkpoint.written[0] == first
    Query(options, checkpoint).run(1)
    assert checkpoint.ids() == each_once(20)


def test_children_are_read_after_their_parents_through_splits_and_merges(server: KinesisServer, tmp_path: Path) -> None:
    stream, checkpoint = server.kinesis.stream("orders"), Checkpoint()
    query = Query(options_of(server, tmp_path), checkpoint)
    put(server.kinesis, 0, 20)
    stream.shards[0].split()
    put(server.kinesis, 20, 20)
    query.run(1)
    children = stream.shards[2:]
    assert {row[5] for row in checkpoint.rows}.isdisjoint(child.id for child in children), (
        "the parent's end is not proven yet"
    )
    children[0].merge(children[1])
    put(server.kinesis, 40, 20)
    query.run(6)
    assert checkpoint.ids() == each_once(60)
    assert in_order_by_key(checkpoint)
    last = checkpoint.offsets[-1]["starts"]
    assert [last[shard.id] == END for shard in stream.shards] == [True, False, True, True, False]


def test_listings_that_are_behind_neither_lose_nor_repeat_a_shard(server: KinesisServer, tmp_path: Path) -> None:
    stream, checkpoint = server.kinesis.stream("orders"), Checkpoint()
    put(server.kinesis, 0, 10)
    parent = stream.shards[0]
    parent.split()
    parent.leave_out(2)  # at the first start
    query = Query(options_of(server, tmp_path), checkpoint)
    query.run(2)
    parent.leave_out(1)  # after its end, with its children
    for child in parent.children:
        child.leave_out(1)
    query.run(3)
    put(server.kinesis, 10, 10)
    query.run(3)
    assert checkpoint.ids() == each_once(20)
    assert in_order_by_key(checkpoint)


def test_available_now_ends_with_what_had_arrived_when_it_began(server: KinesisServer, tmp_path: Path) -> None:
    checkpoint, options = Checkpoint(), options_of(server, tmp_path, maxRecordsPerShard="4")
    server.kinesis.stream("orders").shards[0].split()
    put(server.kinesis, 0, 40)
    query = Query(options, checkpoint)
    query._reader.prepareForTriggerAvailableNow()
    server.kinesis.clock.advance(seconds=5)  # type: ignore[attr-defined]
    put(server.kinesis, 40, 10)
    query.run(100)
    assert checkpoint.ids() == each_once(40)
    assert len(checkpoint.offsets) < 100, "the query ended by itself"
    Query(options, checkpoint).run(6)
    assert checkpoint.ids() == each_once(50)


def test_available_now_reads_on_behind_a_run_that_found_nothing(server: KinesisServer, tmp_path: Path) -> None:
    checkpoint, options = Checkpoint(), options_of(server, tmp_path)
    for first, count in ((0, 10), (10, 0), (10, 0), (10, 10)):
        put(server.kinesis, first, count)
        server.kinesis.clock.advance(seconds=5)  # type: ignore[attr-defined] # the fixture's is a ManualClock
        query = Query(options, checkpoint)
        query._reader.prepareForTriggerAvailableNow()
        query.run(100)
        assert checkpoint.ids() == each_once(first + count)
    assert len(checkpoint.offsets) < 100, "each run ended by itself"


def test_a_batch_does_not_give_up_among_empty_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next batch would begin before them again."""
    monkeypatch.setattr(source, "PLAN_EVERY_S", 0.0)
    checkpoint = Checkpoint()
    with KinesisServer(FakeKinesis(clock=ManualClock(), read_limits=False, empty_page_every=2)) as server:
        server.kinesis.create_stream("orders")
        put(server.kinesis, 0, 4)
        options = options_of(server, tmp_path, maxRecordsPerShard="1", maxSecondsPerShard="0.000001")
        Query(options, checkpoint).run(4)
    assert checkpoint.ids() == each_once(4)


def test_aggregates_are_taken_apart_and_numbered(server: KinesisServer, tmp_path: Path) -> None:
    stream, checkpoint = server.kinesis.stream("orders"), Checkpoint()
    stream.put(pack([Packed(json.dumps({"n": number}).encode(), "k") for number in range(3)]), key="k")
    Query(options_of(server, tmp_path), checkpoint).run(1)
    assert [(row[1], row[3]) for row in checkpoint.rows] == [("k", 0), ("k", 1), ("k", 2)]
    assert len({row[2] for row in checkpoint.rows}) == 1


def test_latest_is_the_services_time_of_the_first_start_and_stays_it(server: KinesisServer, tmp_path: Path) -> None:
    checkpoint, options = Checkpoint(), options_of(server, tmp_path, startingPosition="latest")
    put(server.kinesis, 0, 5)
    server.kinesis.clock.advance(seconds=10)  # type: ignore[attr-defined]
    with pytest.raises(Killed):
        Query(options, checkpoint, "after the offset is logged").run(1)
    server.kinesis.clock.advance(seconds=10)  # type: ignore[attr-defined]
    put(server.kinesis, 5, 5)
    server.kinesis.clock.advance(seconds=10)  # type: ignore[attr-defined]
    Query(options, checkpoint).run(1)
    assert checkpoint.ids() == Counter(range(5, 10))


def test_a_batch_of_which_only_a_part_was_used_is_refused(server: KinesisServer, tmp_path: Path) -> None:
    put(server.kinesis, 0, 10)
    reader: Any = KinesisDataSource(options_of(server, tmp_path)).streamReader(None)  # type: ignore[arg-type]
    first = reader.latestOffset(reader.initialOffset(), None)
    partitions = reader.partitions({}, first)
    next(reader.read(partitions[0])).num_rows  # noqa: B018 (as a limit does: the rest is never asked for)
    with pytest.raises(BatchUnread, match="let each batch use its whole DataFrame"):
        reader.latestOffset(first, None)


def test_two_attempts_at_once_end_a_shard_once(server: KinesisServer, tmp_path: Path) -> None:
    """Two attempts as speculation makes them: the second one to end finds another end, and is tried again."""
    stream, options = server.kinesis.stream("orders"), SourceOptions.parse(options_of(server, tmp_path))
    put(server.kinesis, 0, 10)
    wanted = ShardRange(ShardKey("orders", stream.found.created_ms, stream.shards[0].id), "TRIM_HORIZON", None, "q", 1)
    slow = read_range(options, wanted, FrameRows(None, options))
    next(slow)
    put(server.kinesis, 10, 10)
    fast = [batch.num_rows for batch in read_range(options, wanted, FrameRows(None, options))]
    with pytest.raises(EndsDiffer):
        list(slow)
    assert [batch.num_rows for batch in read_range(options, wanted, FrameRows(None, options))] == fast


def test_records_that_are_gone_stop_the_query_unless_it_says_that_it_goes_on(
    server: KinesisServer, tmp_path: Path
) -> None:
    checkpoint, options = Checkpoint(), options_of(server, tmp_path)
    put(server.kinesis, 0, 10)
    Query(options, checkpoint).run(1)
    put(server.kinesis, 10, 10)
    server.kinesis.clock.advance(hours=25)  # type: ignore[attr-defined]
    put(server.kinesis, 20, 10)
    with pytest.raises(SourceRecordsLost, match="failOnDataLoss"):
        Query(options, checkpoint).run(1)
    Query({**options, "failOnDataLoss": "false"}, checkpoint).run(1)
    assert checkpoint.ids() == Counter([*range(10), *range(20, 30)])


def test_a_stream_that_was_made_again_is_another_one(server: KinesisServer, tmp_path: Path) -> None:
    checkpoint, options = Checkpoint(), options_of(server, tmp_path)
    put(server.kinesis, 0, 1)
    Query(options, checkpoint).run(1)
    server.kinesis.stream("orders").delete()
    server.kinesis.clock.advance(seconds=60)  # type: ignore[attr-defined]
    server.kinesis.create_stream("orders")
    with pytest.raises(StreamReplaced):
        Query(options, checkpoint).run(1)


def test_a_checkpoint_of_another_stream_is_refused(server: KinesisServer, tmp_path: Path) -> None:
    checkpoint = Checkpoint()
    Query(options_of(server, tmp_path), checkpoint).run(1)
    server.kinesis.create_stream("others")
    with pytest.raises(OffsetForeign, match="'orders'"):
        Query({**options_of(server, tmp_path), "stream": "others"}, checkpoint).run(1)
    with pytest.raises(OffsetForeign):
        StreamOffset.from_document({"version": 7}, "orders")
    with pytest.raises(OffsetForeign):
        StreamOffset.from_document({"version": 1, "starts": {}}, "orders")


def test_queries_that_share_a_folder_share_no_ends_and_old_ones_are_removed(
    server: KinesisServer, tmp_path: Path
) -> None:
    put(server.kinesis, 0, 10)
    both = [Checkpoint(), Checkpoint()]
    for checkpoint in both:
        Query(options_of(server, tmp_path), checkpoint).run(2)
        assert checkpoint.ids() == each_once(10)
    assert len(list(tmp_path.iterdir())) == 2
    ends = BatchEnds.of(SourceOptions.parse(options_of(server, tmp_path)), "third")
    ends.put(1, "shardId-000000000000", ShardEnd(END))
    ends.put(102, "shardId-000000000000", ShardEnd(END, is_cut=True))
    ends.forget_before(101)
    assert (ends.of_batch(1), ends.of_batch(102)) == ({}, {"shardId-000000000000": ShardEnd(END, is_cut=True)})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stream": ""}, "stream: is required"),
        ({"startingPosition": "earliest"}, "startingPosition: must be trim_horizon, latest or a time"),
        ({"startingPosition": "2026-01-01T00:00:00"}, "needs an offset"),
        ({"maxRecordsPerShard": "0"}, "maxRecordsPerShard: must be more than 0"),
        ({"failOnDataLoss": "no"}, "failOnDataLoss: must be true or false"),
        ({"metadataPath": "hdfs://name/folder"}, "metadataPath: must be a folder or s3://BUCKET/FOLDER/"),
        ({"initialPosition": "latest"}, "initialPosition: unknown option; choose from caFile"),
        ({"roleArn": "reader"}, "credentials.roles.0.arn"),
    ],
)
def test_options_that_can_not_be_used_are_named_when_the_query_is_made(change: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said.replace(".", r"\.")):
        KinesisDataSource({"stream": "orders", "region": "us-east-1", "metadataPath": "/ends", **change})


def test_a_stream_without_a_place_for_its_ends_is_refused() -> None:
    with pytest.raises(ConfigError, match="metadataPath: is required for a stream"):
        KinesisDataSource({"stream": "orders", "region": "us-east-1"}).streamReader(None).initialOffset()  # type: ignore[arg-type]
