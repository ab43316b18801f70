"""A shard that is read by fan-out, through the real botocore and a server's event stream."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.kinesis import subscription
from firnline_ingest.kinesis.client import subscribing_client
from firnline_ingest.kinesis.consumer_errors import (
    ConsumerElsewhere,
    ConsumerGone,
    ConsumerMissing,
    ConsumerShared,
    SubscriptionTaken,
)
from firnline_ingest.kinesis.consumers import Consumers
from firnline_ingest.kinesis.errors import StreamKeyUnusable, StreamUnreachable
from firnline_ingest.kinesis.fan_out import FanOutSource
from firnline_ingest.kinesis.reader import Gap, Read, ShardReader
from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.kinesis.turns import SILENT_S, TURN_S, Turns
from firnline_ingest.values import Position, ShardKey
from firnline_local.kinesis import FakeKinesis, Fault, FaultKind, KinesisServer, ManualClock
from tests.fakes.clock import Clock
from tests.ingest.kinesis.conftest import numbers

EVENT = "kinesis:SubscribeToShardEvent"


def register(kinesis: FakeKinesis, stream_arn: str, name: str) -> str:
    made = kinesis.call("RegisterStreamConsumer", {"StreamARN": stream_arn, "ConsumerName": name})
    return str(made["Consumer"]["ConsumerARN"])


class World:
    """One stream behind a server, and readers whose waiting moves its clock."""

    def __init__(self, kinesis: FakeKinesis, clock: ManualClock, endpoint: str) -> None:
        self.kinesis, self.clock = kinesis, clock
        self.stream = kinesis.create_stream("events")
        self.client = subscribing_client(AwsConfig(region="us-east-1", endpoints={"kinesis": endpoint}), connections=4)
        self.arn = self.register("one")
        self.readers: list[ShardReader] = []

    def register(self, name: str) -> str:
        return register(self.kinesis, self.stream.arn, name)

    def deregister(self) -> None:
        self.kinesis.call("DeregisterStreamConsumer", {"ConsumerARN": self.arn})

    def reader(self, start: Start | None = None, shard: int = 0, *, is_registered_here: bool = False) -> ShardReader:
        key = ShardKey("events", self.stream.found.created_ms, self.stream.shards[shard].id)
        looks: Any = {"is_registered_here": is_registered_here, "clock": self.seconds, "poll_interval_s": 5}
        source = FanOutSource(self.client, key, self.arn, Consumers(self.client), **looks)
        options: Any = {"source": source, "clock": self.seconds, "jitter": lambda: 1.0}
        reader = ShardReader(self.client, key, start or TrimHorizon(), PollingConfig(), **options)
        self.readers.append(reader)
        return reader

    def read(
        self, reader: ShardReader, until: Callable[[Read], Any] = lambda read: read.records or read.is_end
    ) -> Read:
        """The next answer that says something."""
        for _ in range(30):
            answer = reader.read(self.wait)
            if answer is not None and until(answer):
                return answer
        raise AssertionError(f"nothing was read: {reader.trouble}")

    def wait(self, seconds: float) -> bool:
        self.clock.advance(seconds=seconds)
        return False

    def seconds(self) -> float:
        return self.clock.now.timestamp()

    def close(self) -> None:
        for reader in self.readers:
            reader.close()
        self.client.close()


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "fake")
    clock = ManualClock()
    kinesis = FakeKinesis(clock=clock)
    with KinesisServer(kinesis) as server:
        world = World(kinesis, clock, server.endpoint)
        yield world
        world.close()


def test_a_shard_is_read_as_its_records_arrive(world: World) -> None:
    world.stream.shard(records=3)
    reader = world.reader()
    assert numbers(world.read(reader)) == [0, 1, 2]
    world.clock.advance(seconds=1)
    world.stream.put({"n": 3})
    read = world.read(reader)
    assert (numbers(read), read.behind_ms, read.is_end) == ([3], 0, False)


def test_a_subscription_that_ended_is_renewed_at_once_and_nothing_is_lost_or_doubled(world: World) -> None:
    world.stream.shard(records=2)
    reader = world.reader()
    assert numbers(world.read(reader)) == [0, 1]
    ended_s = world.seconds() + 300
    world.clock.advance(minutes=5)
    world.stream.put({"n": 2})
    assert (numbers(world.read(reader)), world.seconds()) == ([2], ended_s)
    assert reader.trouble is None


def test_what_was_read_last_is_asked_for_again_so_that_a_loss_is_noticed(world: World) -> None:
    world.stream.shard(records=2)
    reader = world.reader()
    last = world.stream.records[-1].sequence_number
    world.read(reader)
    world.clock.advance(hours=30)
    first = world.stream.put({"n": 2}).sequence_number
    read = world.read(reader)
    assert read.gap == Gap(Position(last), Position(first))


def test_an_idle_shard_goes_on_at_the_number_that_the_service_named(world: World) -> None:
    reader = world.reader(AtTimestamp(int(world.seconds() * 1000)))
    assert world.read(reader, lambda read: read.is_at_tip).answered_ms == int(world.seconds() * 1000)
    world.clock.advance(minutes=5)
    world.stream.put({"n": 0})
    assert numbers(world.read(reader)) == [0]


def test_what_arrived_before_the_position_is_not_read_where_an_idle_shard_goes_on(world: World) -> None:
    """The number that the service names is that of the newest record, which may be older than a position in time."""
    world.stream.shard(records=2)
    world.clock.advance(seconds=10)
    reader = world.reader(AtTimestamp(int(world.seconds() * 1000)))
    world.read(reader, lambda read: read.is_at_tip)
    world.clock.advance(minutes=5)
    world.stream.put({"n": 2})
    assert numbers(world.read(reader)) == [2]


def test_a_restart_begins_at_the_position_whose_record_may_be_an_aggregate_that_was_taken_in_part(world: World) -> None:
    world.stream.shard(records=3)
    start = After(Position(world.stream.records[1].sequence_number))
    read = world.read(world.reader(start))
    assert (numbers(read), read.gap) == ([1, 2], None)


def test_a_closed_shard_ends_with_its_children(world: World) -> None:
    parent = world.stream.shard(records=1)
    children = parent.split()
    reader = world.reader()
    read = world.read(reader, lambda read: read.is_end)
    assert read.children == tuple(child.id for child in children)


def test_an_end_without_children_needs_a_listing_that_bears_it_out(world: World) -> None:
    children = world.stream.shard(records=1).split()
    world.kinesis.liberties.childless_ends = 9
    reader = world.reader()
    read = world.read(reader, lambda read: read.is_end)
    assert (read.children, reader.unreadable_pages) == (tuple(child.id for child in children), 2)


def test_a_stream_that_is_cut_goes_on_behind_what_was_read(world: World) -> None:
    world.stream.shard(records=1)
    reader = world.reader()
    assert numbers(world.read(reader)) == [0]
    world.kinesis.faults.replace([Fault(endpoint=EVENT, kind=FaultKind.CUT, times=1)])
    world.stream.put({"n": 1})
    reader.read(world.wait)
    assert isinstance(reader.trouble, StreamUnreachable)
    assert numbers(world.read(reader)) == [1]


def test_what_is_no_event_is_counted_and_asked_for_again(world: World) -> None:
    world.stream.shard(records=1)
    world.kinesis.faults.replace([Fault(endpoint=EVENT, kind=FaultKind.BODY, body="<html>" * 9, times=1)])
    reader = world.reader()
    assert numbers(world.read(reader)) == [0]
    assert reader.unreadable_pages == 1


@pytest.mark.parametrize("code", ["InternalFailureException", "KMSThrottlingException"])
def test_an_error_in_the_stream_that_passes_is_waited_out(world: World, code: str) -> None:
    world.stream.shard(records=1)
    world.kinesis.faults.replace([Fault(endpoint=EVENT, kind=FaultKind.ERROR, code=code, times=1)])
    assert numbers(world.read(world.reader())) == [0]


def test_a_key_that_is_off_stops_the_shard(world: World) -> None:
    world.kinesis.faults.replace([Fault(endpoint=EVENT, kind=FaultKind.ERROR, code="KMSDisabledException")])
    world.stream.shard(records=1)
    with pytest.raises(StreamKeyUnusable):
        world.read(world.reader())


def test_a_subscription_within_five_seconds_of_another_is_waited_for(world: World) -> None:
    world.stream.shard(records=1)
    first = world.reader()
    world.read(first)
    first.close()
    second = world.reader()
    second.read(world.wait)
    assert isinstance(second.trouble, SubscriptionTaken)
    assert numbers(world.read(second)) == [0]


def test_two_readers_of_one_consumer_are_told_so(world: World) -> None:
    one, other = world.reader(), world.reader()

    def disturb_each_other() -> None:
        for _ in range(100):
            for reader in (one, other):
                reader.read(world.wait)
                world.clock.advance(seconds=6)

    with pytest.raises(ConsumerShared):
        disturb_each_other()


def test_a_consumer_that_is_not_there_is_named(world: World) -> None:
    world.deregister()
    with pytest.raises(ConsumerMissing, match="consumer/one"):
        world.read(world.reader())


def test_a_consumer_of_another_stream_is_refused_before_its_records_are_taken_for_this_ones(world: World) -> None:
    other = world.kinesis.create_stream("other")
    other.put({"n": 7})
    world.arn = register(world.kinesis, other.arn, "one")
    with pytest.raises(ConsumerElsewhere, match="stream/other"):
        world.read(world.reader())


def test_a_consumer_that_is_being_deregistered_is_waited_for_and_then_missed(world: World) -> None:
    world.kinesis.account.consumer_change_s = 20
    world.deregister()
    reader = world.reader()
    reader.read(world.wait)
    assert "DELETING" in str(reader.trouble)
    world.clock.advance(seconds=20)
    with pytest.raises(ConsumerMissing):
        world.read(reader)


def test_a_consumer_that_is_deregistered_while_it_is_read_through_is_named(world: World) -> None:
    reader = world.reader()
    world.read(reader, lambda read: read.is_at_tip)
    world.deregister()
    with pytest.raises(ConsumerMissing, match="consumer/one"):
        world.read(reader)


def test_one_that_the_engine_registers_itself_is_waited_for(world: World) -> None:
    reader = world.reader(is_registered_here=True)
    world.read(reader, lambda read: read.is_at_tip)
    world.deregister()
    for _ in range(5):
        assert reader.read(world.wait) is None
    assert isinstance(reader.trouble, ConsumerGone)


def test_a_reader_that_stalls_keeps_its_place_and_little_in_memory(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscription, "AHEAD_BYTES", 50_000)
    world.kinesis.account.read_limits = False
    reader = world.reader()
    world.read(reader, lambda read: read.is_at_tip)
    for number in range(400):
        world.stream.put({"n": f"{number:06d}" + "x" * 100_000})
    source: Any = reader._source
    got = [record.Data[6:12] for record in world.read(reader).records]
    assert source._subscription._ahead_bytes < 3_000_000
    while len(got) < 400:
        got += [record.Data[6:12] for record in world.read(reader).records]
    assert got == [b"%06d" % number for number in range(400)]


def test_a_process_has_more_subscriptions_at_once_than_its_client_keeps_connections(world: World) -> None:
    """A subscription holds its connection for minutes: none waits for another's, and other calls go on beside them."""
    many = world.kinesis.create_stream("many", shards=16)
    consumers, arn = Consumers(world.client), register(world.kinesis, many.arn, "one")
    keys = [ShardKey("many", many.found.created_ms, shard.id) for shard in many.shards]
    sources = [FanOutSource(world.client, key, arn, consumers, clock=world.seconds, poll_interval_s=5) for key in keys]
    assert [source.page(TrimHorizon()) is not None for source in sources] == [True] * len(sources)
    for number, shard in enumerate(many.shards):
        shard.put(b'{"n":%d}' % number)
    pages = [source.page(TrimHorizon()) for source in sources]
    assert [page and page.records[0].Data for page in pages] == [b'{"n":%d}' % number for number in range(len(keys))]
    assert world.client.list_shards(StreamName="many")["Shards"]
    for source in sources:
        source.close()


