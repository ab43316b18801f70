import doctest
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock, fake


@pytest.fixture
def eager_threads() -> Iterator[None]:
    """Threads take turns so often that what isn't locked goes wrong."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("eager_threads")
def test_puts_from_many_threads_each_get_a_number_of_their_own(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard()

    def produce(producer: int) -> list[str]:
        request = {"StreamName": "orders", "Data": b"x", "PartitionKey": str(producer)}
        return [kinesis.call("PutRecord", request)["SequenceNumber"] for _ in range(200)]

    with ThreadPoolExecutor(8) as pool:
        given = [number for numbers in pool.map(produce, range(8)) for number in numbers]
    kept = [record.sequence_number for record in shard.records]
    assert kept == sorted(map(int, given))
    assert len(set(kept)) == 8 * 200


def test_arrival_times_of_a_shard_never_fall_even_if_the_clock_does(kinesis: FakeKinesis, clock: ManualClock) -> None:
    shard = kinesis.create_stream("orders").shard(records=1)
    before = clock.now
    clock.now -= timedelta(hours=1)
    assert shard.put("x").arrived_at == before


def test_a_refusal_crosses_processes_whole() -> None:
    with pytest.raises(FakeKinesisError) as refusal:
        FakeKinesis().stream("orders")
    again = pickle.loads(pickle.dumps(refusal.value))
    assert (again.code, again.message, again.status) == (
        "ResourceNotFoundException",
        "Stream orders under account 123456789012 not found.",
        400,
    )


def test_the_example_in_its_docstring_runs() -> None:
    ran = doctest.testmod(fake)
    assert ran.attempted > 10
    assert not ran.failed
