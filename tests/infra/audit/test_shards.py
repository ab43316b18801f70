"""One shard with both of its sides: the fake Kinesis, and a table in memory; and several shards at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from firnline_infra.audit.conversion import not_ingested_of
from firnline_infra.audit.findings import Counts, ProblemKind, ShardFindings
from firnline_infra.audit.outcome import AuditOutcome, RecordPlace
from firnline_infra.audit.shards import SHARDS_AT_ONCE, PipelineSources, RowCounts, Sleep, Stopped, audit_shards
from firnline_infra.audit.window import AuditWindow, RetentionCutoff
from firnline_ingest.config.model import AwsConfig, DeadLettersConfig, EngineConfig, PipelineConfig
from firnline_ingest.config.rows import UnusableRecords
from firnline_ingest.kinesis.client import kinesis_client
from firnline_local.clock import ManualClock
from firnline_local.kinesis import FakeKinesis, ShardHandle


@dataclass
class TableInMemory:
    """A ShardRows; `invalid` are positions that are not numbers."""

    outcomes: list[AuditOutcome] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)
    before_rows: Callable[[], None] = lambda: None
    fetched: int = 0

    def count_rows(self, shard_id: str, *, first: str | None, kept_since_ms: int) -> RowCounts:
        older = [each for each in self.outcomes if first is None or each.sequence_number < int(first)]
        young = [each for each in older if each.arrived_ms is None or each.arrived_ms >= kept_since_ms]
        return RowCounts(len(older), len(young), len(self.outcomes) - len(older))

    def rows(
        self,
        shard_id: str,
        *,
        first: str | None,
        expected: int,
        with_contents: bool,
        on_invalid_position: Callable[[str], None],
    ) -> Iterator[AuditOutcome]:
        self.before_rows()
        wanted = [each for each in self.outcomes if first is None or each.sequence_number >= int(first)]
        self.fetched = len(wanted)
        for position in self.invalid:
            on_invalid_position(position)
        return iter(sorted(wanted, key=lambda each: each[:2]))


@dataclass
class World:
    kinesis: FakeKinesis
    clock: ManualClock
    table: TableInMemory = field(default_factory=TableInMemory)
    letters: dict[str, list[AuditOutcome]] = field(default_factory=dict)

    @property
    def shard(self) -> ShardHandle:
        return self.kinesis.stream("orders").shard(0)

    @property
    def now_ms(self) -> int:
        return self.kinesis.account.now_ms()

    def fill(self, records: int) -> None:
        """Records, and a row of each."""
        for number in range(records):
            put = self.shard.put({"n": number})
            self.table.outcomes.append(self.row(put.sequence_number))

    def row(self, number: int, place: RecordPlace = RecordPlace.TABLE) -> AuditOutcome:
        return AuditOutcome(number, 0, place, self.now_ms)

    def audit(self, shard_id: str | None = None, **changes: Any) -> Counts:
        client = kinesis_client(AwsConfig(region="us-east-1", endpoints={"kinesis": "http://fake.invalid"}))
        self.kinesis.connect(client)
        values: dict[str, Any] = {
            "client": client,
            "stream": "orders",
            "listed": frozenset({self.shard.id}),
            "table": self.table,
            "elsewhere": [self.letters],
            "window": AuditWindow(None, self.now_ms),
            "cutoff_at": lambda: RetentionCutoff.of(
                now_ms=self.now_ms, retention_hours=24, created_ms=0, rows_have_arrival=True
            ),
            "sleep": lambda _: None,
        }
        self.findings = PipelineSources(**values | changes).audit(shard_id or self.shard.id)
        return self.findings.counts


@pytest.fixture
def world() -> World:
    clock = ManualClock()
    kinesis = FakeKinesis(clock=clock, read_limits=False)
    kinesis.create_stream("orders")
    return World(kinesis, clock)


def test_records_and_rows_are_found_to_be_the_same(world: World) -> None:
    world.fill(10)
    assert world.audit() == Counts(records=10, rows=10)


def test_a_record_without_a_row_may_be_a_dead_letter(world: World) -> None:
    world.fill(10)
    bad = world.shard.put(b"nonsense")
    world.letters[world.shard.id] = [world.row(bad.sequence_number, RecordPlace.DEAD_LETTERS)]
    assert world.audit() == Counts(records=11, rows=10, dead_letters=1)


def test_rows_of_records_that_left_the_stream_are_counted_and_not_fetched(world: World) -> None:
    world.fill(10)
    world.clock.advance(hours=25)
    world.fill(3)
    assert world.audit() == Counts(records=3, rows=3, older=10)
    assert world.table.fetched == 3


def test_a_young_row_among_the_old_ones_is_foreign(world: World) -> None:
    world.fill(10)
    world.clock.advance(hours=25)
    world.fill(3)
    world.table.outcomes.append(world.row(1))
    assert world.audit() == Counts(records=3, rows=3, older=10, unexpected=1)
    assert world.findings.problems[0].position == "1"


def test_a_shard_that_kept_nothing_has_old_rows_only(world: World) -> None:
    world.fill(10)
    world.clock.advance(hours=25)
    assert world.audit() == Counts(older=10)
    assert world.table.fetched == 0


def test_a_young_row_of_a_shard_that_has_nothing_is_foreign(world: World) -> None:
    world.table.outcomes.append(world.row(12))
    assert world.audit() == Counts(unexpected=1)


def test_rows_of_a_shard_that_is_not_listed_any_more_are_old(world: World) -> None:
    world.fill(10)
    world.clock.advance(hours=25)
    assert world.audit("shardId-000000000007") == Counts(older=10)


def test_young_rows_of_a_shard_that_does_not_exist_are_foreign(world: World) -> None:
    world.table.outcomes = [world.row(1), world.row(2)]
    assert world.audit("shardId-000000000007") == Counts(unexpected=2)


def test_a_row_of_a_record_that_came_during_the_audit_is_not_foreign(world: World) -> None:
    world.fill(10)
    window = AuditWindow(None, world.now_ms)

    def go_on() -> None:
        """The engine goes on between the first look at the stream and the answer of the table."""
        world.clock.advance(seconds=5)
        put = world.shard.put({"n": 10})
        world.table.outcomes.append(world.row(put.sequence_number))

    world.table.before_rows = go_on
    world.audit(window=window)
    world.table.before_rows = lambda: None
    assert world.audit(window=window) == Counts(records=10, rows=10, later=1)


def test_a_row_whose_position_is_none_is_foreign(world: World) -> None:
    world.fill(1)
    world.table.invalid = ["007", "twelve"]  # they come with the others
    assert world.audit() == Counts(records=1, rows=1, unexpected=2)
    assert [(each.kind, each.position) for each in world.findings.problems] == [
        (ProblemKind.UNEXPECTED, "007"),
        (ProblemKind.UNEXPECTED, "twelve"),
    ]


def test_findings_come_by_shard_and_each_is_announced() -> None:
    said: list[str] = []
    found = audit_shards(
        ["b", "c", "a"], lambda shard_id, _: ShardFindings(shard_id), on_shard=lambda each: said.append(each.shard_id)
    )
    assert [findings.shard_id for findings in found] == ["a", "b", "c"]
    assert sorted(said) == ["a", "b", "c"]


def test_shards_are_audited_side_by_side() -> None:
    """Each waits for the other."""
    here = {"a": Event(), "b": Event()}

    def audit(shard_id: str, _: Sleep) -> ShardFindings:
        here[shard_id].set()
        assert here["b" if shard_id == "a" else "a"].wait(10)
        return ShardFindings(shard_id)

    assert len(audit_shards(here, audit, on_shard=lambda _: None)) == 2


def test_where_one_fails_the_others_end_in_a_moment() -> None:
    ended: list[str] = []
    begun = Event()

    def audit(shard_id: str, sleep: Sleep) -> ShardFindings:
        if shard_id == "bad":
            begun.wait(10)
            raise ValueError("because")
        begun.set()
        try:
            sleep(60)
        except Stopped:
            ended.append(shard_id)
            raise
        raise AssertionError("nobody woke it")

    with pytest.raises(ValueError, match="because"):
        audit_shards(["bad", "good"], audit, on_shard=lambda _: None)
    assert ended == ["good"]


def test_shards_whose_turn_has_not_come_are_not_begun_after_a_failure() -> None:
    begun: list[str] = []
    names = [f"{number:03d}" for number in range(10 * SHARDS_AT_ONCE)]

    def audit(shard_id: str, sleep: Sleep) -> ShardFindings:
        begun.append(shard_id)
        if shard_id == names[0]:
            raise ValueError("because")
        sleep(60)
        return ShardFindings(shard_id)

    with pytest.raises(ValueError, match="because"):
        audit_shards(names, audit, on_shard=lambda _: None)
    assert len(begun) < len(names)


def test_a_sleep_that_nobody_disturbs_ends() -> None:
    def audit(shard_id: str, sleep: Sleep) -> ShardFindings:
        sleep(0.0)
        return ShardFindings(shard_id)

    assert len(audit_shards(["a"], audit, on_shard=lambda _: None)) == 1


def test_a_record_that_can_t_be_a_row_is_skipped_and_not_missing(world: World) -> None:
    world.fill(2)
    world.shard.put(b"bad")
    world.fill(1)
    config = EngineConfig.model_construct(dead_letters=DeadLettersConfig(stream="letters"))
    keeps = PipelineConfig.model_validate({"stream": "orders", "database": "DB", "schema": "RAW"})
    skips = keeps.model_copy(update={"on_error": UnusableRecords.SKIP})
    in_a_folder = EngineConfig.model_construct(dead_letters=DeadLettersConfig(folder=Path("/letters")))
    skipped = Counts(records=4, rows=3, skipped=1)
    assert world.audit(not_ingested=not_ingested_of(config, keeps)) == skipped
    assert world.audit(not_ingested=not_ingested_of(in_a_folder, skips)) == skipped
    assert world.audit(not_ingested=not_ingested_of(in_a_folder, keeps)).missing == 1


def test_a_good_record_that_is_nowhere_is_missing_whatever_is_skipped(world: World) -> None:
    world.fill(2)
    world.shard.put({"n": 2})
    config = EngineConfig.model_construct(dead_letters=DeadLettersConfig(stream="letters"))
    pipeline = PipelineConfig.model_validate({"stream": "orders", "database": "DB", "schema": "RAW"})
    assert world.audit(not_ingested=not_ingested_of(config, pipeline)).missing == 1
