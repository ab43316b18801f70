"""format("kinesis") by fan-out, beside what test_stream.py and test_batch.py read in both ways: who is asked, and how often."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.datasource import KinesisDataSource, shard, source
from firnline_ingest.errors import ConfigError
from firnline_ingest.kinesis.consumer_errors import ConsumerElsewhere, ConsumerMissing
from firnline_local.kinesis import FakeKinesis, KinesisServer, ManualClock
from firnline_local.kinesis.operations import subscriptions
from tests.contract.datasource.query import Checkpoint, Query, consumer_of, options_of, put, subscribe
from tests.contract.datasource.test_batch import read

pytestmark = pytest.mark.contract


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[KinesisServer]:
    monkeypatch.setattr(source, "PLAN_EVERY_S", 0.0)
    with KinesisServer(FakeKinesis(clock=ManualClock(), read_limits=False)) as server:
        server.kinesis.create_stream("orders", shards=2)
        subscribe(server, monkeypatch)
        yield server


@pytest.fixture
def called(server: KinesisServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operations that the service was asked for, in order."""
    seen: list[str] = []
    handle, subscribed = server.kinesis.handle, server.kinesis.subscribe

    def noted(operation: str, body: bytes) -> bytes:
        seen.append(operation)
        return handle(operation, body)

    def noted_subscription(body: bytes) -> Any:
        seen.append("SubscribeToShard")
        return subscribed(body)

    monkeypatch.setattr(server.kinesis, "handle", noted)
    monkeypatch.setattr(server.kinesis, "subscribe", noted_subscription)
    return seen


def test_each_batch_subscribes_to_each_open_shard_and_asks_for_no_page(
    server: KinesisServer, tmp_path: Path, called: list[str]
) -> None:
    put(server.kinesis, 0, 10)
    Query(options_of(server, tmp_path), checkpoint := Checkpoint()).run(3)
    assert checkpoint.ids() == Counter(range(10))
    assert (called.count("SubscribeToShard"), called.count("GetRecords")) == (6, 0)


def test_a_batch_waits_for_the_five_seconds_in_which_a_shard_takes_no_second_subscription(
    server: KinesisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriptions, "AGAIN_AFTER_MS", 5_000)
    clock: Any = server.kinesis.clock

    def sleep(seconds: float) -> bool:
        clock.advance(seconds=seconds)
        return False

    monkeypatch.setattr(shard, "_sleep", sleep)
    began = clock.now
    query = Query(options_of(server, tmp_path), checkpoint := Checkpoint())
    for first in (0, 10, 20):
        put(server.kinesis, first, 10)
        query.run(1)
    assert checkpoint.ids() == Counter(range(30))
    assert (clock.now - began).total_seconds() >= 10


def test_a_consumer_is_found_by_its_name(server: KinesisServer, tmp_path: Path) -> None:
    named = {**options_of(server, tmp_path), "consumerName": "spark"}
    del named["consumerArn"]
    put(server.kinesis, 0, 10)
    Query(named, checkpoint := Checkpoint()).run(1)
    assert checkpoint.ids() == Counter(range(10))
    assert read(server, consumerArn="", consumerName="spark") == list(range(10))
    with pytest.raises(ConfigError, match="give one of consumerArn and consumerName"):
        KinesisDataSource({**named, **consumer_of(server)})


@pytest.mark.parametrize("option", ["consumerArn", "consumerName"])
def test_a_consumer_that_is_not_there_stops_a_query_and_a_batch(
    server: KinesisServer, tmp_path: Path, option: str
) -> None:
    other = {"consumerArn": "", option: "gone"}
    if option == "consumerArn":
        other = {option: f"{consumer_of(server)[option].rpartition(':')[0]}:1"}
    with pytest.raises(ConsumerMissing, match="'orders' has no registered consumer"):
        Query({**options_of(server, tmp_path), **other}, Checkpoint()).run(1)
    with pytest.raises(ConsumerMissing, match="'orders' has no registered consumer"):
        read(server, **other)


def test_a_consumer_of_another_stream_is_refused(server: KinesisServer, tmp_path: Path) -> None:
    server.kinesis.create_stream("others")
    with pytest.raises(ConsumerElsewhere):
        Query({**options_of(server, tmp_path), "stream": "others"}, Checkpoint()).run(1)
