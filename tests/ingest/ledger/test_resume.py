"""A person's decision: when it may be written, about which shards, and that a run which was killed is not an obstacle."""

import argparse
from dataclasses import replace

import pytest

from firnline_ingest.commands.output import plain_echo
from firnline_ingest.commands.resume import RESUME
from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.start import AtTimestamp, TrimHorizon
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.errors import AnotherEngineRuns, Fenced
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.resume import (
    NothingToResume,
    TableUnnamed,
    accept_errors,
    accepted_table,
    decide,
    is_held,
    resume_from,
)
from firnline_ingest.ledger.row import ChannelEntry, Proven, ResumeFrom, ShardRow
from firnline_ingest.values import Fence, Position, ShardKey
from tests.fakes.configs import TARGET, config
from tests.fakes.ledger import MemoryLedger

KEYS = [ShardKey("events", 1, f"shardId-{number:012}") for number in range(3)]


@pytest.fixture
def ledger() -> MemoryLedger:
    """Two shards that were read for a while, and one that has ended."""
    ledger = MemoryLedger()
    for key in KEYS:
        row = ledger.take(key, Fence(), "engine", AtTimestamp(42))
        channels = {f"app~{key.shard_id}": ChannelEntry(TARGET, Proven(Position(7), 7))}
        ledger.write(replace(row, read_through=Position(9), tip_ms=5, channels=channels, ended=key is KEYS[2]))
    return ledger


def row_of(ledger: MemoryLedger, key: ShardKey) -> ShardRow:
    return ledger.kept[key]


def from_horizon(row: ShardRow) -> ShardRow:
    return resume_from(row, ResumeFrom.TRIM_HORIZON, 1000)


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_shard_is_ours_since_the_service_s_time_whatever_a_person_s_machine_says(
    ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch, is_replaced: bool
) -> None:
    """A clock that is a month ahead would hide what leaves retention in that month."""
    found = Lineage("events", 2 if is_replaced else 1, 24, {}, listed_ms=777)
    ledger.set_mark("events", StreamMark("events@1", since_ms=5), None)
    monkeypatch.setattr("firnline_ingest.kinesis.lineage.read_lineage", lambda *_: found)
    monkeypatch.setattr("firnline_ingest.ledger.provision.open_ledger", lambda _: ledger)
    options = argparse.Namespace(
        stream="events", shard=None, start="trim-horizon", accept_errors=None, table=None, echo=plain_echo
    )
    assert RESUME.run(config(), options) == 0
    mark = ledger.mark("events")
    assert (mark.since_ms if is_replaced else row_of(ledger, KEYS[0]).since_ms) == 777


def test_a_decision_works_after_a_run_that_was_killed(ledger: MemoryLedger) -> None:
    ledger.begin_run(Run("dead", "process 1"), None)
    looks: list[float] = []
    lease = RunLease(ledger, "app", sleep=looks.append)
    assert decide(ledger, lease, "events@1", KEYS[0].shard_id, from_horizon) == [KEYS[0]]
    assert sum(looks) >= 3.0, "the dead run's heart was listened to"
    row = row_of(ledger, KEYS[0])
    assert (row.reset, row.read_through, row.start) == (ResumeFrom.TRIM_HORIZON, None, TrimHorizon())
    assert [incident.kind for incident in row.incidents] == [IncidentKind.RESUMED]
    assert ledger.current_run() is None


def test_while_an_engine_runs_nothing_is_decided(ledger: MemoryLedger) -> None:
    ledger.begin_run(Run("alive", "process 1"), None)
    before = ledger.rows("events@1")

    def meanwhile(_: float) -> None:
        ledger.beat("alive")

    with pytest.raises(AnotherEngineRuns):
        decide(ledger, RunLease(ledger, "app", sleep=meanwhile), "events@1", None, from_horizon)
    assert ledger.rows("events@1") == before
    run = ledger.current_run()
    assert run.run_id == "alive"


def test_no_engine_starts_while_it_is_decided(ledger: MemoryLedger) -> None:
    holders = []

    def look(row: ShardRow) -> ShardRow:
        run = ledger.current_run()
        holders.append(run and run.run_id)
        return from_horizon(row)

    lease = RunLease(ledger, "app", sleep=lambda _: None)
    decide(ledger, lease, "events@1", None, look)
    assert holders == [lease.run.run_id] * 2


def test_all_shards_are_those_that_have_not_ended(ledger: MemoryLedger) -> None:
    lease = RunLease(ledger, "app", sleep=lambda _: None)
    assert decide(ledger, lease, "events@1", None, from_horizon) == KEYS[:2]
    assert row_of(ledger, KEYS[2]).ended
    assert decide(ledger, lease, "events@1", KEYS[2].shard_id, from_horizon) == [KEYS[2]]
    assert not row_of(ledger, KEYS[2]).ended


HOUR_MS = 3_600_000
NOW_MS = 1_800_000_000_000


def command(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch, start: str, lineage: Lineage) -> None:
    monkeypatch.setattr("firnline_ingest.kinesis.lineage.read_lineage", lambda *_: lineage)
    monkeypatch.setattr("firnline_ingest.ledger.provision.open_ledger", lambda _: ledger)
    options = argparse.Namespace(
        stream="events", shard=None, start=start, accept_errors=None, table=None, echo=plain_echo
    )
    assert RESUME.run(config(), options) == 0


