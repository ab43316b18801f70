import json

import pytest

from firnline_ingest.config.running import PollingConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.errors import ShardExpired, StreamMissing, StreamReplaced
from firnline_ingest.kinesis.reader import CHILDLESS_ENDS, Gap, Read
from firnline_ingest.kinesis.start import After, AtTimestamp
from firnline_ingest.values import Position
from firnline_local.kinesis import Fault
from tests.fakes.kinesis import answering, refused
from tests.ingest.kinesis.conftest import Shard, numbers


def test_a_shard_is_read_in_order_from_its_trim_horizon(shard: Shard) -> None:
    shard.stream.shard(records=3)
    answer = shard.read()
    assert (numbers(answer), answer.behind_ms, answer.is_end) == ([0, 1, 2], 0, False)


def test_reading_goes_on_at_a_position_and_its_record_is_handed_over_once_more(shard: Shard) -> None:
    """The record may be an aggregate, of which only whoever takes it apart knows what is beyond the position."""
    shard.stream.shard(records=3)
    second = Position(shard.stream.shards[0].records[1].sequence_number)
    reader = shard.reader(After(second))
    answer = shard.read(reader)
    assert numbers(answer) == [1, 2]
    assert answer.gap is None
    shard.put(3)
    assert numbers(shard.read(reader)) == [3]


def test_a_timestamp_leaves_out_what_arrived_before(shard: Shard) -> None:
    shard.put(0)
    shard.clock.advance(seconds=10)
    shard.put(1)
    start = AtTimestamp(int(shard.seconds() * 1000) - 1)
    assert numbers(shard.read(shard.reader(start))) == [1]


def test_five_reads_a_second_are_never_exceeded(shard: Shard) -> None:
    reader = shard.reader()
    for _ in range(30):
        shard.read(reader)
    assert (reader.reads, reader.throttled) == (30, 0)


