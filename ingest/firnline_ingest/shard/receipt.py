"""Events of a shard since the receipt before: counted while it runs, reported to the driver at an epoch's end.

The receipt is the only thing of an epoch that crosses the JVM.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from firnline_ingest.config.metrics import (
    BYTES,
    DEAD_LETTERS,
    INCIDENTS,
    INGESTED,
    INTERRUPTIONS,
    LAG,
    LEFT_OUT,
    NEW_COLUMNS,
    NOT_NULLS_DROPPED,
    OPENS,
    PROOF_DELAY,
    RECORDS,
    REJECTED_ROWS,
    REPLAYED_ROWS,
    REREAD_LETTERS,
    REREAD_ROWS,
    ROWS,
    SKIPPED,
    THROTTLED,
    UNANSWERED,
    UNKNOWN_KEYS,
    UNREADABLE_PAGES,
    Metric,
)
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.row import RunningTotals
from firnline_ingest.records.rejection import LeftOut
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from firnline_ingest.kinesis.reader import Read

COUNTER, METRIC = "counter", "metric"
"""In the metadata of a field."""


class ShardState(StrEnum):
    READING = "reading"
    OPENING = "opening"
    DONE = "done"
    """A bounded run: everything that arrived by its end is proven."""
    ENDED = "ended"
    """The shard was read to its end, and all of it is proven; its children are named in the ledger."""
    FENCED = "fenced"
    WAITING = "waiting"
    """There is no room: executors or cores are too few. Its records stay in the stream meanwhile."""
    FAILED = "failed"
    LATE = "late"
    """Inside a call that does not return; what it did since the receipt before is not known yet."""


@dataclass(frozen=True, slots=True)
class ShardProblem:
    """An error as text, because it crosses processes and versions."""

    id: str
    what: str
    next_step: str
    is_retryable: bool

    @classmethod
    def of(cls, error: Exception) -> Self:
        if isinstance(error, FirnlineError):
            return cls(error.id, error.what, error.next_step, error.is_retryable)
        return cls("FL-1000", f"{type(error).__name__}: {error}", "this is a defect of ours: please report it.", False)


def counter(metric: Metric | None = None) -> int:
    """Declares a counter, which only ever rises: its metric has its meaning and unit, if it is published."""
    declared: int = field(default=0, metadata={COUNTER: True, METRIC: metric})
    return declared


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counters of a shard's thread, for receipts, progress lines and metrics: the one declaration of each counter.

    The counts are sums since the process took the shard; a receipt has those since the receipt before.
    """

    records: int = counter(RECORDS)
    """The sum of ingested, dead_letters, reread_letters, skipped, tombstones, control_messages and filtered."""
    ingested: int = counter(INGESTED)
    rows: int = counter(ROWS)
    reread_rows: int = counter(REREAD_ROWS)
    routed_rows: int = counter()
    """Of all rows, those that went to another table than the pipeline's own."""
    bytes: int = counter(BYTES)
    dead_letters: int = counter(DEAD_LETTERS)
    reread_letters: int = counter(REREAD_LETTERS)
    skipped: int = counter(SKIPPED)
    rejected_rows: int = counter(REJECTED_ROWS)
    rejection: str = ""
    """The server's words about the last rejected row."""
    rejected_through: str = ""
    """The last rejected row is at or before this token, by the server, and behind `proven` of the receipt before."""
    tombstones: int = counter()
    """Records without content, in a pipeline that ignores them."""
    control_messages: int = counter()
    """Records by which CloudWatch Logs only tests the way."""
    filtered: int = counter()
    """Records that a transform leaves out."""
    unknown_keys: int = counter(UNKNOWN_KEYS)
    new_columns: int = counter(NEW_COLUMNS)
    """Of the stream's table; the driver counts them, in one of an epoch's receipts of the stream."""
    not_nulls_dropped: int = counter(NOT_NULLS_DROPPED)
    """The same."""
    replayed_rows: int = counter(REPLAYED_ROWS)
    """Of dead letters of the stream, by file; the driver counts them, in one of an epoch's receipts of the stream."""
    opens: int = counter(OPENS)
    interruptions: int = counter(INTERRUPTIONS)
    incidents: int = counter(INCIDENTS)
    unreadable_pages: int = counter(UNREADABLE_PAGES)
    cbor_refusals: int = counter()
    """How often a server made nothing of CBOR; its pages come as JSON from then on. One shard of a process counts it."""
    reads: int = counter()
    throttled: int = counter(THROTTLED)
    new_keys: Mapping[str, list[str]] = field(default_factory=dict)
    """First-level keys that came for the first time, each with its record's sequence number and what the value was."""
    behind_ms: int | None = field(default=None, metadata={METRIC: LAG})
    """Of the last answer; None before the first one. While no answer comes it grows with the time since then."""
    unanswered_s: int = field(default=0, metadata={METRIC: UNANSWERED})
    idle_s: int = 0
    """For how long no record came, as of the last answer; 0 where that was not the shard's tip."""
    watermark_ms: int = 0
    """Service time: what arrived before is accounted for, as the ledger has it; 0 where nothing was read yet."""

    @property
    def left_out(self) -> int:
        """Records that are intentionally not ingested."""
        return self.tombstones + self.control_messages + self.filtered

    def read(self, read: "Read") -> None:
        if read.behind_ms is not None:
            self.behind_ms = read.behind_ms

    def took(self, ingested: int, left_out: Mapping[LeftOut, int]) -> None:
        """Counts records that are sent, or intentionally not ingested."""
        self.ingested += ingested
        self.records += ingested + sum(left_out.values())
        self._leave_out(left_out)

    def refused(self, *, kept: int = 0, kept_before: int = 0, skipped: int = 0) -> None:
        """Counts records that can't be rows."""
        self.dead_letters += kept
        self.reread_letters += kept_before
        self.skipped += skipped
        self.records += kept + kept_before + skipped

    def _leave_out(self, counted: Mapping[LeftOut, int]) -> None:
        self.tombstones += counted.get(LeftOut.TOMBSTONE, 0)
        self.control_messages += counted.get(LeftOut.CONTROL_MESSAGE, 0)
        self.filtered += counted.get(LeftOut.FILTERED, 0)

    def sighted(self, keys: Mapping[str, tuple[str, str]]) -> None:
        self.new_keys = {**self.new_keys, **{key: list(where) for key, where in keys.items()}}

    def since(self, before: "Tally") -> "Tally":
        """Returns what was counted after `before`; where the shard stands is as it is now."""
        counts = {name: getattr(self, name) - getattr(before, name) for name in COUNTS}
        told = (self.rejection, self.rejected_through) if counts["rejected_rows"] else ("", "")
        new = {key: where for key, where in self.new_keys.items() if key not in before.new_keys}
        stands = {name: getattr(self, name) for name in STANDS}
        return Tally(**counts, rejection=told[0], rejected_through=told[1], new_keys=new, **stands)

    def counts(self) -> dict[str, Any]:
        """The counts for a log line; new keys are counted, not listed."""
        return {**self.as_dict(), "new_keys": len(self.new_keys)}

    def as_dict(self) -> dict[str, Any]:
        """The counts under the names that a receipt uses too."""
        return asdict(self)


