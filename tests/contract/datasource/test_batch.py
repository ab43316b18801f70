"""A batch read over format("kinesis"): a window of a stream, each record in it once."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from firnline_ingest.datasource import KinesisDataSource, source
from firnline_ingest.errors import ConfigError
from firnline_local.kinesis import FakeKinesis, KinesisServer, ManualClock
from tests.contract.datasource.query import consumer_of, put, subscribe

pytestmark = pytest.mark.contract


@pytest.fixture(params=["polling", "fan-out"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[KinesisServer]:
    """A stream that each test reads in both ways."""
    with KinesisServer(FakeKinesis(clock=ManualClock(), read_limits=False)) as server:
        server.kinesis.create_stream("orders", shards=2)
        if request.param == "fan-out":
            subscribe(server, monkeypatch)
        yield server


def read(server: KinesisServer, **more: str) -> list[int]:
    options = {"stream": "orders", "region": "us-east-1", "endpoint": server.endpoint, **consumer_of(server), **more}
    reader: Any = KinesisDataSource(options).reader(None)  # type: ignore[arg-type]
    batches = [batch for partition in reader.partitions() for batch in reader.read(partition)]
    return sorted(json.loads(data.as_py())["n"] for batch in batches for data in batch.column("data"))


def test_everything_that_had_arrived_is_read_through_a_resharding(server: KinesisServer) -> None:
    put(server.kinesis, 0, 10)
    server.kinesis.stream("orders").shards[0].split()
    put(server.kinesis, 10, 10)
    assert read(server) == list(range(20))


def test_a_listing_that_lacks_a_parent_is_asked_for_again(
    server: KinesisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "PLAN_EVERY_S", 0.0)
    put(server.kinesis, 0, 10)
    parent = server.kinesis.stream("orders").shards[0]
    parent.split()
    put(server.kinesis, 10, 10)
    parent.leave_out(2)
    assert read(server) == list(range(20))


def test_a_window_has_what_arrived_between_its_times(server: KinesisServer) -> None:
    put(server.kinesis, 0, 5)
    server.kinesis.clock.advance(minutes=10)  # type: ignore[attr-defined]
    begin = server.kinesis.clock.now - timedelta(seconds=1)
    put(server.kinesis, 5, 5)
    end = server.kinesis.clock.now + timedelta(seconds=1)
    server.kinesis.clock.advance(minutes=10)  # type: ignore[attr-defined]
    put(server.kinesis, 10, 5)
    times = {"startingPosition": begin.isoformat(), "endingPosition": end.isoformat()}
    assert read(server, **times) == list(range(5, 10))
    with pytest.raises(ConfigError, match="endingPosition: must not be before"):
        read(server, startingPosition=end.isoformat(), endingPosition=begin.isoformat())


def test_latest_is_refused_where_nothing_could_come(server: KinesisServer) -> None:
    with pytest.raises(ConfigError, match="startingPosition: latest leaves nothing"):
        read(server, startingPosition="latest")