def test_reads_whose_requests_arrived_late_are_not_followed_too_closely(
    shard: Shard, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, delays_s = shard.reader(), iter([0.15] + [0.0] * 30)
    handle = shard.kinesis.handle

    def late(operation: str, body: bytes) -> bytes:
        shard.clock.advance(seconds=next(delays_s) if operation == "GetRecords" else 0.0)
        return handle(operation, body)

    monkeypatch.setattr(shard.kinesis, "handle", late)
    for _ in range(20):
        shard.read(reader)
    assert (reader.reads, reader.throttled) == (20, 0)


def test_pages_of_about_a_megabyte_are_asked_for_once_the_size_of_records_is_known(shard: Shard) -> None:
    for n in range(12):
        shard.stream.put(b"x" * 400_000, key=str(n))
    reader = shard.reader()
    sizes = [len(shard.read(reader).records)]
    for n in range(12):
        shard.stream.put(b"x" * 400_000, key=str(n))
    sizes += [len(shard.read(reader).records) for _ in range(6)]
    assert sizes == [12, 2, 2, 2, 2, 2, 2]


def test_a_large_page_is_paid_for_by_waiting_and_the_next_read_is_not_refused(shard: Shard) -> None:
    for n in range(5):
        shard.stream.put(b"x" * 900_000, key=str(n))
    reader = shard.reader()
    shard.read(reader)
    shard.put(9)
    shard.read(reader)
    assert max(shard.waited) >= 4.5 / 2
    assert reader.throttled == 0


def test_an_expired_iterator_costs_nothing(shard: Shard) -> None:
    shard.stream.shard(records=2)
    reader = shard.reader()
    assert numbers(shard.read(reader)) == [0, 1]
    shard.clock.advance(minutes=6)
    shard.put(2)
    assert numbers(shard.read(reader)) == [2]


@pytest.mark.parametrize(
    "fault",
    [
        refused("GetRecords", "InternalFailure", status=500, times=3),
        refused("GetRecords", "ProvisionedThroughputExceededException", times=3),
        refused("GetShardIterator", "KMSThrottlingException", times=2),
    ],
    ids=lambda fault: fault.code,
)
def test_trouble_that_passes_is_waited_out(shard: Shard, fault: Fault) -> None:
    shard.stream.shard(records=2)
    shard.fails(fault)
    assert numbers(shard.read()) == [0, 1]
    assert max(shard.waited) > 0.2


@pytest.mark.parametrize(
    ("code", "id_"),
    [
        ("AccessDeniedException", "FL-2002"),
        ("KMSDisabledException", "FL-2003"),
        ("SerializationException", "FL-2017"),
        ("UnrecognizedClientException", "FL-2015"),
        ("ValidationException", "FL-2017"),
    ],
)
def test_trouble_that_does_not_pass_says_what_to_do(shard: Shard, code: str, id_: str) -> None:
    shard.fails(refused("GetRecords", code, message="no"))
    with pytest.raises(FirnlineError) as raised:
        shard.read()
    assert raised.value.id == id_
    assert "Next:" in str(raised.value)


def test_a_stream_that_is_gone_is_said_so(shard: Shard) -> None:
    reader = shard.reader()
    shard.stream.delete()
    with pytest.raises(StreamMissing, match="'events'"):
        shard.read(reader)


def test_records_that_left_retention_are_a_gap_between_two_positions(shard: Shard) -> None:
    known = shard.put(0)
    shard.put(1)
    shard.clock.advance(hours=25)
    first = shard.put(2)
    assert shard.read(shard.reader(After(known))).gap == Gap(known, first)


def test_a_shards_end_names_its_children(shard: Shard) -> None:
    parent = shard.stream.shard(records=2)
    left, right = parent.split()
    reader, answers = shard.reader(), list[Read]()
    while not (answers and answers[-1].is_end):
        answers.append(shard.read(reader))
    assert [number for answer in answers for number in numbers(answer)] == [0, 1]
    assert set(answers[-1].children) == {left.id, right.id}


def test_a_reader_whose_time_is_up_reads_nothing(shard: Shard) -> None:
    shard.stream.shard(records=2)
    reader = shard.reader()
    assert reader.read(lambda seconds: True) is None
    assert reader.reads == 0


def test_empty_pages_are_not_the_tip() -> None:
    shard = Shard(empty_page_every=2)
    shard.stream.shard(records=3)
    reader, found = shard.reader(), []
    for _ in range(4):
        found += numbers(shard.read(reader))
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
    shard: Shard, body: str, times: int, caplog: pytest.LogCaptureFixture
) -> None:
    shard.stream.shard(records=3)
    shard.fails(answering("GetRecords", body, times=times))
    reader = shard.reader()
    answer = shard.read(reader)
    assert (numbers(answer), answer.is_end, reader.unreadable_pages) == ([0, 1, 2], False, times)
    assert [line.message for line in caplog.records].count("reader.unreadable") == (1 if times == 1 else 4)


@pytest.mark.parametrize("body", NO_PAGES)
def test_a_closed_shard_is_read_on_after_such_a_body_and_ends_with_its_own_last_page(shard: Shard, body: str) -> None:
    children = shard.stream.shard(records=3).split()
    shard.fails(answering("GetRecords", body, times=1))
    answer = shard.read()
    assert (numbers(answer), answer.is_end) == ([0, 1, 2], True)
    assert answer.children == tuple(child.id for child in children)


def test_an_operation_that_answers_with_nothing_is_asked_again(shard: Shard) -> None:
    shard.stream.shard(records=1)
    shard.fails(answering("GetShardIterator", "", times=2))
    reader = shard.reader()
    assert numbers(shard.read(reader)) == [0]
    assert reader.unreadable_pages == 2


