import json
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.errors import ShardExpired, StreamMissing, StreamReplaced
from firnline_ingest.kinesis.reader import CHILDLESS_ENDS, Gap, Read, ShardReader
from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.values import Position, ShardKey
from firnline_local.kinesis import FakeKinesis, Fault, FaultKind, ManualClock


class Shard:
    """One shard of a fake stream, its clock, and a reader whose waiting moves that clock."""

    def __init__(self, **settings: Any) -> None:
        self.clock = ManualClock()
        self.kinesis = FakeKinesis(clock=self.clock, **settings)
        self.stream = self.kinesis.create_stream("events")
        self.waited: list[float] = []

    def reader(self, start: Start | None = None, polling: PollingConfig | None = None) -> ShardReader:
        client = kinesis_client(AwsConfig(region="us-east-1", endpoints={"kinesis": "http://fake.invalid"}))
        self.kinesis.connect(client)
        key = ShardKey("events", self.stream.found.created_ms, self.stream.shards[0].id)
        polling = polling or PollingConfig()
        return ShardReader(client, key, start or TrimHorizon(), polling, clock=self.seconds, jitter=lambda: 1.0)

    def seconds(self) -> float:
        return self.clock.now.timestamp()

    def wait(self, seconds: float) -> bool:
        self.waited.append(seconds)
        self.clock.advance(seconds=seconds)
        return False


def read(reader: ShardReader, wait: Callable[[float], bool]) -> Read:
    """The next answer that has something to say."""
    for _ in range(20):
        answer = reader.read(wait)
        if answer is not None:
            return answer
    raise AssertionError("nothing was read")


def numbers(answer: Read) -> list[int]:
    return [int(record.Data.removeprefix(b'{"n":').removesuffix(b"}")) for record in answer.records]


def test_a_shard_is_read_in_order_from_its_trim_horizon() -> None:
    shard = Shard()
    shard.stream.shard(records=3)
    answer = read(shard.reader(), shard.wait)
    assert (numbers(answer), answer.behind_ms, answer.is_end) == ([0, 1, 2], 0, False)


def test_reading_goes_on_at_a_position_and_its_record_is_handed_over_once_more() -> None:
    """It may be an aggregate, of which only whoever takes it apart knows what is beyond the position."""
    shard = Shard()
    shard.stream.shard(records=3)
    second = Position(shard.stream.shards[0].records[1].sequence_number)
    reader = shard.reader(After(second))
    answer = read(reader, shard.wait)
    assert numbers(answer) == [1, 2]
    assert answer.gap is None
    shard.stream.put({"n": 3})
    assert numbers(read(reader, shard.wait)) == [3]


def test_a_timestamp_leaves_out_what_arrived_before() -> None:
    shard = Shard()
    shard.stream.put({"n": 0})
    shard.clock.advance(seconds=10)
    shard.stream.put({"n": 1})
    start = AtTimestamp(int(shard.seconds() * 1000) - 1)
    assert numbers(read(shard.reader(start), shard.wait)) == [1]


def test_five_reads_a_second_are_never_exceeded() -> None:
    shard = Shard()
    reader = shard.reader()
    for _ in range(30):
        read(reader, shard.wait)
    assert (reader.reads, reader.throttled) == (30, 0)


def test_reads_whose_requests_arrived_late_are_not_followed_too_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    shard = Shard()
    reader, delays_s = shard.reader(), iter([0.15] + [0.0] * 30)
    handle = shard.kinesis.handle

    def late(operation: str, body: bytes) -> bytes:
        shard.clock.advance(seconds=next(delays_s) if operation == "GetRecords" else 0.0)
        return handle(operation, body)

    monkeypatch.setattr(shard.kinesis, "handle", late)
    for _ in range(20):
        read(reader, shard.wait)
    assert (reader.reads, reader.throttled) == (20, 0)


def test_pages_of_about_a_megabyte_are_asked_for_once_the_size_of_records_is_known() -> None:
    shard = Shard()
    for n in range(12):
        shard.stream.put(b"x" * 400_000, key=str(n))
    reader = shard.reader()
    sizes = [len(read(reader, shard.wait).records)]
    for n in range(12):
        shard.stream.put(b"x" * 400_000, key=str(n))
    sizes += [len(read(reader, shard.wait).records) for _ in range(6)]
    assert sizes == [12, 2, 2, 2, 2, 2, 2]


def test_a_large_page_is_paid_for_by_waiting_and_the_next_read_is_not_refused() -> None:
    shard = Shard()
    for n in range(5):
        shard.stream.put(b"x" * 900_000, key=str(n))
    reader = shard.reader()
    read(reader, shard.wait)
    shard.stream.put({"n": 9})
    read(reader, shard.wait)
    assert max(shard.waited) >= 4.5 / 2
    assert reader.throttled == 0