def test_shards_take_turns_where_a_process_may_hold_fewer_subscriptions_and_each_goes_on_where_it_was(
    world: World,
) -> None:
    few = world.kinesis.create_stream("few", shards=3)
    consumers, arn = Consumers(world.client), register(world.kinesis, few.arn, "one")
    keys = [ShardKey("few", few.found.created_ms, shard.id) for shard in few.shards]
    looks: Any = {"turns": Turns(1), "clock": world.seconds, "poll_interval_s": 0.1}
    sources = [FanOutSource(world.client, key, arn, consumers, **looks) for key in keys]
    readers = [
        ShardReader(world.client, key, TrimHorizon(), PollingConfig(), source=source, clock=world.seconds)
        for key, source in zip(keys, sources, strict=True)
    ]
    got: list[list[bytes]] = [[] for _ in keys]
    held: list[int] = []
    for number in range(120):
        if number % 30 == 0:
            for shard in few.shards:
                shard.put(b'{"n":%d}' % (number // 30))
        for at, reader in enumerate(readers):
            read = reader.read(lambda _: False)
            got[at] += [record.Data for record in read.records] if read else []
        now = [at for at, source in enumerate(sources) if source._subscription is not None]
        assert len(now) <= 1
        held += [at for at in now if held[-1:] != [at]]
        world.clock.advance(seconds=1)
    assert [sorted(set(each)) for each in got] == [[b'{"n":%d}' % n for n in range(4)]] * 3
    assert held[:6] == [0, 1, 2, 0, 1, 2]
    assert len(held) <= 120 / TURN_S + 1
    for reader in readers:
        reader.close()


def test_whoever_stops_makes_room_and_who_waits_no_longer_keeps_no_place() -> None:
    turns, (first, second, third) = Turns(1), (object(), object(), object())
    assert [turns.take(each) for each in (first, second, third)] == [True, False, False]
    assert [turns.is_over(first, held_s) for held_s in (TURN_S - 1, TURN_S)] == [False, True]
    turns.give_back(second)
    turns.give_back(first)
    assert turns.take(third)
    assert not turns.is_over(third, TURN_S)


def test_a_shard_whose_thread_does_not_come_back_keeps_no_place_and_none_among_those_that_wait() -> None:
    clock = Clock()
    turns, (hangs, hangs_too, waits) = Turns(1, clock), (object(), object(), object())
    assert [turns.take(each) for each in (hangs, hangs_too)] == [True, False]
    clock.now_s += SILENT_S - 1
    assert (turns.is_over(hangs, 5.0), turns.take(waits)) == (False, False)
    clock.now_s += SILENT_S - 1
    assert not turns.take(waits)
    clock.now_s += 1
    assert turns.take(waits), "the other one was not seen for a minute"
    assert turns.is_over(hangs, 5.0), "its place is another's"
    assert not turns.take(hangs)