def test_a_null_iterator_that_always_comes_without_children_ends_a_shard_that_a_listing_shows_closed(
    shard: Shard,
) -> None:
    shard.kinesis.liberties.childless_ends = 1000
    children = shard.stream.shard(records=2).split()
    answer = shard.read()
    assert (numbers(answer), answer.is_end) == ([0, 1], True)
    assert answer.children == tuple(child.id for child in children)


@pytest.mark.parametrize("behind_s", [0, 90])
def test_an_end_of_before_2020_ends_a_shard_that_a_listing_shows_closed(shard: Shard, behind_s: int) -> None:
    """Each new iterator brings the last record once more, and then a page that names neither a place to go on nor children."""
    shard.kinesis.liberties.ends_of_before_2020 = True
    children = shard.stream.shard(records=2).split()
    shard.clock.advance(seconds=behind_s)
    reader, answers = shard.reader(), list[Read]()
    while not (answers and answers[-1].is_end):
        answers.append(shard.read(reader))
    assert [number for answer in answers for number in numbers(answer)] == [0, 1]
    assert answers[-1].children == tuple(child.id for child in children)
    assert (reader.unreadable_pages, reader.trouble) == (CHILDLESS_ENDS - 1, None)


def test_ends_without_children_count_from_when_a_listing_shows_the_shard_closed_and_while_no_record_comes(
    shard: Shard,
) -> None:
    parent, reader = shard.stream.shard(records=1), shard.reader()
    body = '{"Records":[],"MillisBehindLatest":700}'
    shard.fails(answering("GetRecords", body, times=CHILDLESS_ENDS + 2))
    assert [reader.read(shard.wait) for _ in range(CHILDLESS_ENDS)] == [None] * CHILDLESS_ENDS
    parent.split()
    assert [reader.read(shard.wait) for _ in range(2)] == [None] * 2
    assert (numbers(shard.read(reader)), reader.unreadable_pages) == ([0], CHILDLESS_ENDS + 2)


def test_an_open_shard_whose_every_second_page_ends_it_is_trouble_that_lasts(shard: Shard) -> None:
    """The record last read comes with each new iterator, and is not news."""
    shard.stream.shard(records=1)
    reader = shard.reader()
    assert numbers(shard.read(reader)) == [0]
    body = '{"Records":[],"MillisBehindLatest":0}'
    shard.fails(answering("GetRecords", body, every=2))
    for _ in range(60):
        reader.read(shard.wait)
    assert (reader.trouble and reader.trouble.id, reader.unreadable_pages) == ("FL-2011", 30)
    assert reader.unanswered_s > 60
    shard.fails()
    shard.put(1)
    shard.read(reader)
    assert (reader.trouble, reader.unanswered_s) == (None, 0)


@pytest.mark.parametrize("before", [0, 1, 3, 7])
def test_a_null_that_says_nothing_of_children_does_not_end_a_closed_shard_at_once(shard: Shard, before: int) -> None:
    children = shard.stream.shard(records=3).split()
    null = '{"Records":[],"NextShardIterator":null,"MillisBehindLatest":0}'
    odd, nulls = answering("GetRecords", "{}", times=before), answering("GetRecords", null, times=CHILDLESS_ENDS - 1)
    shard.fails(*[odd, nulls][not before :])
    answer = shard.read()
    assert (numbers(answer), answer.is_end) == ([0, 1, 2], True)
    assert answer.children == tuple(child.id for child in children)


def test_a_null_iterator_without_children_never_ends_a_shard_that_is_open(shard: Shard) -> None:
    shard.stream.shard(records=2)
    body = '{"Records":[],"NextShardIterator":null,"MillisBehindLatest":0}'
    shard.fails(answering("GetRecords", body))
    reader = shard.reader()
    assert [reader.read(shard.wait) for _ in range(40)] == [None] * 40
    assert (reader.unreadable_pages, reader.trouble and reader.trouble.id) == (40, "FL-2011")
    assert reader.unanswered_s > 60


