"""What `firnline status` tells: what the runtime says of its runs, and what the ledger says of the engine and its shards."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from firnline_infra.rollout.records import DeploymentRecord
from firnline_infra.rollout.shards import EngineLedger, run_of, shard_rows
from firnline_infra.runtimes.service import Run
from firnline_ingest.config.pipeline import IDLE_AFTER_SECONDS
from firnline_ingest.ledger.backend import BY_HAND
from firnline_ingest.ledger.backend import Run as EngineRun
from firnline_ingest.ledger.lease import is_alive
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.ledger.standby import Standby, StandbyState

MOST_INCIDENTS, HOUR_MS = 10, 3_600_000
WAITING = (StandbyState.PREPARING, StandbyState.READY)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardStatus:
    stream: str
    shard: str
    is_read: bool
    """By the engine that holds the application."""
    behind_s: float | None
    """Everything that arrived before so many seconds ago is accounted for; None where nothing was read yet. A shard's row is
    written every half a minute where nothing arrives."""
    idle_s: float | None
    """For how long no record has come, where it was seen read to its tip; None where that is not known."""
    is_idle: bool
    """Whether that is its pipeline's `idle_after_seconds` or more."""
    time_to_trim_s: float | None
    """Until Kinesis drops the oldest record that is not accounted for; None where nothing was read yet, or it has ended."""
    has_ended: bool
    is_paused: bool
    """Whether a person has paused its pipeline."""
    unproven: bool
    """Whether rows may have been sent that are not proven yet."""
    rejected_rows: int = 0
    """Rows that its tables refused since its channels were made, as far as that is proven or was accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentStatus:
    stream: str
    shard: str
    kind: str
    last_ms: int
    count: int
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StandbyStatus:
    holder: str
    """The process."""
    whose: str
    """The id of the run that it is of."""
    hash: str
    """Of that run's job."""
    state: str
    """`preparing` or `ready`."""
    is_promoted: bool
    """Whether a deploy has told it to take over, once the application is free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    application: str
    runs: tuple[Run, ...]
    deployment: DeploymentRecord | None
    """The newest one."""
    holder: str
    """The process that holds the application; empty where none does."""
    whose: str
    """The id of the run that the holder is of, or `by hand`; empty where that is not known."""
    is_beating: bool
    waiting: int
    """Shards that the holder has no room for: executors or cores are too few (FL-1211)."""
    standby: StandbyStatus | None
    """The engine that stands by, of a run that is there."""
    shards: tuple[ShardStatus, ...]
    incidents: tuple[IncidentStatus, ...]
    """The last ones, newest first."""
    notes: tuple[str, ...] = ()
    """What could not be looked at, and why."""

    def as_document(self) -> dict[str, Any]:
        """For programs; a field may be added, and none is renamed."""
        runs = [
            {**asdict(run), "state": run.state.value, "since": run.since.isoformat() if run.since else None}
            for run in self.runs
        ]
        told = ("number", "hash", "outcome", "by", "began", "told")
        return {
            "application": self.application,
            "is_running": self.is_beating,
            "runs": runs,
            "deployment": {name: getattr(self.deployment, name) for name in told} if self.deployment else None,
            "engine": {
                "holder": self.holder,
                "is_beating": self.is_beating,
                "whose": self.whose,
                "waiting_shards": self.waiting,
            }
            if self.holder
            else None,
            "standby": asdict(self.standby) if self.standby else None,
            "shards": [asdict(each) for each in self.shards],
            "incidents": [asdict(each) for each in self.incidents],
            "notes": list(self.notes),
        }


def status_of(
    application: str,
    *,
    runs: Sequence[Run],
    ledger: EngineLedger,
    streams: Iterable[str],
    deployment: DeploymentRecord | None,
    now_ms: int,
    idle_after_s: Mapping[str, int] = MappingProxyType({}),
    sleep: Callable[[float], object] = time.sleep,
) -> Status:
    """Looks at the engine's heart for some seconds."""
    engine = ledger.current_run()
    is_beating = engine is not None and is_alive(ledger, engine, sleep)
    streams = list(streams)
    rows = sorted(shard_rows(ledger, streams).values(), key=lambda row: str(row.key))
    paused = {stream for stream in streams if (mark := ledger.mark(stream)) and mark.is_paused}
    return Status(
        application=application,
        runs=tuple(runs),
        deployment=deployment,
        holder=engine.holder if engine else "",
        whose=_whose(engine, runs) if engine else "",
        is_beating=is_beating,
        waiting=engine.waiting if engine else 0,
        standby=_standby(ledger.standby(), runs),
        shards=tuple(_shard(row, engine, now_ms, paused, idle_after_s) for row in rows),
        incidents=_incidents(rows),
    )


def _standby(row: Standby | None, runs: Sequence[Run]) -> StandbyStatus | None:
    of = next((run for run in runs if row and run.start and run.start == row.start), None)
    if row is None or of is None or row.state not in WAITING:
        return None
    return StandbyStatus(
        holder=row.holder, whose=of.id, hash=of.hash, state=row.state.value, is_promoted=row.is_admitted
    )


def _whose(engine: EngineRun, runs: Sequence[Run]) -> str:
    of = next((run.id for run in runs if run.start and run.start == engine.start), "")
    return of or (BY_HAND if engine.start == BY_HAND else "")


def _shard(
    row: ShardRow, engine: EngineRun | None, now_ms: int, paused: Collection[str], idle_after_s: Mapping[str, int]
) -> ShardStatus:
    idle_s = _idle_s(row)
    is_read = engine is not None and run_of(row) == engine.run_id and not row.ended
    return ShardStatus(
        stream=row.key.stream,
        shard=row.key.shard_id,
        is_read=is_read,
        behind_s=max(0, now_ms - row.known_ms) / 1000 if row.known_ms else None,
        idle_s=idle_s,
        is_idle=is_read and idle_s is not None and idle_s >= idle_after_s.get(row.key.stream, IDLE_AFTER_SECONDS),
        time_to_trim_s=_time_to_trim_s(row, now_ms),
        has_ended=row.ended,
        is_paused=row.key.stream in paused,
        unproven=row.is_sending,
        rejected_rows=sum(entry.proven.rows_error for entry in row.channels.values()),
    )


def _idle_s(row: ShardRow) -> float | None:
    """By the service's clock: from its last record, or the first look at it, to the last answer that showed its tip."""
    since_ms = row.arrived_ms or row.since_ms
    return (row.tip_ms - since_ms) / 1000 if since_ms and row.tip_ms >= since_ms and not row.ended else None


def _time_to_trim_s(row: ShardRow, now_ms: int) -> float | None:
    if row.ended or not row.known_ms or not row.retention_hours:
        return None
    return max(0, row.known_ms + row.retention_hours * HOUR_MS - now_ms) / 1000


def _incidents(rows: Iterable[ShardRow]) -> tuple[IncidentStatus, ...]:
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
