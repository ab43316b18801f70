"""A stream that was deleted and made again under its name is never read under the name of the one before."""

import threading
from collections.abc import Callable

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.errors import StreamReplaced
from firnline_ingest.kinesis.missing import Incarnations
from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.values import Position
from firnline_local.kinesis import Fault, FaultKind
from tests.ingest.kinesis.test_reader import Shard, numbers, read

SUMMARY = "kinesis:DescribeStreamSummary"


def replace(shard: Shard, records: int = 3) -> None:
    shard.stream.delete()
    shard.clock.advance(minutes=6)
    shard.stream = shard.kinesis.create_stream("events")
    shard.stream.shard(records=records)


def at_the_horizon(shard: Shard) -> Start:
    return TrimHorizon()


def at_a_time(shard: Shard) -> Start:
    return AtTimestamp(int(shard.seconds() * 1000))


def at_a_position(shard: Shard) -> Start:
    return After(Position(shard.stream.put({"n": 0}).sequence_number))


@pytest.mark.parametrize("idle_reads", [0, 1, 3], ids=lambda reads: f"after {reads} idle reads")
@pytest.mark.parametrize("start", [at_the_horizon, at_a_time, at_a_position])
def test_no_record_of_the_new_one_is_handed_over(start: Callable[[Shard], Start], idle_reads: int) -> None:
    """Between the plan and the first read, and where an iterator expired meanwhile."""
    shard = Shard()
    reader = shard.reader(start(shard))
    for _ in range(idle_reads):
        read(reader, shard.wait)
    replace(shard)
    with pytest.raises(StreamReplaced, match="--from trim-horizon"):
        read(reader, shard.wait)


def test_a_stream_that_is_the_same_is_asked_about_once() -> None:
    shard = Shard()
    shard.kinesis.faults.replace([Fault(endpoint=SUMMARY, kind=FaultKind.ERROR, times=0)])
    reader = shard.reader()
    for n in range(5):
        shard.stream.put({"n": n})
        assert numbers(read(reader, shard.wait)) == [n]
    assert shard.kinesis.faults.to_json().count('"calls": 1') == 1


@pytest.mark.parametrize("code", ["LimitExceededException", "InternalFailure", "AccessDeniedException"])
def test_records_wait_until_it_is_known_which_stream_they_are_of(code: str) -> None:
    shard = Shard()
    shard.stream.shard(records=3)
    status = 500 if code == "InternalFailure" else 400
    fault = Fault(endpoint=SUMMARY, kind=FaultKind.ERROR, status=status, code=code, times=3)
    shard.kinesis.faults.replace([fault])
    reader = shard.reader()
    if code == "AccessDeniedException":
        with pytest.raises(FirnlineError, match="DescribeStreamSummary"):
            read(reader, shard.wait)
        return
    assert [reader.read(shard.wait) for _ in range(3)] == [None] * 3
    assert (reader.trouble is not None, reader.throttled) == (True, 0)
    assert numbers(read(reader, shard.wait)) == [0, 1, 2]


def test_lost_records_are_not_told_of_a_stream_that_is_another() -> None:
    """Should the service take a position of the stream before, its first record is not the one that was read last."""
    shard = Shard()
    known = Position(shard.stream.put({"n": 0}).sequence_number)
    shard.clock.advance(hours=25)
    shard.stream.put({"n": 1})
    reader = shard.reader(After(known))
    shard.kinesis.account.find(name="events").created_ms += 1
    with pytest.raises(StreamReplaced):
        read(reader, shard.wait)


def test_shards_that_ask_at_once_share_an_answer_and_none_has_one_from_before_it_asked() -> None:
    shard = Shard()
    first_is_asked, may_answer = threading.Event(), threading.Event()
    asked: list[int] = []

    class Client:
        def describe_stream_summary(self, **request: str) -> object:
            asked.append(len(asked))
            first_is_asked.set()
            assert may_answer.wait(10)
            return shard.kinesis.client().describe_stream_summary(**request)

    known = Incarnations(Client())  # type: ignore[arg-type] # it has the one operation that is called
    found: list[int] = []

    def look() -> None:
        found.append(known.created_ms("events"))

    threads = [threading.Thread(target=look) for _ in range(9)]
    threads[0].start()
    assert first_is_asked.wait(10)
    for thread in threads[1:]:
        thread.start()
    may_answer.set()
    for thread in threads:
        thread.join(10)
    assert found == [shard.stream.found.created_ms] * 9
    assert 2 <= len(asked) <= 3, "one for the first, and one for all who came while it was under way"