def test_an_end_that_says_nothing_of_an_iterator_counts_once_a_listing_bears_it_out(shard: Shard) -> None:
    parent = shard.stream.shard()
    children = parent.split()
    listed = [{"ShardId": child.id, "ParentShards": [parent.id], "HashKeyRange": {}} for child in children]
    body = json.dumps({"Records": [], "MillisBehindLatest": 0, "ChildShards": listed})
    shard.fails(answering("GetRecords", body))
    answer = shard.read()
    assert (answer.is_end, answer.children) == (True, tuple(child.id for child in children))


def test_the_time_of_an_answer_is_the_services(shard: Shard) -> None:
    answer = shard.read()
    assert answer.answered_ms == int(shard.seconds()) * 1000


def test_only_an_empty_page_is_the_tip(shard: Shard) -> None:
    shard.kinesis.liberties.hasty_tip = True
    shard.stream.shard(records=3)
    reader = shard.reader()
    answers = [shard.read(reader) for _ in range(2)]
    assert [(numbers(answer), answer.behind_ms, answer.is_at_tip) for answer in answers] == [
        ([0, 1, 2], 0, False),
        ([], 0, True),
    ]


def test_a_shard_that_expired_is_told_from_a_stream_that_is_gone(shard: Shard) -> None:
    shard.stream.shard(records=1).split()
    reader = shard.reader()
    shard.clock.advance(hours=25)
    with pytest.raises(ShardExpired, match="events/shardId-000000000000"):
        shard.read(reader)


def test_a_shard_that_is_unknown_for_a_moment_has_not_expired(shard: Shard) -> None:
    shard.stream.shard(records=1)
    shard.fails(refused("Get*", "ResourceNotFoundException", times=5))
    assert numbers(shard.read()) == [0]


def test_a_stream_that_was_made_again_is_another_one(shard: Shard) -> None:
    shard.stream.shard(records=1)
    reader = shard.reader()
    shard.read(reader)
    shard.stream.delete()
    shard.clock.advance(seconds=1)
    shard.kinesis.create_stream("events")
    with pytest.raises(StreamReplaced, match="--from trim-horizon"):
        shard.read(reader)


def test_a_shard_whose_records_have_all_expired_is_a_gap_up_to_its_tip(shard: Shard) -> None:
    known = shard.put(0)
    shard.clock.advance(hours=25)
    assert shard.read(shard.reader(After(known))).gap == Gap(known, None)


def test_pages_are_never_larger_than_was_asked_for_however_small_their_records_are(shard: Shard) -> None:
    shard.stream.shard(records=20)
    reader = shard.reader(polling=PollingConfig(max_records=3))
    assert [len(shard.read(reader).records) for _ in range(7)] == [3, 3, 3, 3, 3, 3, 2]


CHILDLESS = '{"Records":[],"MillisBehindLatest":700}'


@pytest.mark.parametrize("between", ["a fault", "a record"])
def test_ends_without_children_are_counted_anew_behind_a_fault_or_a_record(shard: Shard, between: str) -> None:
    """Else a shard would end before its last records: each of them may come of a server that did not look so far."""
    shard.stream.shard(records=2).split()
    reader, read = shard.reader(polling=PollingConfig(max_records=1)), list[int]()
    for _ in range(2):
        shard.fails(answering("GetRecords", CHILDLESS, times=CHILDLESS_ENDS - 1))
        assert [reader.read(shard.wait) for _ in range(CHILDLESS_ENDS - 1)] == [None] * (CHILDLESS_ENDS - 1)
        if between == "a fault":
            shard.fails(refused("GetRecords", "InternalFailure", status=500, times=2))  # in CBOR, and again in JSON
            assert reader.read(shard.wait) is None
        else:
            shard.fails()
            read += numbers(shard.read(reader))
    shard.fails()
    while len(read) < 2:
        read += numbers(shard.read(reader))
    assert read == [0, 1]
