"""Against the fake Kinesis, through a real botocore client."""

from collections.abc import Callable

import pytest

from firnline_infra.audit.errors import StreamSilent
from firnline_infra.audit.shard_scan import READ_EVERY_S, SHARD_BYTES_PER_S, TIMEOUT_S, ShardScan
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.errors import StreamForbidden
from firnline_local.clock import ManualClock
from firnline_local.faults import Fault, FaultKind
from firnline_local.kinesis import FakeKinesis


class Time:
    """Passes only while somebody sleeps; the stream's clock goes with it."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.now_s = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds
        self.clock.advance(seconds=seconds)


@pytest.fixture
def kinesis() -> FakeKinesis:
    fake = FakeKinesis(clock=ManualClock(), empty_page_every=3)
    fake.create_stream("orders")
    return fake


@pytest.fixture
def time(kinesis: FakeKinesis) -> Time:
    assert isinstance(kinesis.clock, ManualClock)
    return Time(kinesis.clock)


@pytest.fixture
def reader_of(kinesis: FakeKinesis, time: Time) -> Callable[[str], ShardScan]:
    def reader(shard_id: str) -> ShardScan:
        client = kinesis_client(AwsConfig(region="us-east-1", endpoints={"kinesis": "http://fake.invalid"}))
        kinesis.connect(client)
        return ShardScan(client, "orders", shard_id, sleep=time.sleep, clock=lambda: time.now_s)

    return reader


ReaderOf = Callable[[str], ShardScan]


def test_it_reads_every_record_once_in_order_and_past_empty_pages(kinesis: FakeKinesis, reader_of: ReaderOf) -> None:
    shard = kinesis.stream("orders").shard(0)
    for number in range(40):
        shard.put(bytes(1_000_000) + str(number).encode())  # four pages of 10 MiB
    numbers = [int(record.SequenceNumber) for record in reader_of(shard.id).records()]
    assert numbers == [record.sequence_number for record in shard.records]


def test_a_closed_shard_is_read_to_its_end(kinesis: FakeKinesis, reader_of: ReaderOf) -> None:
    shard = kinesis.stream("orders").shard(0, records=5)
    shard.split()
    reader = reader_of(shard.id)
    assert len(list(reader.records())) == 5


def test_the_first_record_is_the_oldest_that_is_kept(kinesis: FakeKinesis, reader_of: ReaderOf, time: Time) -> None:
    shard = kinesis.stream("orders").shard(0, records=3)
    time.clock.advance(hours=25)
    kept = shard.put({"n": 3})
    first = reader_of(shard.id).first()
    assert first is not None
    assert int(first.SequenceNumber) == kept.sequence_number


def test_an_empty_shard_has_no_first_record(kinesis: FakeKinesis, reader_of: ReaderOf) -> None:
    assert reader_of(kinesis.stream("orders").shard(0).id).first() is None


def test_reads_keep_to_what_a_shard_gives(kinesis: FakeKinesis, reader_of: ReaderOf, time: Time) -> None:
    shard = kinesis.stream("orders").shard(0)
    for _ in range(20):
        shard.put(bytes(1_000_000))
    assert len(list(reader_of(shard.id).records())) == 20
    assert time.now_s >= 10_000_000 / SHARD_BYTES_PER_S  # after ten records, the first page is full
    assert [pause for pause in time.slept if 0 < pause < READ_EVERY_S] == []


def test_an_iterator_that_expired_is_replaced_where_reading_stood(
    kinesis: FakeKinesis, reader_of: ReaderOf, time: Time
) -> None:
    shard = kinesis.stream("orders").shard(0)
    for number in range(20):
        shard.put(bytes(1_000_000) + bytes([number]))
    seen = []
    for record in reader_of(shard.id).records():
        seen.append(int(record.SequenceNumber))
        if len(seen) == 5:
            time.sleep(301)
    assert seen == [record.sequence_number for record in shard.records]


@pytest.mark.parametrize(
    "code", ["ProvisionedThroughputExceededException", "InternalFailure", "InvalidArgumentException"]
)
def test_trouble_that_passes_is_waited_out(kinesis: FakeKinesis, reader_of: ReaderOf, code: str) -> None:
    shard = kinesis.stream("orders").shard(0, records=3)
    kinesis.faults.replace([Fault(endpoint="kinesis:*", kind=FaultKind.ERROR, status=400, code=code, times=4)])
    assert len(list(reader_of(shard.id).records())) == 3


def test_a_shard_that_stays_silent_is_given_up(kinesis: FakeKinesis, reader_of: ReaderOf, time: Time) -> None:
    shard = kinesis.stream("orders").shard(0, records=3)
    kinesis.faults.replace([Fault(endpoint="kinesis:GetRecords", kind=FaultKind.CUT)])
    with pytest.raises(StreamSilent, match=f"orders/{shard.id} could not be read for 120 s"):
        list(reader_of(shard.id).records())
    assert TIMEOUT_S < time.now_s < 2 * TIMEOUT_S


def test_what_time_cant_heal_is_raised_at_once(kinesis: FakeKinesis, reader_of: ReaderOf, time: Time) -> None:
    shard = kinesis.stream("orders").shard(0, records=3)
    denied = Fault(endpoint="kinesis:GetRecords", kind=FaultKind.ERROR, status=400, code="AccessDeniedException")
    kinesis.faults.replace([denied])
    with pytest.raises(StreamForbidden):
        list(reader_of(shard.id).records())
    assert time.now_s < 1
