"""Shards that are kept together: none runs ahead of the slowest, and none waits for ever."""

import random
from dataclasses import dataclass, field, replace
from types import MappingProxyType, SimpleNamespace
from typing import Any, cast

import pytest

from firnline_ingest.config.pipeline import Alignment
from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.reader import Read
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.plan import StreamView, planned_starts
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.shard.pages import BufferedPage
from firnline_ingest.shard.report import ShardReport
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.work import ShardWork
from firnline_ingest.spark.alignment import AlignmentBounds, come_ms
from firnline_ingest.spark.planner import SourceOffset
from firnline_ingest.values import Fence, ShardKey
from tests.fakes.clock import Clock
from tests.fakes.configs import TARGET, pipeline
from tests.ingest.spark.test_planner import LedgerWithAHole, World

SPAN_S, HOUR_MS, RETENTION_H = 600, 3_600_000, 24
BORN_MS = 1_800_000_000_000


def record(arrival_ms: int) -> Record:
    return Record(
        SequenceNumber=str(arrival_ms), Data=b"{}", PartitionKey="k", ApproximateArrivalTimestamp=arrival_ms / 1000
    )


@dataclass
class Shard:
    """A shard as the service has it: records by arrival, and where it came from."""

    id: str
    arrivals: list[int]
    parents: tuple[str, ...] = ()
    closed_ms: int | None = None
    children: tuple[str, ...] = ()


@dataclass
class Stream:
    """Some hours of records, shards that were split and merged, some idle, some without a record at all."""

    random: random.Random
    shards: dict[str, Shard] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.now_ms = BORN_MS + 6 * HOUR_MS
        for _ in range(self.random.randint(1, 4)):
            self._grow((), BORN_MS + self.random.randint(0, HOUR_MS), depth=self.random.randint(0, 3))

    def _grow(self, parents: tuple[str, ...], from_ms: int, *, depth: int) -> str:
        name = f"shardId-{len(self.shards):012d}"
        shard = self.shards[name] = Shard(name, [], parents)
        until_ms = from_ms + self.random.randint(60_000, 2 * HOUR_MS) if depth else self.now_ms
        number = self.random.choice([0, 1, 3, 40])
        shard.arrivals = sorted(self.random.randint(from_ms, max(from_ms, until_ms)) for _ in range(number))
        if depth and until_ms < self.now_ms:
            shard.closed_ms = until_ms
            shard.children = tuple(
                self._grow((name,), until_ms, depth=depth - 1) for _ in range(self.random.choice([1, 2]))
            )
        return name

    def lineage(self) -> Lineage:
        listed = {
            each.id: ListedShard(each.id, each.parents, each.closed_ms is not None) for each in self.shards.values()
        }
        return Lineage("events", BORN_MS, RETENTION_H, MappingProxyType(listed), self.now_ms)


@dataclass
class Reader:
    """One process' session on a shard: reads pages, holds one back, and may be killed with it."""

    shard: Shard
    position: int
    held: BufferedPage = field(init=False)

    def __post_init__(self) -> None:
        self.held = BufferedPage(ShardReport(ShardKey("events", BORN_MS, self.shard.id)))
        self._read_to = self.position

    def turn(self, request: ShardRequest, now_ms: int) -> Read | None:
        def page(_: ShardRequest) -> Read:
            some = self.shard.arrivals[self._read_to : self._read_to + 5]
            self._read_to += len(some)
            is_all = self._read_to == len(self.shard.arrivals)
            is_end = is_all and self.shard.closed_ms is not None
            return Read(
                [record(ms) for ms in some],
                0,
                children=self.shard.children if is_end else (),
                is_end=is_end,
                answered_ms=now_ms,
                is_at_tip=not some and not is_end,
            )

        return self.held.next(request, page)


