"""A stream that was deleted and made again under its name is never read under the name of the one before."""

import random
import threading
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.errors import StreamReplaced
from firnline_ingest.kinesis.missing import QUESTION_INTERVAL_S, Incarnations
from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.kinesis.turns import LONGEST_WAIT_S, QuestionTimes
from firnline_local.kinesis.limits import SUMMARY_CALLS
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

    def __init__(self, begins_s: float = 0.0) -> None:
        self.slept_s = [begins_s]

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


SHARDS, SHARDS_PER_TASK = 5_000, 32


class Account:
    """Notes each question with its time, by the clock of the process that asks."""

    def __init__(self, shard: Shard) -> None:
        self._answer = shard.kinesis.client().describe_stream_summary(StreamName="events")
        self.asked_s: list[float] = []

    def most_in_a_second(self) -> int:
        asked_s = sorted(self.asked_s)
        return max(bisect_left(asked_s, at_s + 1.0) - number for number, at_s in enumerate(asked_s))

    def begin_shards(self, times: QuestionTimes | None, clock: SleepingClock) -> float:
        """Begins the shards of a process, each of which asks at its first record; returns when the last one has its answer."""
        account = self

        class Client:
            def describe_stream_summary(self, **_: str) -> object:
                account.asked_s.append(clock.now_s())
                return account._answer

        client: Any = Client()
        known = Incarnations(
            client, interval_s=QUESTION_INTERVAL_S, times=times, clock_s=clock.now_s, sleep=clock.sleep
        )
        known.created_ms("events")  # shared by those that had records by then
        known.created_ms("events")  # and by all that came while it was waited for
        return clock.now_s()


def test_a_first_start_of_5000_shards_takes_less_of_the_account_than_it_has(shard: Shard) -> None:
    draw, tasks = random.Random(5), -(-SHARDS // SHARDS_PER_TASK)
    alone, together, done_s = Account(shard), Account(shard), list[float]()
    for place in range(tasks):
        begins_s = draw.uniform(0, 1)
        alone.begin_shards(None, SleepingClock(begins_s))
        clock = SleepingClock(begins_s)
        times = QuestionTimes(clock.now_s)
        times.take_place(place, tasks)
        done_s.append(together.begin_shards(times, clock))
    assert alone.most_in_a_second() > SUMMARY_CALLS, "which are refused, and their pages read again"
    assert together.most_in_a_second() <= SUMMARY_CALLS
    assert max(done_s) < 35


def test_an_epoch_that_comes_again_does_not_give_a_process_its_first_turn_again() -> None:
    clock = SleepingClock()
    times = QuestionTimes(clock.now_s)
    times.take_place(30, 60)
    assert times.reserve(0.0) == 3.0
    clock.sleep(3.0)
    times.take_place(30, 60)
    assert times.reserve(0.0) == 9.0
    clock.sleep(100.0)
    assert times.reserve(0.0) == 103.0
    times.take_place(0, 1)
    assert times.reserve(0.0) == 103.1, "it is alone"
    assert times.reserve(200.0) == 200.0


def test_nobody_waits_for_minutes_however_many_streams_and_tasks_there_are() -> None:
    clock = SleepingClock()
    times = QuestionTimes(clock.now_s)
    times.take_place(199, 200)
    first = [times.reserve(0.0) for _ in range(60)]
    assert max(first) == LONGEST_WAIT_S
    times.take_place(0, 1)
    clock.sleep(1.0)
    assert times.reserve(0.0) < 2.0, "all others have gone"