def test_from_the_horizon_are_also_those_that_have_ended_and_that_the_stream_still_holds(
    ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = {key.shard_id: ListedShard(key.shard_id) for key in KEYS}
    command(ledger, monkeypatch, "proven", Lineage("events", 1, 24, shards, listed_ms=6))
    assert row_of(ledger, KEYS[2]).ended
    command(ledger, monkeypatch, "trim-horizon", Lineage("events", 1, 24, shards, listed_ms=6))
    assert not row_of(ledger, KEYS[2]).ended
    assert all(row_of(ledger, key).reset is ResumeFrom.TRIM_HORIZON for key in KEYS)


@pytest.mark.parametrize(
    ("known_hours_ago", "used_days_ago", "is_listed", "expected"),
    [
        (10, 1, True, True),
        (24 * 40 - 2, 28, True, True),
        (10, 1, False, False),  # gone
        (24 * 40 - 1, 1, True, False),  # nearly gone: the engine would find nothing of it
        (10, 30, True, False),  # what its channel had may be unknown by now, and would come twice
    ],
)
def test_a_shard_that_has_ended_is_read_again_where_the_stream_has_it_and_nothing_comes_twice(
    ledger: MemoryLedger, known_hours_ago: int, used_days_ago: int, is_listed: bool, expected: bool
) -> None:
    listed = KEYS if is_listed else KEYS[:2]
    shards = {key.shard_id: ListedShard(key.shard_id) for key in listed}
    lineage = Lineage("events", 1, 24 * 40, shards, listed_ms=NOW_MS)
    row = replace(
        row_of(ledger, KEYS[2]),
        arrived_ms=NOW_MS - known_hours_ago * HOUR_MS,
        sent_ms=NOW_MS - used_days_ago * 24 * HOUR_MS,
    )
    assert is_held(row, lineage) is expected
    assert is_held(replace(row, ended=False), lineage)


def test_a_shard_that_another_consumer_has_read_to_its_end_is_not_read_again(ledger: MemoryLedger) -> None:
    """A migration notes it so: without a channel, and without a time of its own."""
    lineage = Lineage("events", 1, 24, {KEYS[2].shard_id: ListedShard(KEYS[2].shard_id)}, listed_ms=NOW_MS)
    assert not is_held(ShardRow(key=KEYS[2], start=TrimHorizon(), ended=True), lineage)


def test_an_attempt_that_goes_on_after_a_decision_is_fenced(ledger: MemoryLedger) -> None:
    zombie = row_of(ledger, KEYS[0])
    decide(ledger, RunLease(ledger, "app", sleep=lambda _: None), "events@1", None, from_horizon)
    with pytest.raises(Fenced):
        ledger.write(replace(zombie, read_through=Position(10)))


def test_a_name_that_nobody_knows_is_said_so_and_the_application_is_free_again(ledger: MemoryLedger) -> None:
    for incarnation, shard in (("orders@1", None), ("events@1", "shardId-7")):
        with pytest.raises(NothingToResume, match="no row"):
            decide(ledger, RunLease(ledger, "app", sleep=lambda _: None), incarnation, shard, from_horizon)
    assert ledger.current_run() is None


def test_accepting_errors_changes_nothing_else(ledger: MemoryLedger) -> None:
    before = row_of(ledger, KEYS[0])
    decide(
        ledger,
        RunLease(ledger, "app", sleep=lambda _: None),
        "events@1",
        KEYS[0].shard_id,
        lambda row: accept_errors(row, Position(8), 1000),
    )
    after = row_of(ledger, KEYS[0])
    assert after.accepted_errors_through("EVENTS") == Position(8)
    assert replace(after, incidents=(), fence=before.fence) == before


def test_accepted_errors_of_one_table_are_not_those_of_another(ledger: MemoryLedger) -> None:
    row = accept_errors(accept_errors(row_of(ledger, KEYS[0]), Position(8), 1, table="A"), Position(5), 2, table="B")
    assert [row.accepted_errors_through(name) for name in ("A", "B", "C")] == [Position(8), Position(5), None]
    for number in range(30):
        row = row.with_incident(Incident(IncidentKind.CHANNEL_EXPIRED, number, str(number)))
    assert [row.accepted_errors_through(name) for name in ("A", "B", "C")] == [Position(8), Position(5), None]


@pytest.mark.parametrize("where", list(ResumeFrom))
def test_an_acceptance_ends_where_a_person_resumes_the_shard_from_elsewhere(
    ledger: MemoryLedger, where: ResumeFrom
) -> None:
    row = row_of(ledger, KEYS[0])
    for n in range(50):  # so that most of them are summed up
        row = row.with_incident(Incident(IncidentKind.ACCEPTED_ERRORS, n, str(n), Position(1000 + n)))
    resumed = resume_from(row, where, 100)
    assert (row.accepted_errors_through("EVENTS"), resumed.accepted_errors_through("EVENTS")) == (Position(1049), None)
    assert sum(each.count for each in resumed.incidents if each.kind is IncidentKind.ACCEPTED_EARLIER) == 50
    assert accept_errors(resumed, Position(3), 101).accepted_errors_through("EVENTS") == Position(3)


@pytest.mark.parametrize(
    ("tables", "named", "accepted"),
    [
        (["A"], None, "A"),
        ([""], None, ""),
        (["A"], "a", "A"),
        (["A", "b"], "b", "b"),
        (["A", "b"], '"b"', "b"),
        (["A", "b"], "a", "A"),
    ],
)
def test_the_table_that_rejected_is_named(tables: list[str], named: str | None, accepted: str) -> None:
    assert accepted_table(tables, named) == accepted


@pytest.mark.parametrize("named", [None, "C"])
def test_no_table_or_another_ones_name_is_refused_with_those_that_there_are(named: str | None) -> None:
    with pytest.raises(TableUnnamed, match="A, B"):
        accepted_table(["A", "B"], named)
