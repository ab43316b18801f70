"""The engine's report of itself for people: its problems, its last hours by the minute, and how far it reads each shard.

One item of the ledger, bounded and written once an epoch. No part of the shards' protocol: nothing of theirs is decided by it,
and an engine that can't write it goes on. `firnline status` reads it; `firnline pipeline pause` reads what is being loaded.
"""

import zlib
from dataclasses import dataclass, replace

import msgspec

MOST_PROBLEMS, MOST_SHARDS, MOST_STREAMS, MOST_MINUTES = 50, 2000, 12, 180
MOST_BYTES = 380_000  # an item of DynamoDB holds 400 KB


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineProblem:
    """A problem that keeps a shard, a pipeline or the engine from going on."""

    id: str
    what: str
    next_step: str
    stream: str = ""
    """Empty where it is the engine's own."""
    shard: str = ""
    """Empty where it is the whole pipeline's."""
    since_ms: int = 0
    """The time at which it was met first; of the machine's clock, like all times here."""
    tries: int = 1
    """How often it was met in a row."""
    next_try_ms: int = 0
    """0 where it is tried with each epoch, or the engine has ended."""
    has_stopped: bool = False
    """True if it outlasted its patience, or a person has to decide: it is tried again at `next_try_ms` only."""


@dataclass(frozen=True, slots=True)
class MinuteCounts:
    """One stream, one minute of the clock."""

    stream: str
    minute: int
    """Since 1970."""
    records: int = 0
    rows: int = 0
    bytes: int = 0
    dead_letters: int = 0
    rejected_rows: int = 0
    lag_ms: int = 0
    """Of the slowest shard, at worst."""

    def plus(self, other: "MinuteCounts") -> "MinuteCounts":
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMS}
        return MinuteCounts(self.stream, self.minute, lag_ms=max(self.lag_ms, other.lag_ms), **sums)


SUMS = ("records", "rows", "bytes", "dead_letters", "rejected_rows")


@dataclass(frozen=True, slots=True)
class ShardReading:
    """The state of a shard at the end of the epoch, as its reader knows it."""

    stream: str
    shard: str
    state: str
    behind_ms: int | None = None
    """Behind the shard's tip, by Kinesis' last answer; None before the first."""
    proof_delay_ms: int | None = None
    """How long the oldest rows waited for their proof in the epoch, at worst; None where none was sent."""
    rows: int = 0
    """That were sent in the epoch."""
    uncommitted_s: int = 0
    """For how long rows have waited while Snowflake committed none of the shard's."""
    uncommitted_rows: int = 0


@dataclass(frozen=True, slots=True)
class ReportedCounts:
    """The running totals of a shard that `minutes` have: the next run's receipts are counted from there."""

    stream: str
    created_ms: int
    shard: str
    begun_by: str
    has_all_rows: bool
    rows: int
    dead_letters: int
    through: str = ""
    """The token that the rows are counted up to; empty where an earlier release has reported them."""
    reported_through: str = ""
    """And the dead letters."""
    tallied_through: str = ""
    """And everything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineReport:
    """The newest one replaces the one before, also an earlier run's."""

    run_id: str
    at_ms: int
    began_ms: int = 0
    """The time at which the run took the application."""
    started_ms: int = 0
    """The time at which Spark was up, with its executors, and the run could begin to open shards; 0 until then."""
    epochs: int = 0
    """That ended since then."""
    version: str = ""
    configuration: str = ""
    ended_ms: int = 0
    """0 while it runs."""
    problems: tuple[EngineProblem, ...] = ()
    """Those that have stopped come first."""
    all_problems: int = 0
    """As many as there are; `problems` has MOST_PROBLEMS of them, or those of which there is room for the words."""
    minutes: tuple[MinuteCounts, ...] = ()
    shards: tuple[ShardReading, ...] = ()
    loading: tuple[str, ...] = ()
    """Streams of which rows may be on their way into their tables by file: written before, and when that is over."""
    reported: tuple[ReportedCounts, ...] = ()
    """Of the MOST_SHARDS shards that were heard of last."""

    def to_bytes(self) -> bytes:
        """The report, compressed. With every field at its bound it takes a tenth of MOST_BYTES if the words repeat;
        otherwise the last problems are dropped."""
        data = zlib.compress(msgspec.json.encode(self))
        if len(data) <= MOST_BYTES or not self.problems:
            return data
        return replace(self, problems=self.problems[: len(self.problems) // 2]).to_bytes()


def report_from_bytes(data: bytes) -> EngineReport | None:
    """Returns None for a report that another release wrote in a form that this one can't read."""
    try:
        return msgspec.json.decode(zlib.decompress(data), type=EngineReport)
    except (zlib.error, msgspec.DecodeError):
        return None