@dataclass
class Engine:
    """Plans by the real plan and the real bounds; its ledger's rows are what the readers have written."""

    stream: Stream
    random: random.Random
    rows: dict[str, ShardRow] = field(default_factory=dict)
    readers: dict[str, Reader] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    bounds: AlignmentBounds = field(default_factory=AlignmentBounds)
    rule: Alignment = field(default_factory=lambda: Alignment(max_ahead_seconds=SPAN_S))
    goes_out: bool = False
    """A service is away: plans are made, and no shard comes further. It begins where no shard waits for the bound: whether the
    others stand still with that one, or because of a service, can't be told then."""
    _is_out: bool = False
    _until_ms: int = 0

    def epoch(self) -> None:
        self.stream.now_ms += 30_000
        lineage = self.stream.lineage()
        view = StreamView(lineage, dict(self.rows), dict.fromkeys(lineage.shards, "h"), BORN_MS)
        starts = list(planned_starts(lineage, view.rows, view.offsets, BORN_MS))
        holds_back = any(come_ms(start, view) >= self._until_ms for start in starts)
        until_ms = self._until_ms = self.bounds.until_ms(self.rule, view, starts)
        self._is_out = self.goes_out and (self._is_out or not holds_back)
        if self._is_out:
            return
        running = [start for start in starts if self.random.random() < 0.8]  # an executor is busy, or has not begun
        for start in running:
            if self.random.random() < 0.1:
                self.readers.pop(start.shard, None)  # its process was killed
            self._run(self.stream.shards[start.shard], until_ms)

    def _run(self, shard: Shard, until_ms: int) -> None:
        reader = self.readers.setdefault(shard.id, Reader(shard, self.taken.get(shard.id, 0)))
        request = ShardRequest.lasting(work(shard.id, until_ms), -1)  # lapsed: a wait returns at once
        for _ in range(self.random.randint(1, 6)):
            read = reader.turn(request, self.stream.now_ms)
            self._write(shard, reader, read)
            if read is not None and read.is_end:
                return

    def _write(self, shard: Shard, reader: Reader, read: Read | None) -> None:
        key = ShardKey("events", BORN_MS, shard.id)
        row = self.rows.get(shard.id) or ShardRow(key=key, start=TrimHorizon())
        row = replace(row, held_back_ms=max(row.held_back_ms, reader.held.held_back_ms))
        if read is not None:
            for each in read.records:
                self._takes(shard, int((each.ApproximateArrivalTimestamp or 0) * 1000))
                row = replace(row, arrived_ms=int((each.ApproximateArrivalTimestamp or 0) * 1000))
            row = replace(row, tip_ms=self.stream.now_ms - 1000) if read.is_at_tip else row
            row = replace(row, ended=True, children=read.children) if read.is_end else row
        self.rows[shard.id] = row

    def _takes(self, shard: Shard, arrival_ms: int) -> None:
        """The rule itself, over what the service has and nobody took in: no shard is so far behind."""
        self.taken[shard.id] = self.taken.get(shard.id, 0) + 1
        for other in self.stream.shards.values():
            left = other.arrivals[self.taken.get(other.id, 0) :]
            assert not left or arrival_ms - left[0] <= SPAN_S * 1000, f"{shard.id} runs ahead of {other.id}"

    @property
    def is_done(self) -> bool:
        return all(self.taken.get(each.id, 0) == len(each.arrivals) for each in self.stream.shards.values())


