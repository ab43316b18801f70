"""Pages without records by the thousand, and a stream that others read and list too: nothing is lost, and nobody is pushed."""

import json
from typing import Any

import pytest

from firnline_ingest.config.running import PollingConfig
from firnline_ingest.kinesis.reader import ShardReader
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset
from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock
from tests.fakes.configs import config, reading
from tests.fakes.kinesis import client_of
from tests.fakes.ledger import MemoryLedger
from tests.ingest.kinesis.conftest import Shard, numbers

EMPTY = 1000


def test_a_thousand_empty_pages_are_no_tip_no_trouble_and_no_reason_to_hurry() -> None:
    shard = Shard(empty_page_every=1)
    shard.stream.shard(records=3)
    shard.clock.advance(seconds=3600)
    reader = shard.reader()
    for _ in range(EMPTY):
        page = reader.read(shard.wait)
        assert page is not None, "no answer is refused"
        assert (page.records, page.is_at_tip, page.is_end, page.gap) == ([], False, False, None)
    assert (reader.reads, reader.throttled, reader.trouble) == (EMPTY, 0, None)
    assert sum(shard.waited) >= EMPTY / 5, "five reads a second at most"
    shard.kinesis.liberties.empty_page_every = None
    page = reader.read(shard.wait)
    assert page is not None
    assert numbers(page) == [0, 1, 2]


class Greedy:
    """Another consumer of the same shard: it reads as often as it is let, some of its tries at each of our pauses."""

    def __init__(self, shard: Shard, tries: int) -> None:
        self.shard, self.tries, self.reads, self.refused = shard, tries, 0, 0
        self.begin()

    def begin(self) -> None:
        kinesis, shard = self.shard.kinesis, self.shard.stream.shards[0].id
        asked = {"StreamName": "events", "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        self.iterator: str = kinesis.call("GetShardIterator", asked)["ShardIterator"]

    def wait(self, seconds: float) -> bool:
        for _ in range(self.tries):
            self.shard.wait(seconds / self.tries)
            try:
                self.shard.kinesis.call("GetRecords", {"ShardIterator": self.iterator, "Limit": 1})
                self.reads += 1
            except FakeKinesisError as error:
                self.refused += 1
                if error.code == "ExpiredIteratorException":
                    self.begin()
        return False


@pytest.mark.parametrize("tries", [1, 3, 10])
def test_what_another_consumer_takes_costs_time_and_no_record(shard: Shard, tries: int) -> None:
    """Five reads a second are everybody's together: who is refused steps back, and comes again."""
    other, reader, found = Greedy(shard, tries), shard.reader(), list[int]()
    for number in range(40):
        shard.put(number)
        found += _read(reader, other)
    for _ in range(200):
        found += _read(reader, other)
    assert found == list(range(40))
    assert reader.throttled > 0, "it is noticed"
    assert other.reads > 0
    assert reader.reads <= 5 * sum(shard.waited) + 5, "nor does it take the other's share by asking more often"


def _read(reader: ShardReader, other: Greedy) -> list[int]:
    page = reader.read(other.wait)
    return numbers(page) if page is not None else []


class Planned:
    """A planner beside others who list and describe as often as they are let, until the second is over."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.kinesis = FakeKinesis(clock=self.clock)
        self.kinesis.create_stream("a", shards=2)
        self.pauses: list[float] = []
        asked, client = config(pipelines=[reading("a")]), client_of(self.kinesis)
        self.planner = ShardPlanner(asked, client, MemoryLedger(), sleep=self.sleep, jitter=lambda: 1.0)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.clock.advance(seconds=seconds)

    def use_up(self, operation: str, request: dict[str, Any]) -> None:
        """This second's calls."""
        for _ in range(1001):
            try:
                self.kinesis.call(operation, request)
            except FakeKinesisError:
                return
        raise AssertionError("nobody is ever refused")

    def rows(self) -> list[PlanRow]:
        return list(self.planner.rows(self.planner.next_offset(SourceOffset())))


@pytest.mark.parametrize("operation", ["ListShards", "DescribeStreamSummary"])
def test_a_plan_whose_calls_others_have_used_up_waits_and_is_made(operation: str) -> None:
    planned = Planned()
    planned.use_up(operation, {"StreamName": "a"})
    assert [(row.shard[-1], row.problem) for row in planned.rows()] == [("0", ""), ("1", "")]
    assert planned.pauses, "it was refused, and has waited"


@pytest.mark.parametrize("operation", ["ListShards", "DescribeStreamSummary"])
def test_a_plan_that_is_refused_for_long_is_its_streams_problem_and_the_next_one_is_made(operation: str) -> None:
    planned = Planned()
    planned.planner.sleep = lambda seconds: (planned.sleep(seconds), planned.use_up(operation, {"StreamName": "a"}))[0]
    planned.use_up(operation, {"StreamName": "a"})
    (row,) = planned.rows()
    told = json.loads(row.problem)
    assert (told["id"], told["is_retryable"]) == ("FL-2004", True)
    planned.clock.advance(seconds=2)
    assert [row.problem for row in planned.rows()] == ["", ""]


def test_a_shard_to_which_nothing_comes_is_read_less_often_until_something_does(shard: Shard) -> None:
    """Five reads a second are there for all consumers of a shard together."""
    reader = shard.reader()
    while sum(shard.waited) < 30:
        reader.read(shard.wait)
    usual = [seconds for seconds in shard.waited if 0 < seconds < 0.25]
    assert 9 <= sum(usual) <= 11
    idle = [seconds for seconds in shard.waited if seconds >= 0.25]
    assert idle == sorted(idle), "less and less often"
    assert (idle[0], idle[-1]) == (pytest.approx(1.0, abs=0.03), 2.0), "a tenth of the pause, two seconds at most"
    shard.stream.shard(records=1)
    assert numbers(shard.read(reader)) == [0]
    shard.waited.clear()
    reader.read(shard.wait)
    assert shard.waited[0] < 0.22


def test_how_often_an_idle_shard_is_read_is_a_setting(shard: Shard) -> None:
    reader = shard.reader(polling=PollingConfig(idle_interval_ms=3000))
    while sum(shard.waited) < 30:
        reader.read(shard.wait)
    assert shard.waited[-1] == pytest.approx(3.0, abs=0.3), "a tenth of the pause"
    reader.read(shard.wait)
    reader.read(shard.wait)
    assert shard.waited[-1] == 3.0


def test_an_idle_interval_that_is_shorter_than_the_usual_one_changes_nothing(shard: Shard) -> None:
    reader = shard.reader(polling=PollingConfig(interval_ms=2000, idle_interval_ms=500))
    while sum(shard.waited) < 30:
        reader.read(shard.wait)
    assert set(shard.waited) == {0.0, 2.0}


def test_beside_an_idle_reader_another_consumer_has_more_than_half_of_the_reads(shard: Shard) -> None:
    other, reader = Greedy(shard, tries=1), shard.reader()
    while sum(shard.waited) < 15:
        reader.read(shard.wait)
    shard.waited.clear()
    before = reader.reads
    while sum(shard.waited) < 60:
        reader.read(Greedy.wait.__get__(other))
    assert reader.reads - before <= 0.5 * 5 * 60
