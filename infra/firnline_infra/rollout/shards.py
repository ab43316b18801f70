"""Progress of an engine, from the ledger alone: whose each shard is, and where it stood when its row was written."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from firnline_ingest.ledger.backend import LeaseLedger
from firnline_ingest.ledger.engine_report import EngineReport
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import ShardKey

FRESH_MS = 5 * 60_000  # an engine writes each row every half a minute, also where nothing arrives


class EngineLedger(LeaseLedger, Protocol):
    """The part of the ledger that a roll-out needs: the run that holds the application, the one that stands by, and the
    rows of its streams."""

    def mark(self, stream: str) -> StreamMark | None: ...

    def begun_streams(self) -> Collection[str]: ...

    def report(self) -> EngineReport | None: ...

    def rows(self, incarnation: str) -> Mapping[str, ShardRow]: ...


def shard_rows(ledger: EngineLedger, streams: Iterable[str]) -> dict[ShardKey, ShardRow]:
    """The rows of what the application reads under the names of the streams; a stream that it has never read has none."""
    marks = (ledger.mark(stream) for stream in streams)
    return {row.key: row for mark in marks if mark for row in ledger.rows(mark.incarnation).values()}


def without_paused(ledger: EngineLedger, streams: Iterable[str]) -> frozenset[str]:
    """The streams that no person has paused: an engine reads the others when they are resumed."""
    return frozenset(stream for stream in streams if not ((mark := ledger.mark(stream)) and mark.is_paused))


def run_of(row: ShardRow) -> str:
    """The id of the run that has the shard."""
    return row.fence.owner.partition("/")[0]


def read_lately(rows: Mapping[ShardKey, ShardRow]) -> frozenset[ShardKey]:
    """The shards that an engine was reading when the newest of these rows was written."""
    newest = max((row.heartbeat_ms for row in rows.values()), default=0)
    return frozenset(
        key for key, row in rows.items() if row.heartbeat_ms and not row.ended and newest - row.heartbeat_ms < FRESH_MS
    )


@dataclass(frozen=True, slots=True)
class Takeover:
    """The shards that a new run has taken, compared with the rows before it began."""

    opened: frozenset[ShardKey]
    """The shards whose channels are open, and which are read."""
    at_tip: frozenset[ShardKey]
    """Everything that had arrived is accounted for, at some moment since the run began."""
    missing: frozenset[ShardKey]
    """Were read before, and are not yet by this run."""

    @property
    def is_complete(self) -> bool:
        return bool(self.opened) and not self.missing


def takeover(
    run_id: str,
    *,
    before: Mapping[ShardKey, ShardRow],
    now: Mapping[ShardKey, ShardRow],
    needed: Collection[ShardKey],
) -> Takeover:
    """`needed`: the shards that were read before. One that has ended meanwhile was read to its end."""
    opened = {key for key, row in now.items() if run_of(row) == run_id and _is_written(row, before.get(key))}
    tip_ms = {key: row.tip_ms for key, row in before.items()}
    at_tip = {key for key in opened if now[key].ended or now[key].tip_ms > tip_ms.get(key, 0)}
    ended = {key for key, row in now.items() if row.ended}
    return Takeover(frozenset(opened), frozenset(at_tip), frozenset(set(needed) - opened - ended))


def _is_written(row: ShardRow, before: ShardRow | None) -> bool:
    """True if the opening wrote the row, right before the first read; taking a shard changes nothing but its fence. If the
    run had the shard before already, a deploy was killed while it watched."""
    if before is not None and before.heartbeat_ms and run_of(before) == run_of(row):
        return True
    return row.heartbeat_ms > (before.heartbeat_ms if before else 0) or row.tip_ms > (before.tip_ms if before else 0)
