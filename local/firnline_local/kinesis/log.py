"""What one shard keeps, oldest record first.

A record has its index for ever: the first that the shard got is 1, and trimming never moves the others.
"""

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """Records that follow one another, as JSON; `end` is the index after the last."""

    records: list[bytes]
    end: int
    size_bytes: int


class RecordLog:
    """Records in their JSON, with when they arrived and how large they are."""

    def __init__(self) -> None:
        self._records: list[bytes] = []
        self._arrivals_ms = array("q")
        self._total_bytes = array("q")  # of data and keys, up to and with each record, since the shard was made
        self._trimmed_records = 0
        self._trimmed_bytes = 0

    @property
    def first(self) -> int:
        """The index of the oldest record; of the next one where none is kept."""
        return self._trimmed_records + 1

    @property
    def next(self) -> int:
        """The index that the next record gets."""
        return self._trimmed_records + len(self._records) + 1

    @property
    def size_bytes(self) -> int:
        return (self._total_bytes[-1] if self._total_bytes else self._trimmed_bytes) - self._trimmed_bytes

    @property
    def newest(self) -> bytes:
        return self._records[-1]

    def append(self, record: bytes, *, arrived_ms: int, size_bytes: int) -> None:
        """`arrived_ms` never falls."""
        total = self._total_bytes[-1] if self._total_bytes else self._trimmed_bytes
        self._records.append(record)
        self._arrivals_ms.append(arrived_ms)
        self._total_bytes.append(total + size_bytes)

    def trim(self, before_ms: int) -> None:
        """Forgets what arrived earlier."""
        if not self._records or self._arrivals_ms[0] >= before_ms:
            return
        gone = bisect_left(self._arrivals_ms, before_ms)
        self._trimmed_records += gone
        self._trimmed_bytes = self._total_bytes[gone - 1]
        del self._records[:gone], self._arrivals_ms[:gone], self._total_bytes[:gone]

    def index_at(self, ms: int) -> int:
        """The index of the first record that arrived at or after a time; `next` where none has."""
        return self.first + bisect_left(self._arrivals_ms, ms)

    def arrived_ms(self, index: int) -> int:
        return self._arrivals_ms[index - self.first]

    def page(self, start: int, *, limit: int, max_bytes: int) -> Page:
        """From `start`, or from the oldest where that was trimmed: as many as fit, but one at least if there is one."""
        start = max(start, self.first)
        if start >= self.next:
            return Page([], start, 0)
        begin = start - self.first
        before = self._total_bytes[begin - 1] if begin else self._trimmed_bytes
        fitting = bisect_right(self._total_bytes, before + max_bytes)
        end = min(max(fitting, begin + 1), begin + limit)
        return Page(self._records[begin:end], self.first + end, self._total_bytes[end - 1] - before)

    def all(self) -> list[bytes]:
        return list(self._records)
