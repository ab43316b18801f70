"""Selection of dead letters, and what becomes of those that can't be read.

Stream, shard and the time of writing are in the names of what stores keep, so they are known without opening anything;
a reason is inside.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from firnline_ingest.dead_letters.letter import DeadLetter, DeadLetterKey, path_name
from firnline_ingest.errors import DeadLetterError
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.values import ShardKey

OnDamaged = Callable[[DeadLetterError], None]
"""Is called with each dead letter, file or object that can't be read."""
REASONS = tuple(map(str, RejectReason))
"""Which a dead letter may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """All that is given has to be true of a dead letter; by default every dead letter is chosen."""

    stream: str | None = None
    created_ms: int | None = None
    """Of the stream that was created then; one that is created again under its name has other records."""
    shard: str | None = None
    since: datetime | None = None
    """Written at this time or later, by the store's clock."""
    until: datetime | None = None
    """Written before this time."""
    reasons: frozenset[str] = frozenset()
    """One of these; none where any will do."""

    def has_stream(self, stream: str) -> bool:
        return self.stream in (None, stream)

    def has_shard(self, stream: str, created_ms: int, shard: str) -> bool:
        is_incarnation = self.has_stream(stream) and self.created_ms in (None, created_ms)
        return is_incarnation and self.shard in (None, shard)

    def has_time(self, written: datetime) -> bool:
        return (self.since is None or written >= self.since) and (self.until is None or written < self.until)

    def has(self, letter: DeadLetter) -> bool:
        """True if the dead letter belongs to the choice, as far as its own fields can tell."""
        is_of_shard = self.has_shard(letter.stream, letter.stream_created_ms, letter.shard_id)
        return is_of_shard and (not self.reasons or letter.reason in self.reasons)

    @property
    def folder(self) -> str:
        """Begins the names of all that is chosen, as stores name it: of one shard's dead letters, no other's are listed."""
        if self.stream is None:
            return ""
        if self.created_ms is None or self.shard is None:
            return f"{path_name(self.stream)}@"
        return f"{path_name(self.stream)}@{self.created_ms}/{path_name(self.shard)}/"

    @property
    def is_timed(self) -> bool:
        return self.since is not None or self.until is not None


ALL = Choice()


def refuse(damaged: DeadLetterError) -> None:
    """An OnDamaged for callers that need all dead letters."""
    raise damaged


class DeadLetterReader(Protocol):
    """A store as the command line reads it: what is held in memory is names, and the dead letters of one page."""

    def list(self, choice: Choice = ALL, on_damaged: OnDamaged = refuse) -> Iterator[DeadLetter]:
        """Each dead letter once, by stream, shard and position; of a stream, as they come. Raises DeadLetterError, and what
        `on_damaged` raises.
        """

    def shards(self, choice: Choice = ALL) -> Sequence[ShardKey]:
        """The shards that have dead letters, as far as names tell, in order. Raises what `list` raises."""

    def get(self, key: DeadLetterKey) -> DeadLetter:
        """Raises UnknownDeadLetter, and what `list` raises."""
