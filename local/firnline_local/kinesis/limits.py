"""Limits of a shard, a stream and an account in a second, as "Quotas and limits" of the developer guide and the API
reference say.

Meters only count; whether they are obeyed is a setting of the fake. Calls that were refused cost nothing.
"""

from collections import deque

SECOND_MS = 1000
READ_CALLS = 5
SUMMARY_CALLS = 20  # DescribeStreamSummary, of a whole account
LIST_CALLS = 1000  # ListShards, of a stream
CONSUMER_CALLS = {
    "RegisterStreamConsumer": 5,
    "DeregisterStreamConsumer": 5,
    "DescribeStreamConsumer": 20,
    "ListStreamConsumers": 5,
}  # of a stream
CREATING_AT_ONCE = 5  # consumers of a stream
READ_BYTES = 2 * 1024 * 1024
WRITE_RECORDS = 1000
WRITE_BYTES = 1024 * 1024


class ReadMeter:
    """Five GetRecords a second and 2 MiB a second.

    An answer of more than 2 MiB is paid off at that rate: after 10 MiB, the shard refuses for 5 seconds.
    """

    def __init__(self) -> None:
        self._reads: deque[tuple[int, int]] = deque(maxlen=2 * READ_CALLS)  # when, how many bytes

    def admits(self, now_ms: int) -> bool:
        calls = sum(1 for at_ms, _ in self._reads if now_ms < at_ms + SECOND_MS)
        unpaid = sum(size for at_ms, size in self._reads if now_ms < at_ms + _weighs_ms(size))
        return calls < READ_CALLS and unpaid < READ_BYTES

    def count(self, now_ms: int, size_bytes: int) -> None:
        self._reads.append((now_ms, size_bytes))


class CallMeter:
    """Allows so many calls of one operation in any second."""

    def __init__(self, per_second: int = READ_CALLS) -> None:
        self._per_second = per_second
        self._calls: deque[int] = deque(maxlen=per_second)

    def admits(self, now_ms: int) -> bool:
        return len(self._calls) < self._per_second or now_ms >= self._calls[0] + SECOND_MS

    def count(self, now_ms: int) -> None:
        self._calls.append(now_ms)


class WriteMeter:
    """A thousand records and 1 MiB a second, keys included; a larger record passes when the second is still empty."""

    def __init__(self) -> None:
        self._writes: deque[tuple[int, int]] = deque()
        self._bytes = 0

    def admits(self, now_ms: int, size_bytes: int) -> bool:
        while self._writes and now_ms >= self._writes[0][0] + SECOND_MS:
            self._bytes -= self._writes.popleft()[1]
        if not self._writes:
            return True
        return len(self._writes) < WRITE_RECORDS and self._bytes + size_bytes <= WRITE_BYTES

    def count(self, now_ms: int, size_bytes: int) -> None:
        self._writes.append((now_ms, size_bytes))
        self._bytes += size_bytes


def _weighs_ms(size_bytes: int) -> int:
    return max(SECOND_MS, size_bytes * SECOND_MS // READ_BYTES)