STANDS = ("behind_ms", "unanswered_s", "idle_s", "watermark_ms")
"""Where the shard stands: reported as it is."""
UNTOLD = (
    "records",
    "ingested",
    "rows",
    "reread_rows",
    "routed_rows",
    "bytes",
    "dead_letters",
    "reread_letters",
    "skipped",
    "rejected_rows",
    "tombstones",
    "control_messages",
    "filtered",
    "unknown_keys",
)
"""What the ledger keeps of counts that no receipt has reported yet: those of records, not of a process."""
COUNTS = tuple(each.name for each in fields(Tally) if each.metadata.get(COUNTER))


@dataclass(slots=True, kw_only=True)
class Receipt(Tally):
    """One shard, one epoch: its counts since the receipt before, and how it stands. Positions are tokens, or empty."""

    stream: str
    stream_created_ms: int
    shard_id: str
    epoch: int
    state: ShardState
    start: str = ""
    end: str = ""
    proven: str = ""
    proof_delay_ms: int | None = field(default=None, metadata={METRIC: PROOF_DELAY})
    """How long the oldest rows waited for their proof, at worst; None if none was sent."""
    is_idle: bool = False
    """True if nothing came for `idle_after_seconds`, while Kinesis answers."""
    time_to_trim_s: int | None = None
    """Until Kinesis drops the oldest record that was not read; None if it never answered."""
    pid: int = 0
    uncommitted_s: int = 0
    """For how long rows have waited while Snowflake committed none of the shard's; 0 where none wait."""
    uncommitted_rows: int = 0
    totals: RunningTotals | None = None
    """Up to `end`, with what other processes had counted before; None before the first opening, and after another's."""
    fingerprint: str = ""
    """Of the Snowflake key that the shard's channel was opened with."""
    problem: ShardProblem | None = None

    @classmethod
    def of(cls, key: ShardKey, tally: Tally, **others: Any) -> Self:
        """The shard's names and the epoch's counts as they are, and what else a receipt has."""
        return cls(**asdict(key), **tally.as_dict(), **others)

    @classmethod
    def of_pipeline(cls, stream: str, epoch: int, problem: ShardProblem) -> Self:
        """A receipt without a shard: the stream can't be planned, or its table can't be written to."""
        failed = ShardState.FAILED
        return cls(stream=stream, stream_created_ms=0, shard_id="", epoch=epoch, state=failed, problem=problem)

    @property
    def key(self) -> ShardKey:
        return ShardKey(self.stream, self.stream_created_ms, self.shard_id)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        problem, totals = document["problem"], document["totals"]
        return cls(
            **{
                **document,
                "state": ShardState(document["state"]),
                "problem": ShardProblem(**problem) if problem else None,
                "totals": RunningTotals.from_dict(totals) if totals else None,
            }
        )


PUBLISHED: Mapping[Metric, str] = MappingProxyType(
    {metric: each.name for each in fields(Receipt) if (metric := each.metadata.get(METRIC))} | {LEFT_OUT: "left_out"}
)
"""The metrics that are made of receipts, each with what it is made of."""