def test_an_expired_iterator_costs_nothing() -> None:
    shard = Shard()
    shard.stream.shard(records=2)
    reader = shard.reader()
    assert numbers(read(reader, shard.wait)) == [0, 1]
    shard.clock.advance(minutes=6)
    shard.stream.put({"n": 2})
    assert numbers(read(reader, shard.wait)) == [2]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(endpoint="kinesis:GetRecords", kind=FaultKind.ERROR, status=500, code="InternalFailure", times=3),
        Fault(
            endpoint="kinesis:GetRecords",
            kind=FaultKind.ERROR,
            status=400,
            code="ProvisionedThroughputExceededException",
            times=3,
        ),
        Fault(
            endpoint="kinesis:GetShardIterator",
            kind=FaultKind.ERROR,
            status=400,
            code="KMSThrottlingException",
            times=2,
        ),
    ],
    ids=lambda fault: fault.code,
)
def test_trouble_that_passes_is_waited_out(fault: Fault) -> None:
    shard = Shard()
    shard.stream.shard(records=2)
    shard.kinesis.faults.replace([fault])
    assert numbers(read(shard.reader(), shard.wait)) == [0, 1]
    assert max(shard.waited) > 0.2


@pytest.mark.parametrize(
    ("code", "id_"),
    [
        ("AccessDeniedException", "FL-2002"),
        ("KMSDisabledException", "FL-2003"),
        ("InvalidArgumentException", "FL-2007"),
    ],
)
def test_trouble_that_does_not_pass_says_what_to_do(code: str, id_: str) -> None:
    shard = Shard()
    shard.kinesis.faults.replace(
        [Fault(endpoint="kinesis:GetRecords", kind=FaultKind.ERROR, status=400, code=code, message="no")]
    )
    with pytest.raises(FirnlineError) as raised:
        read(shard.reader(), shard.wait)
    assert raised.value.id == id_
    assert "Next:" in str(raised.value)


def test_a_stream_that_is_gone_is_said_so() -> None:
    shard = Shard()
    reader = shard.reader()
    shard.stream.delete()
    with pytest.raises(StreamMissing, match="'events'"):
        read(reader, shard.wait)


def test_records_that_left_retention_are_a_gap_between_two_positions() -> None:
    shard = Shard()
    known = Position(shard.stream.put({"n": 0}).sequence_number)
    shard.stream.put({"n": 1})
    shard.clock.advance(hours=25)
    first = Position(shard.stream.put({"n": 2}).sequence_number)
    assert read(shard.reader(After(known)), shard.wait).gap == Gap(known, first)


def test_a_shards_end_names_its_children() -> None:
    shard = Shard()
    parent = shard.stream.shard(records=2)
    left, right = parent.split()
    reader, found = shard.reader(), []
    answer = read(reader, shard.wait)
    found += numbers(answer)
    while not answer.is_end:
        answer = read(reader, shard.wait)
        found += numbers(answer)
    assert found == [0, 1]
    assert set(answer.children) == {left.id, right.id}


def test_a_reader_whose_time_is_up_reads_nothing() -> None:
    shard = Shard()
    shard.stream.shard(records=2)
    reader = shard.reader()
    assert reader.read(lambda seconds: True) is None
    assert reader.reads == 0


def test_empty_pages_are_not_the_tip() -> None:
    shard = Shard(empty_page_every=2)
    shard.stream.shard(records=3)
    reader, found = shard.reader(), []
    for _ in range(4):
        found += numbers(read(reader, shard.wait))
    assert found == [0, 1, 2]


NO_PAGES = [
    "{}",
    '{"Records":[]}',
    '{"message":null}',
    '{"Records":[],"MillisBehindLatest":0}',
    '{"Records":[],"NextShardIterator":null,"MillisBehindLatest":0}',
    '{"Records":[],"NextShardIterator":null,"MillisBehindLatest":0,"ChildShards":[]}',
]


@pytest.mark.parametrize("body", NO_PAGES)
@pytest.mark.parametrize("times", [1, 5])
def test_a_body_that_does_not_end_a_shard_is_asked_for_again_and_counted(
    body: str, times: int, caplog: pytest.LogCaptureFixture
) -> None:
    shard = Shard()
    shard.stream.shard(records=3)
    shard.kinesis.faults.replace([Fault(endpoint="kinesis:GetRecords", kind=FaultKind.BODY, body=body, times=times)])
    reader = shard.reader()
    answer = read(reader, shard.wait)
    assert (numbers(answer), answer.is_end, reader.unreadable_pages) == ([0, 1, 2], False, times)
    assert [line.message for line in caplog.records].count("reader.unreadable") == (1 if times == 1 else 4)


@pytest.mark.parametrize("body", NO_PAGES)
def test_a_closed_shard_is_read_on_after_such_a_body_and_ends_with_its_own_last_page(body: str) -> None:
    shard = Shard()
    children = shard.stream.shard(records=3).split()
    shard.kinesis.faults.replace([Fault(endpoint="kinesis:GetRecords", kind=FaultKind.BODY, body=body, times=1)])
    answer = read(shard.reader(), shard.wait)
    assert (numbers(answer), answer.is_end) == ([0, 1, 2], True)
    assert answer.children == tuple(child.id for child in children)


