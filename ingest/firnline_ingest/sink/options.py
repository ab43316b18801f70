"""Options of a sink: how it fills its requests, how many are under way, and when it gives up.

Limits are those of PutRecords (API reference, 2025-10): 500 records, 10 MiB with their partition keys, and a record as large
as the stream's own limit, which is 1 MiB unless it was raised.
"""

from dataclasses import dataclass

MOST_RECORDS = 500
MOST_BYTES = 10 * 1024 * 1024
USUAL_RECORD_BYTES = 1024 * 1024  # a larger one goes alone: a stream that refuses it then refuses nothing else


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkOptions:
    """The defaults are those of Flink's sink but for `attempts`, which that one does not count."""

    batch_records: int = MOST_RECORDS
    """Records of a request."""
    batch_bytes: int = 5 * 1024 * 1024
    """Bytes of a request, partition keys included; a record that is larger than that goes alone."""
    in_flight: int = 16
    """Requests under way at once, each on a thread of its own."""
    buffered_records: int = 10_000
    """Records that were given and are not acknowledged yet: beyond that, giving one waits."""
    linger_s: float = 5.0
    """How long a record waits at most for a request to be full."""
    ordered: bool = False
    """True if the records of a partition key come in the order in which they were given. A request then has one record of a
    key, and no two requests have the same: few keys are slow. The service promises no order within a request."""
    fail_on_error: bool = False
    """True if the first refusal fails the sink, where it would be put again."""
    attempts: int = 10
    """So many requests in a row that got nothing in are the end: some fifteen seconds of a stream that takes nothing."""
    read_timeout_s: float = 60.0
    """How long an answer is waited for; then the request is put again, and what it may have put is there twice."""

    def __post_init__(self) -> None:
        """Raises ValueError for what PutRecords does not take."""
        bounds = {
            "batch_records": (1, MOST_RECORDS),
            "batch_bytes": (1, MOST_BYTES),
            "in_flight": (1, 1_000),
            "buffered_records": (1, 10_000_000),
            "attempts": (1, 1_000_000),
            "linger_s": (0, 1_000_000),
            "read_timeout_s": (0.001, 1_000_000),
        }
        for name, (least, most) in bounds.items():
            if not least <= getattr(self, name) <= most:
                raise ValueError(f"{name} is {getattr(self, name)}; it is from {least} to {most:,}.")
