"""A stream that was deleted and made again under its name is never read under the name of the one before."""

import threading
from collections.abc import Callable

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.errors import StreamReplaced
from firnline_ingest.kinesis.missing import QUESTION_INTERVAL_S, Incarnations
from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from tests.fakes.kinesis import faults_of, only_counted, refused
from tests.ingest.kinesis.conftest import Shard, numbers


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
    return After(shard.put(0))


@pytest.mark.parametrize("idle_reads", [0, 1, 3], ids=lambda reads: f"after {reads} idle reads")
@pytest.mark.parametrize("start", [at_the_horizon, at_a_time, at_a_position])
def test_no_record_of_the_new_one_is_handed_over(
    shard: Shard, start: Callable[[Shard], Start], idle_reads: int
) -> None:
    """Between the plan and the first read, and where an iterator expired meanwhile."""
    reader = shard.reader(start(shard))
    for _ in range(idle_reads):
        shard.read(reader)
    replace(shard)
    with pytest.raises(StreamReplaced, match="--from trim-horizon"):
        shard.read(reader)


def test_a_stream_that_is_the_same_is_asked_about_once(shard: Shard) -> None:
    shard.fails(only_counted("DescribeStreamSummary"))
    reader = shard.reader()
    for n in range(5):
        shard.put(n)
        assert numbers(shard.read(reader)) == [n]
    assert [fault["calls"] for fault in faults_of(shard.kinesis)] == [1]


@pytest.mark.parametrize("code", ["LimitExceededException", "InternalFailure", "AccessDeniedException"])
def test_records_wait_until_it_is_known_which_stream_they_are_of(shard: Shard, code: str) -> None:
    shard.stream.shard(records=3)
    status = 500 if code == "InternalFailure" else 400
    shard.fails(refused("DescribeStreamSummary", code, status=status, times=3))
    reader = shard.reader()
    if code == "AccessDeniedException":
        with pytest.raises(FirnlineError, match="DescribeStreamSummary"):
            shard.read(reader)
        return
    assert [reader.read(shard.wait) for _ in range(3)] == [None] * 3
    assert (reader.trouble is not None, reader.throttled) == (True, 0)
    assert numbers(shard.read(reader)) == [0, 1, 2]


def test_lost_records_are_not_told_of_a_stream_that_is_another(shard: Shard) -> None:
    """Should the service take a position of the stream before, its first record is not the one that was read last."""
    known = shard.put(0)
    shard.clock.advance(hours=25)
    shard.put(1)
    reader = shard.reader(After(known))
    shard.kinesis.account.find(name="events").created_ms += 1
    with pytest.raises(StreamReplaced):
        shard.read(reader)


class SleepingClock:
    """Time that passes by sleeping alone."""

    def __init__(self) -> None:
        self.slept_s: list[float] = []

    def now_s(self) -> float:
        return sum(self.slept_s)

    def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)


def _asking_each_second(client: object, clock: SleepingClock) -> Incarnations:
    """The client has the one operation that is called."""
    return Incarnations(client, interval_s=QUESTION_INTERVAL_S, clock_s=clock.now_s, sleep=clock.sleep)  # type: ignore[arg-type]


def test_shards_that_ask_at_once_share_an_answer_and_none_has_one_from_before_it_asked(shard: Shard) -> None:
    first_is_asked, may_answer = threading.Event(), threading.Event()
    asked: list[int] = []

    class Client:
        def describe_stream_summary(self, **request: str) -> object:
            asked.append(len(asked))
            first_is_asked.set()
            assert may_answer.wait(10)
            return shard.kinesis.client().describe_stream_summary(**request)

    clock = SleepingClock()
    known = _asking_each_second(Client(), clock)
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
    assert sum(clock.slept_s) >= len(asked) - 1, "a second between two questions"


def test_a_process_asks_for_a_stream_once_a_second_however_many_shards_begin(shard: Shard) -> None:
    asked_s: list[float] = []
    clock = SleepingClock()

    class Client:
        def describe_stream_summary(self, **request: str) -> object:
            asked_s.append(clock.now_s())
            return shard.kinesis.client().describe_stream_summary(**request)

    known = _asking_each_second(Client(), clock)
    for _ in range(5):
        known.created_ms("events")
    assert asked_s == [0.0, 1.0, 2.0, 3.0, 4.0]
