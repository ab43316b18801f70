"""An epoch's receipts as figures: one set a stream, and one of the application. Pure; every backend publishes the same."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from firnline_ingest.config.metrics import (
    FAILING_SHARDS,
    HEARTBEAT,
    IDLE_SHARDS,
    METRICS,
    SHARDS,
    STOPPED,
    TIME_TO_TRIM,
    UNDECIDED_SHARDS,
    WAITING_SHARDS,
    Kind,
    Metric,
)
from firnline_ingest.shard.receipt import PUBLISHED, Receipt, ShardState
from firnline_ingest.values import ShardKey

UNDECIDED = "FL-3137"
"""ColumnsUndecided: the id of the problem of a shard that waits for a person's word."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one stream, or of the application if it names none. Metrics without a value are absent."""

    stream: str | None
    values: Mapping[Metric, int]


def figures(
    receipts: Sequence[Receipt],
    stopped: Collection[ShardKey] = (),
    time_to_trim_s: Mapping[ShardKey, int] | None = None,
) -> list[Figures]:
    """The application's first, then sorted by stream. A stream has figures too where only something of it is stopped, or of
    which only the time to trim is known.
    """
    of_stream: dict[str, list[Receipt]] = defaultdict(list)
    for receipt in receipts:
        of_stream[receipt.stream].append(receipt)
    times = time_to_trim_s or {}
    names = sorted({*of_stream, *(key.stream for key in (*stopped, *times))})
    return [Figures(None, {HEARTBEAT: 1})] + [
        Figures(name, _values(of_stream[name], name, stopped, times)) for name in names
    ]


def _values(
    receipts: Sequence[Receipt], stream: str, stopped: Collection[ShardKey], times: Mapping[ShardKey, int]
) -> dict[Metric, int]:
    found = {metric: _of_receipts(metric, name, receipts) for metric, name in PUBLISHED.items()}
    found |= {
        SHARDS: sum(bool(receipt.shard_id) and receipt.state != ShardState.WAITING for receipt in receipts),
        IDLE_SHARDS: sum(receipt.is_idle for receipt in receipts),
        WAITING_SHARDS: sum(receipt.state == ShardState.WAITING for receipt in receipts),
        FAILING_SHARDS: sum(receipt.problem is not None for receipt in receipts),
        UNDECIDED_SHARDS: sum(receipt.problem is not None and receipt.problem.id == UNDECIDED for receipt in receipts),
        STOPPED: sum(key.stream == stream for key in stopped),
        TIME_TO_TRIM: min((left for key, left in times.items() if key.stream == stream), default=None),
    }
    return {metric: value for metric in METRICS if (value := found.get(metric)) is not None}


def _of_receipts(metric: Metric, name: str, receipts: Sequence[Receipt]) -> int | None:
    found: list[int] = [value for receipt in receipts if (value := getattr(receipt, name)) is not None]
    if metric.kind is Kind.SUM:
        return sum(found)
    return max(found, default=None)