def test_an_operation_that_answers_with_nothing_is_asked_again() -> None:
    shard = Shard()
    shard.stream.shard(records=1)
    shard.kinesis.faults.replace([Fault(endpoint="kinesis:GetShardIterator", kind=FaultKind.BODY, times=2)])
    reader = shard.reader()
    assert numbers(read(reader, shard.wait)) == [0]
    assert reader.unreadable_pages == 2


def test_a_null_iterator_that_always_comes_without_children_ends_a_shard_that_a_listing_shows_closed() -> None:
    shard = Shard()
    shard.kinesis.liberties.childless_ends = 1000
    children = shard.stream.shard(records=2).split()
    answer = read(shard.reader(), shard.wait)
    assert (numbers(answer), answer.is_end) == ([0, 1], True)
    assert answer.children == tuple(child.id for child in children)


@pytest.mark.parametrize("before", [0, 1, 3, 7])
def test_a_null_that_says_nothing_of_children_does_not_end_a_closed_shard_at_once(before: int) -> None:
    shard = Shard()
    children = shard.stream.shard(records=3).split()
    null = '{"Records":[],"NextShardIterator":null,"MillisBehindLatest":0}'
    shard.kinesis.faults.replace(
        [
            Fault(endpoint="kinesis:GetRecords", kind=FaultKind.BODY, body="{}", times=before),
            Fault(endpoint="kinesis:GetRecords", kind=FaultKind.BODY, body=null, times=CHILDLESS_ENDS - 1),
        ][not before :]
    )
    answer = read(shard.reader(), shard.wait)
    assert (numbers(answer), answer.is_end) == ([0, 1, 2], True)
    assert answer.children == tuple(child.id for child in children)


def test_a_null_iterator_without_children_never_ends_a_shard_that_is_open() -> None:
    shard = Shard()
    shard.stream.shard(records=2)
    body = '{"Records":[],"NextShardIterator":null,"MillisBehindLatest":0}'
    shard.kinesis.faults.replace([Fault(endpoint="kinesis:GetRecords", kind=FaultKind.BODY, body=body)])
    reader = shard.reader()
    assert [reader.read(shard.wait) for _ in range(40)] == [None] * 40
    assert (reader.unreadable_pages, reader.trouble and reader.trouble.id) == (40, "FL-2011")
    assert reader.unanswered_s > 60


def test_an_end_that_says_nothing_of_an_iterator_counts_once_a_listing_bears_it_out() -> None:
    shard = Shard()
    parent = shard.stream.shard()
    children = parent.split()
    listed = [{"ShardId": child.id, "ParentShards": [parent.id], "HashKeyRange": {}} for child in children]
    body = json.dumps({"Records": [], "MillisBehindLatest": 0, "ChildShards": listed})
    shard.kinesis.faults.replace([Fault(endpoint="kinesis:GetRecords", kind=FaultKind.BODY, body=body)])
    answer = read(shard.reader(), shard.wait)
    assert (answer.is_end, answer.children) == (True, tuple(child.id for child in children))


def test_the_time_of_an_answer_is_the_services() -> None:
    shard = Shard()
    answer = read(shard.reader(), shard.wait)
    assert answer.answered_ms == int(shard.seconds()) * 1000


def test_only_an_empty_page_is_the_tip() -> None:
    shard = Shard()
    shard.kinesis.liberties.hasty_tip = True
    shard.stream.shard(records=3)
    reader = shard.reader()
    answers = [read(reader, shard.wait) for _ in range(2)]
    assert [(numbers(answer), answer.behind_ms, answer.is_at_tip) for answer in answers] == [
        ([0, 1, 2], 0, False),
        ([], 0, True),
    ]


def test_a_shard_that_expired_is_told_from_a_stream_that_is_gone() -> None:
    shard = Shard()
    shard.stream.shard(records=1).split()
    reader = shard.reader()
    shard.clock.advance(hours=25)
    with pytest.raises(ShardExpired, match="events/shardId-000000000000"):
        read(reader, shard.wait)


def test_a_shard_that_is_unknown_for_a_moment_has_not_expired() -> None:
    shard = Shard()
    shard.stream.shard(records=1)
    unknown = Fault(
        endpoint="kinesis:Get*", kind=FaultKind.ERROR, status=400, code="ResourceNotFoundException", times=5
    )
    shard.kinesis.faults.replace([unknown])
    assert numbers(read(shard.reader(), shard.wait)) == [0]


def test_a_stream_that_was_made_again_is_another_one() -> None:
    shard = Shard()
    shard.stream.shard(records=1)
    reader = shard.reader()
    read(reader, shard.wait)
    shard.stream.delete()
    shard.clock.advance(seconds=1)
    shard.kinesis.create_stream("events")
    with pytest.raises(StreamReplaced, match="--from trim-horizon"):
        read(reader, shard.wait)


def test_a_shard_whose_records_have_all_expired_is_a_gap_up_to_its_tip() -> None:
    shard = Shard()
    known = Position(shard.stream.put({"n": 0}).sequence_number)
    shard.clock.advance(hours=25)
    assert read(shard.reader(After(known)), shard.wait).gap == Gap(known, None)
