"""Records that wait to be put, and which of them may go into the next request.

A backlog is not thread-safe: its sink asks it under a lock. Where order is asked for, a key's next record is given away
only when the one before is acknowledged: PutRecords goes on behind a record that it refused, and promises no order within
a request.
"""

from collections import deque
from typing import TYPE_CHECKING, NamedTuple, Protocol

from firnline_ingest.sink.options import USUAL_RECORD_BYTES, SinkOptions

if TYPE_CHECKING:
    from mypy_boto3_kinesis.type_defs import PutRecordsRequestEntryTypeDef


class Entry(NamedTuple):
    """A record as PutRecords takes it, with its size as the service counts it."""

    data: bytes
    key: str
    hash_key: str | None
    size: int
    given_s: float = 0.0

    @property
    def fields(self) -> "PutRecordsRequestEntryTypeDef":
        found: PutRecordsRequestEntryTypeDef = {"Data": self.data, "PartitionKey": self.key}
        if self.hash_key is not None:
            found["ExplicitHashKey"] = self.hash_key
        return found


def entry(data: bytes, key: str, hash_key: str | None = None, given_s: float = 0.0) -> Entry:
    return Entry(data, key, hash_key, len(data) + (len(key) if key.isascii() else len(key.encode())), given_s)


class Backlog(Protocol):
    def add(self, entry: Entry) -> None: ...

    def is_full(self) -> bool:
        """Returns whether there is a request's worth of records that may go."""

    def oldest_s(self) -> float | None:
        """Returns when the oldest record that may go was given; None if none may."""

    def take(self) -> list[Entry]:
        """A request's records, at most; none where none may go."""

    def settle(self, entries: list[Entry]) -> None:
        """They were taken, and are acknowledged."""


class InAnyOrder:
    """First in, first out."""

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self._entries: deque[Entry] = deque()
        self._bytes = 0

    def add(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._bytes += entry.size

    def is_full(self) -> bool:
        return len(self._entries) >= self._options.batch_records or self._bytes >= self._options.batch_bytes

    def oldest_s(self) -> float | None:
        return self._entries[0].given_s if self._entries else None

    def take(self) -> list[Entry]:
        taken = Request(self._options)
        while self._entries and taken.has_room_for(self._entries[0]):
            taken.add(self._entries.popleft())
        self._bytes -= taken.size
        return taken.entries

    def settle(self, entries: list[Entry]) -> None:
        return None


class InOrderOfKeys:
    """A key is free, or one record of it is under way and the others wait behind."""

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self._behind: dict[str, deque[Entry]] = {}
        """Of each key with a record that may go or is under way: those after it."""
        self._free = InAnyOrder(options)

    def add(self, entry: Entry) -> None:
        if entry.key in self._behind:
            self._behind[entry.key].append(entry)
            return
        self._behind[entry.key] = deque()
        self._free.add(entry)

    def is_full(self) -> bool:
        return self._free.is_full()

    def oldest_s(self) -> float | None:
        return self._free.oldest_s()

    def take(self) -> list[Entry]:
        return self._free.take()

    def settle(self, entries: list[Entry]) -> None:
        for settled in entries:
            behind = self._behind[settled.key]
            if behind:
                self._free.add(behind.popleft())
            else:
                del self._behind[settled.key]


class Request:
    """Entries that fit into one PutRecords; a record that is too large for others goes alone."""

    def __init__(self, options: SinkOptions) -> None:
        self._options = options
        self.entries: list[Entry] = []
        self.size = 0

    def has_room_for(self, entry: Entry) -> bool:
        if not self.entries:
            return True
        if max(self.entries[0].size, entry.size) > USUAL_RECORD_BYTES:
            return False
        fits = self.size + entry.size <= self._options.batch_bytes
        return fits and len(self.entries) < self._options.batch_records

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.size += entry.size