def work(shard: str, until_ms: int) -> ShardWork:
    return ShardWork(
        key=ShardKey("events", BORN_MS, shard),
        epoch=1,
        start=TrimHorizon(),
        pipeline=pipeline(),
        target=TARGET,
        channel=f"app~{shard}",
        retention_hours=RETENTION_H,
        until_ms=until_ms,
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_shard_runs_ahead_and_all_records_are_taken_in_whatever_is_closed_idle_late_or_killed(seed: int) -> None:
    chance = random.Random(seed)
    engine = Engine(Stream(chance), chance)
    for _ in range(1000):
        if engine.is_done:
            break
        engine.epoch()
    assert engine.is_done, "shards wait for each other"
    taken = {name: number for name, number in engine.taken.items() if number}
    assert taken == {each.id: len(each.arrivals) for each in engine.stream.shards.values() if each.arrivals}


def views(*come_ms: int) -> StreamView:
    shards = {f"s{n}": ListedShard(f"s{n}") for n in range(len(come_ms))}
    lineage = Lineage("events", BORN_MS, RETENTION_H, MappingProxyType(shards), BORN_MS + HOUR_MS)
    rows = {
        name: ShardRow(key=ShardKey("events", BORN_MS, name), start=TrimHorizon(), arrived_ms=come)
        for name, come in zip(shards, come_ms, strict=True)
    }
    return StreamView(lineage, rows, dict.fromkeys(shards, "h"), BORN_MS)


def until(bounds: AlignmentBounds, rule: Alignment | None, view: StreamView) -> int:
    return bounds.until_ms(rule, view, list(planned_starts(view.lineage, view.rows, view.offsets, BORN_MS)))


def test_where_it_is_not_asked_for_nothing_waits() -> None:
    assert until(AlignmentBounds(), None, views(BORN_MS, BORN_MS + HOUR_MS)) == 0


def test_a_shard_that_comes_no_further_is_left_out_only_where_that_is_said() -> None:
    clock = Clock()
    for rule, left_out in (
        (Alignment(max_ahead_seconds=60), False),
        (Alignment(max_ahead_seconds=60, ignore_stalled_after_seconds=300), True),
    ):
        bounds = AlignmentBounds(clock=clock)
        assert until(bounds, rule, views(BORN_MS, BORN_MS + HOUR_MS)) == BORN_MS + 60_000
        clock.now_s += 299
        assert until(bounds, rule, views(BORN_MS, BORN_MS + HOUR_MS + 1)) == BORN_MS + 60_000
        clock.now_s += 2
        slowest = BORN_MS + HOUR_MS + 2 if left_out else BORN_MS
        assert until(bounds, rule, views(BORN_MS, BORN_MS + HOUR_MS + 2)) == slowest + 60_000


def test_a_shard_that_nobody_ever_read_is_left_out_though_its_oldest_record_grows_younger() -> None:
    clock = Clock()
    bounds, rule = AlignmentBounds(clock=clock), Alignment(max_ahead_seconds=60, ignore_stalled_after_seconds=300)
    for come in range(12):
        view = views(0, BORN_MS + HOUR_MS + come)
        lineage = replace(view.lineage, listed_ms=BORN_MS + RETENTION_H * HOUR_MS + int(clock.now_s * 1000))
        said = until(bounds, rule, replace(view, lineage=lineage))
        clock.now_s += 30
    assert said == BORN_MS + HOUR_MS + come + 60_000


def test_shards_that_were_held_back_for_long_are_not_left_out_with_the_one_that_held_them() -> None:
    """Else nothing would keep them together while it stands."""
    clock = Clock()
    bounds, rule = AlignmentBounds(clock=clock), Alignment(max_ahead_seconds=60, ignore_stalled_after_seconds=60)
    for slow in (0, 1, 2, 3, 3, 3, 3):
        said = until(bounds, rule, views(BORN_MS + slow, BORN_MS + HOUR_MS, BORN_MS + 2 * HOUR_MS))
        clock.now_s += 30
    assert said == BORN_MS + HOUR_MS + 60_000


def test_the_bound_stays_where_no_shard_comes_further() -> None:
    """A service was away, and not one shard stalled: the first plan after it would let each run as far as it can."""
    clock = Clock()
    bounds, rule = AlignmentBounds(clock=clock), Alignment(max_ahead_seconds=60, ignore_stalled_after_seconds=60)
    for _ in range(5):
        assert until(bounds, rule, views(BORN_MS, BORN_MS + 30_000)) == BORN_MS + 60_000
        clock.now_s += 61
    assert until(bounds, rule, views(BORN_MS, BORN_MS + HOUR_MS)) == BORN_MS + HOUR_MS + 60_000, "one comes further"
    clock.now_s += 61
    for _ in range(3):
        said = until(bounds, rule, views(BORN_MS, BORN_MS + HOUR_MS))
        clock.now_s += 61
    assert said == BORN_MS + HOUR_MS + 60_000, "and stays where that was"


def test_shards_that_never_came_further_are_kept_together_by_the_slowest() -> None:
    clock = Clock()
    bounds, rule = AlignmentBounds(clock=clock), Alignment(max_ahead_seconds=60, ignore_stalled_after_seconds=60)
    for _ in range(3):
        assert until(bounds, rule, views(BORN_MS)) == BORN_MS + 60_000
        clock.now_s += 61


@pytest.mark.parametrize("seed", range(20))
def test_an_outage_of_all_shards_lets_none_of_them_run_ahead(seed: int) -> None:
    """Longer than a stalled shard is waited for: nothing can be read, or proven."""
    chance, clock = random.Random(seed), Clock()
    engine = Engine(Stream(chance), chance, bounds=AlignmentBounds(clock=clock))
    engine.rule = Alignment(max_ahead_seconds=SPAN_S, ignore_stalled_after_seconds=450)
    for number in range(1000):
        if engine.is_done:
            break
        engine.goes_out = number % 30 >= 10  # 20 epochs
        engine.epoch()
        clock.now_s += 30
    assert engine.is_done, "shards wait for each other"


def test_what_is_remembered_is_of_the_shards_that_are_planned() -> None:
    bounds, rule = AlignmentBounds(), Alignment(max_ahead_seconds=60)
    for shards in (50, 2):
        assert until(bounds, rule, views(*[BORN_MS + HOUR_MS] * shards)) > 0
        assert len(bounds._been) == shards


def test_a_plan_goes_by_its_pipelines_rule() -> None:
    world, rules = World(), list[Alignment | None]()
    world.kinesis.create_stream("a")
    planner = world.planner("a", alignment={"max_ahead_seconds": 90})
    planner._bounds = cast("Any", SimpleNamespace(until_ms=lambda rule, *_: (rules.append(rule), 0)[1]))
    assert list(planner.rows(planner.next_offset(SourceOffset())))
    assert rules == [Alignment(max_ahead_seconds=90)]


@pytest.mark.parametrize("is_paused", [True, False], ids=["paused", "not-planned"])
def test_time_in_which_nobody_was_to_read_the_stream_leaves_no_shard_out(is_paused: bool) -> None:
    """Else all of them would be, when it is planned again, and one may run ahead of the others for an epoch."""
    ledger, clock = LedgerWithAHole(), Clock()
    world = World(ledger=ledger)
    world.create("a", shards=2)
    planner = world.planner("a", alignment={"max_ahead_seconds": 60, "ignore_stalled_after_seconds": 300})
    planner._bounds = AlignmentBounds(clock=clock)
    offset = planner.next_offset(SourceOffset())
    for number, row in enumerate(planner.rows(offset)):
        key = ShardKey("a", row.created_ms, row.shard)
        taken = world.ledger.take(key, Fence(), "engine", TrimHorizon())
        world.ledger.write(replace(taken, arrived_ms=BORN_MS + number * HOUR_MS))
    offset = planner.next_offset(offset)
    assert {row.until_ms for row in planner.rows(offset)} == {BORN_MS + 60_000}
    ledger.pause("a", is_paused)
    ledger.broken = "a"
    offset = planner.next_offset(offset)
    assert not any(row.shard for row in planner.rows(offset))
    ledger.pause("a", False)
    ledger.broken = ""
    clock.now_s += 3600
    assert {row.until_ms for row in planner.rows(planner.next_offset(offset))} == {BORN_MS + 60_000}
