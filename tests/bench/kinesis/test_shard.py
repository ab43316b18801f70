from typing import Any

import pytest

from bench.kinesis.shard import CannedShard, located
from firnline_ingest.kinesis.page import RecordPage, decode_page

PAYLOADS = [b'{"n":0}', b'{"n":1}', b'{"n":2}']
BEGAN_S = 1_750_000_000.0


def shard(**settings: Any) -> CannedShard:
    usual = {"index": 3, "first_arrival_s": BEGAN_S, "records_per_s": 50.0, "is_trickle": False}
    return CannedShard.of(PAYLOADS, **(usual | settings))


def page(first: int, limit: int, *, after_s: float = 0.0, **settings: Any) -> RecordPage:
    body, records = shard(**settings).page(first, limit, BEGAN_S + after_s)
    decoded = decode_page(body)
    assert len(decoded.Records) == records
    return decoded


def test_a_full_shard_gives_as_many_records_as_are_asked_for_and_never_ends() -> None:
    read = page(1_000_000, 4)
    assert [record.Data for record in read.Records] == [PAYLOADS[1], PAYLOADS[2], PAYLOADS[0], PAYLOADS[1]]
    assert read.NextShardIterator == "3:1000004"
    assert read.MillisBehindLatest


def test_sequence_numbers_look_like_the_services_and_tell_the_record() -> None:
    numbers = [record.SequenceNumber for record in page(7, 2).Records]
    assert {len(number) for number in numbers} == {56}
    assert [located(int(number)) for number in numbers] == [(3, 7), (3, 8)]


@pytest.mark.parametrize(("after_s", "records"), [(0.0, 1), (0.019, 1), (0.021, 2), (1.0, 51)])
def test_a_trickle_shows_a_record_once_it_has_arrived(after_s: float, records: int) -> None:
    assert len(page(0, 1000, after_s=after_s, is_trickle=True).Records) == records


def test_the_arrival_of_a_trickling_record_is_when_it_could_be_read() -> None:
    read = page(40, 1000, after_s=1.0, is_trickle=True)
    arrivals = [record.ApproximateArrivalTimestamp for record in read.Records]
    assert arrivals == pytest.approx([BEGAN_S + n / 50 for n in range(40, 51)])


def test_a_reader_that_is_ahead_gets_an_empty_page_and_keeps_its_place() -> None:
    read = page(60, 1000, after_s=1.0, is_trickle=True)
    assert (read.Records, read.NextShardIterator, read.MillisBehindLatest) == ([], "3:60", 0)


def test_an_answer_has_ten_mebibytes_at_most_or_one_record() -> None:
    large = CannedShard.of(
        [b"x" * 6 * 1024 * 1024], index=0, first_arrival_s=BEGAN_S, records_per_s=1.0, is_trickle=False
    )
    assert large.page(0, 1000, BEGAN_S)[1] == large.page_in_cbor(0, 1000, BEGAN_S)[1] == 1
