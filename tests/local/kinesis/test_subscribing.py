"""SubscribeToShard with the real botocore, over HTTP: a stream of events that it parses by itself."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from urllib3.exceptions import HTTPError

from firnline_local.kinesis import FakeKinesis, Fault, FaultKind, KinesisServer, ManualClock, StreamHandle

HORIZON = {"Type": "TRIM_HORIZON"}


class World:
    def __init__(self, endpoint: str, kinesis: FakeKinesis, clock: ManualClock) -> None:
        self.kinesis, self.clock = kinesis, clock
        self.open: list[Any] = []
        self.stream: StreamHandle = kinesis.create_stream("events")
        self.client: Any = boto3.client(
            "kinesis",
            region_name="us-east-1",
            endpoint_url=endpoint,
            aws_access_key_id="fake",
            aws_secret_access_key="fake",
            config=Config(retries={"total_max_attempts": 1}, read_timeout=10),
        )

    def consumer(self, name: str = "one") -> str:
        made = self.client.register_stream_consumer(StreamARN=self.stream.arn, ConsumerName=name)
        return str(made["Consumer"]["ConsumerARN"])

    def subscribe(self, arn: str, position: dict[str, Any] | None = None, shard: int = 0) -> Iterator[Any]:
        answer = self.client.subscribe_to_shard(
            ConsumerARN=arn, ShardId=self.stream.shard(shard).id, StartingPosition=position or HORIZON
        )
        self.open.append(answer["EventStream"])
        return iter(answer["EventStream"])

    def close(self) -> None:
        for events in self.open:
            events.close()
        self.client.close()


@pytest.fixture
def world() -> Iterator[World]:
    clock = ManualClock()
    kinesis = FakeKinesis(clock=clock)
    with KinesisServer(kinesis) as server:
        world = World(server.endpoint, kinesis, clock)
        yield world
        world.close()


def pushed(events: Iterator[Any]) -> Any:
    return next(events)["SubscribeToShardEvent"]


def refusal(call: Any) -> str:
    with pytest.raises(ClientError) as refused:
        call()
    return str(refused.value.response["Error"]["Code"])


def test_what_is_there_comes_first_and_what_arrives_follows(world: World) -> None:
    world.stream.shard(records=2)
    events = world.subscribe(world.consumer())
    first = pushed(events)
    assert ([record["Data"] for record in first["Records"]], first["MillisBehindLatest"]) == (
        [b'{"n":0}', b'{"n":1}'],
        0,
    )
    assert first["ContinuationSequenceNumber"] == first["Records"][-1]["SequenceNumber"]
    world.clock.advance(seconds=1)
    world.stream.put({"n": 2})
    assert pushed(events)["Records"][0]["Data"] == b'{"n":2}'


def test_a_shard_without_records_gets_an_event_now_and_then(world: World) -> None:
    events = world.subscribe(world.consumer())
    assert pushed(events)["Records"] == []
    world.clock.advance(seconds=5)
    assert pushed(events)["MillisBehindLatest"] == 0


def test_it_ends_after_five_minutes_and_goes_on_at_the_number_that_it_named(world: World) -> None:
    world.stream.shard(records=3)
    arn = world.consumer()
    events = world.subscribe(arn)
    number = pushed(events)["ContinuationSequenceNumber"]
    world.clock.advance(minutes=5)
    assert list(events) == []
    world.stream.put({"n": 3})
    again = pushed(world.subscribe(arn, {"Type": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": number}))
    assert [record["Data"] for record in again["Records"]] == [b'{"n":3}']


def test_a_closed_shard_ends_with_its_children(world: World) -> None:
    parent = world.stream.shard(records=1)
    children = parent.split()
    events = list(world.subscribe(world.consumer()))
    last = events[-1]["SubscribeToShardEvent"]
    assert [child["ShardId"] for child in last["ChildShards"]] == [child.id for child in children]
    assert "ContinuationSequenceNumber" not in last


def test_a_second_subscription_is_refused_for_five_seconds_and_takes_over_after_them(world: World) -> None:
    arn = world.consumer()
    events = world.subscribe(arn)
    pushed(events)
    world.clock.advance(seconds=4.9)
    assert refusal(lambda: world.subscribe(arn)) == "ResourceInUseException"
    world.clock.advance(seconds=1)
    taken = world.subscribe(arn)
    assert refusal(lambda: list(events)) == "ResourceInUseException"
    assert pushed(taken)["Records"] == []


def test_two_consumers_do_not_disturb_each_other(world: World) -> None:
    world.stream.shard(records=1)
    both = [world.subscribe(world.consumer(name)) for name in ("one", "two")]
    assert [len(pushed(events)["Records"]) for events in both] == [1, 1]


def test_a_consumer_has_to_be_active(world: World) -> None:
    world.kinesis.account.consumer_change_s = 10
    arn = world.consumer()
    assert refusal(lambda: world.subscribe(arn)) == "ResourceInUseException"
    described = world.client.describe_stream_consumer(ConsumerARN=arn)["ConsumerDescription"]
    assert described["ConsumerStatus"] == "CREATING"
    world.clock.advance(seconds=10)
    assert pushed(world.subscribe(arn))["Records"] == []


def test_the_name_of_a_consumer_is_free_once_it_is_gone(world: World) -> None:
    arn = world.consumer()
    world.kinesis.account.consumer_change_s = 10
    world.client.deregister_stream_consumer(ConsumerARN=arn)
    assert refusal(world.consumer) == "ResourceInUseException"
    world.clock.advance(seconds=10)
    assert world.consumer() != arn


def test_a_consumer_that_is_deregistered_ends_its_subscription(world: World) -> None:
    arn = world.consumer()
    events = world.subscribe(arn)
    pushed(events)
    world.client.deregister_stream_consumer(ConsumerARN=arn)
    assert refusal(lambda: list(events)) == "ResourceNotFoundException"
    assert refusal(lambda: world.subscribe(arn)) == "ResourceNotFoundException"


def test_an_error_in_the_stream_has_its_code(world: World) -> None:
    events = world.subscribe(world.consumer())
    fault = Fault(endpoint="kinesis:SubscribeToShardEvent", kind=FaultKind.ERROR, code="KMSDisabledException")
    world.kinesis.faults.replace([fault])
    world.stream.put("x")
    assert refusal(lambda: list(events)) == "KMSDisabledException"


def test_a_stream_that_is_cut_is_no_end(world: World) -> None:
    world.kinesis.faults.replace([Fault(endpoint="kinesis:SubscribeToShardEvent", kind=FaultKind.CUT)])
    with pytest.raises(HTTPError):
        list(world.subscribe(world.consumer()))


def test_no_more_than_two_mebibytes_a_second_are_pushed(world: World) -> None:
    for _ in range(3):
        world.stream.put(b"x" * 1_000_000)
    events = world.subscribe(world.consumer())
    assert len(pushed(events)["Records"]) == 1
    world.clock.advance(seconds=0.4)
    world.clock.advance(seconds=0.1)
    assert len(pushed(events)["Records"]) == 1
