"""What happened to a shard since the receipt before: counted while it runs, told to the driver at an epoch's end.

The receipt is the only thing of an epoch that crosses the JVM.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any, Self

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.reader import Read
from firnline_ingest.records.rejection import LeftOut
from firnline_ingest.values import ShardKey


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


@dataclass(slots=True)
class Tally:
    """What a shard's thread counts, for receipts and progress lines."""

    records: int = 0
    """Records that are accounted for, once more read ones included: the sum of ingested, dead_letters, reread_letters, skipped,
    tombstones, control_messages and filtered."""
    ingested: int = 0
    """Records that became rows."""
    rows: int = 0
    reread_rows: int = 0
    """Rows that were committed before and only counted."""
    routed_rows: int = 0
    """Of all rows, those that went to another table than the pipeline's own."""
    bytes: int = 0
    dead_letters: int = 0
    reread_letters: int = 0
    """Records that were dead letters before."""
    skipped: int = 0
    """Records that can't be rows, in a pipeline that skips them."""
    rejected_rows: int = 0
    """Rows that the table refused."""
    rejection: str = ""
    """The server's words about the last of them."""
    rejected_through: str = ""
    """The last of them is at or before this token, by the server, and behind `proven` of the receipt before."""
    tombstones: int = 0
    """Records without content, in a pipeline that ignores them."""
    control_messages: int = 0
    """Records by which CloudWatch Logs only tests the way."""
    filtered: int = 0
    """Records that a transform leaves out."""
    unknown_keys: int = 0
    """Of all rows, keys without a column in a table that gets no others: their values are not kept."""
    opens: int = 0
    interruptions: int = 0
    """How often an open channel was given back because of trouble that passes."""
    incidents: int = 0
    """What the ledger's row was given to keep for a person."""
    unreadable_pages: int = 0
    """Answers with a good status that are no page of records."""
    reads: int = 0
    throttled: int = 0
    new_keys: Mapping[str, list[str]] = field(default_factory=dict)
    """First-level keys that came for the first time, each with its record's sequence number and what the value was."""
    behind_ms: int | None = None
    """Of the last answer; None before the first one. While nobody answers it grows with the time since then."""
    unanswered_s: int = 0
    """Since the last good answer of Kinesis."""
    idle_s: int = 0
    """For how long no record came, as of the last answer; 0 where that was not the shard's tip."""
    watermark_ms: int = 0
    """Service time: what arrived before is accounted for, as the ledger has it; 0 where nothing was read yet."""

    def read(self, read: Read) -> None:
        if read.behind_ms is not None:
            self.behind_ms = read.behind_ms

    def took(self, ingested: int, left_out: Mapping[LeftOut, int]) -> None:
        """So many records are sent, or rightly nowhere."""
        self.ingested += ingested
        self.records += ingested + sum(left_out.values())
        self._leave_out(left_out)

    def refused(self, *, kept: int = 0, kept_before: int = 0, skipped: int = 0) -> None:
        """So many records can't be rows."""
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
        """What was counted after `before`; where the shard stands is as it is now."""
        counts = {name: getattr(self, name) - getattr(before, name) for name in COUNTS}
        told = (self.rejection, self.rejected_through) if counts["rejected_rows"] else ("", "")
        new = {key: where for key, where in self.new_keys.items() if key not in before.new_keys}
        stands = {name: getattr(self, name) for name in STANDS}
        return Tally(**counts, rejection=told[0], rejected_through=told[1], new_keys=new, **stands)

    def counts(self) -> dict[str, Any]:
        """For a log line: of new keys their number."""
        return {**self.as_dict(), "new_keys": len(self.new_keys)}

    def as_dict(self) -> dict[str, Any]:
        """By the names that a receipt has for them too."""
        return asdict(self)


STANDS = ("behind_ms", "unanswered_s", "idle_s", "watermark_ms")
"""Where the shard stands: told as it is."""
NO_COUNTS = ("rejection", "rejected_through", "new_keys", *STANDS)
COUNTS = tuple(each.name for each in fields(Tally) if each.name not in NO_COUNTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One shard, one epoch. Positions are tokens, empty where there is none yet."""

    stream: str
    stream_created_ms: int
    shard_id: str
    epoch: int
    state: ShardState
    start: str = ""
    end: str = ""
    proven: str = ""
    records: int = 0
    ingested: int = 0
    rows: int = 0
    reread_rows: int = 0
    routed_rows: int = 0
    bytes: int = 0
    dead_letters: int = 0
    reread_letters: int = 0
    skipped: int = 0
    rejected_rows: int = 0
    rejection: str = ""
    rejected_through: str = ""
    tombstones: int = 0
    control_messages: int = 0
    filtered: int = 0
    unknown_keys: int = 0
    opens: int = 0
    interruptions: int = 0
    incidents: int = 0
    unreadable_pages: int = 0
    new_keys: Mapping[str, list[str]] = field(default_factory=dict)
    proof_delay_ms: int | None = None
    """How long the oldest rows waited for their proof, at worst; None where none was sent."""
    behind_ms: int | None = None
    """None where Kinesis never answered."""
    unanswered_s: int = 0
    idle_s: int = 0
    is_idle: bool = False
    """Whether nothing came for `idle_after_seconds`, while Kinesis answers."""
    watermark_ms: int = 0
    time_to_trim_s: int | None = None
    """Until Kinesis drops the oldest record that was not read; None where it never answered."""
    reads: int = 0
    throttled: int = 0
    pid: int = 0
    fingerprint: str = ""
    """Of the Snowflake key that the shard's channel was opened with."""
    problem: ShardProblem | None = None

    @classmethod
    def of(cls, key: ShardKey, tally: Tally, **others: Any) -> Self:
        """The shard's names and the epoch's counts as they are, and what else a receipt has."""
        return cls(**asdict(key), **tally.as_dict(), **others)

    @classmethod
    def of_pipeline(cls, stream: str, epoch: int, problem: ShardProblem) -> Self:
        """Of no shard: the stream can't be planned, or its table not be written to."""
        failed = ShardState.FAILED
        return cls(stream=stream, stream_created_ms=0, shard_id="", epoch=epoch, state=failed, problem=problem)

    @property
    def left_out(self) -> int:
        """Records that are rightly nowhere."""
        return self.tombstones + self.control_messages + self.filtered

    @property
    def key(self) -> ShardKey:
        return ShardKey(self.stream, self.stream_created_ms, self.shard_id)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Self:
        problem = document["problem"]
        return cls(
            **{
                **document,
                "state": ShardState(document["state"]),
                "problem": ShardProblem(**problem) if problem else None,
            }
        )
