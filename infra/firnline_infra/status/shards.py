"""Each shard's status, from its row in the ledger and the engine's own report. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from firnline_infra.rollout.shards import run_of
from firnline_infra.status.model import IncidentStatus, ShardStatus
from firnline_ingest.config.pipeline import IDLE_AFTER_SECONDS
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.engine_report import EngineProblem, EngineReport, ShardReading
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.shard.errors import ShardUnanswered

MOST_INCIDENTS, HOUR_MS = 10, 3_600_000
NOT_READING = ("failed", "fenced", "waiting")


def shards_of(
    rows: Sequence[ShardRow],
    engine: Run | None,
    report: EngineReport | None,
    *,
    now_ms: int,
    paused: Collection[str],
    idle_after_s: Mapping[str, int],
) -> tuple[ShardStatus, ...]:
    """The shards' status in the order of the rows. `report` is that of the engine that holds the application."""
    readings = {(each.stream, each.shard): each for each in report.shards} if report else {}
    problems = _by_object(report.problems) if report else {}
    return tuple(
        _shard(
            row,
            engine,
            readings.get((row.key.stream, row.key.shard_id)),
            problems.get((row.key.stream, row.key.shard_id)) or problems.get((row.key.stream, "")),
            now_ms=now_ms,
            is_paused=row.key.stream in paused,
            idle_after_s=idle_after_s.get(row.key.stream, IDLE_AFTER_SECONDS),
        )
        for row in rows
    )


def _by_object(problems: Iterable[EngineProblem]) -> Mapping[tuple[str, str], EngineProblem]:
    return {(each.stream, each.shard): each for each in problems}


def _shard(
    row: ShardRow,
    engine: Run | None,
    reading: ShardReading | None,
    problem: EngineProblem | None,
    *,
    now_ms: int,
    is_paused: bool,
    idle_after_s: int,
) -> ShardStatus:
    idle_s = _idle_s(row)
    is_kept = bool(problem and (problem.has_stopped or problem.id == ShardUnanswered.id))
    is_kept = is_kept or bool(reading and reading.state in NOT_READING)
    is_read = engine is not None and run_of(row) == engine.run_id and not row.ended and not is_kept
    return ShardStatus(
        stream=row.key.stream,
        shard=row.key.shard_id,
        is_read=is_read,
        behind_s=max(0, now_ms - row.known_ms) / 1000 if row.known_ms else None,
        read_behind_s=reading.behind_ms / 1000 if reading and reading.behind_ms is not None else None,
        sent_s=max(0, now_ms - row.sent_ms) / 1000 if row.sent_ms else None,
        uncommitted_s=reading.uncommitted_s if reading and is_read else 0,
        uncommitted_rows=reading.uncommitted_rows if reading and is_read else 0,
        unproven=row.is_sending,
        rows=sum(entry.proven.rows_inserted for entry in row.channels.values()),
        rejected_rows=sum(entry.proven.rows_error for entry in row.channels.values()),
        idle_s=idle_s,
        is_idle=is_read and idle_s is not None and idle_s >= idle_after_s,
        time_to_trim_s=_time_to_trim_s(row, now_ms),
        retention_s=row.retention_hours * 3600,
        has_ended=row.ended,
        is_paused=is_paused,
        children=row.children,
        problem=problem.id if problem and not row.ended else "",
    )


def _idle_s(row: ShardRow) -> float | None:
    """The idle time by the service's clock: from the last record, or the first look at the shard, to the last answer that
    showed its tip."""
    since_ms = row.arrived_ms or row.since_ms
    return (row.tip_ms - since_ms) / 1000 if since_ms and row.tip_ms >= since_ms and not row.ended else None


def _time_to_trim_s(row: ShardRow, now_ms: int) -> float | None:
    if row.ended or not row.known_ms or not row.retention_hours:
        return None
    return max(0, row.known_ms + row.retention_hours * HOUR_MS - now_ms) / 1000


def incidents_of(rows: Iterable[ShardRow]) -> tuple[IncidentStatus, ...]:
    """The last ones, newest first."""
    found = [
        IncidentStatus(
            stream=row.key.stream,
            shard=row.key.shard_id,
            kind=each.kind.value,
            last_ms=each.last_ms,
            count=each.count,
            detail=each.detail,
        )
        for row in rows
        for each in row.incidents
    ]
    return tuple(sorted(found, key=lambda each: -each.last_ms)[:MOST_INCIDENTS])
