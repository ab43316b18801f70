"""Receipts as CloudWatch metrics, in the embedded format: lines of JSON from which CloudWatch Logs takes the values.

"Specification: Embedded metric format" of CloudWatch's user guide: a line is one object and nothing else, so it goes to standard
output, which nothing else of ours writes to.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from firnline_ingest.config.metrics import (
    APPLICATION,
    FAILING_SHARDS,
    GREATEST,
    SHARDS,
    STOPPED,
    STREAM,
    SUMS,
    MetricsConfig,
)
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from firnline_ingest.shard.receipt import Receipt


class EmbeddedMetrics:
    """Writes a line for each stream of an epoch; none where no namespace is configured. Never raises."""

    def __init__(self, config: MetricsConfig, application: str, clock: Callable[[], float] = time.time) -> None:
        self._namespace = config.cloudwatch
        self._application = application
        self._clock = clock

    def write(self, receipts: "Sequence[Receipt]", stopped: Collection[ShardKey] = ()) -> None:
        if self._namespace is None:
            return
        now_ms = int(self._clock() * 1000)
        lines = embedded(receipts, stopped, namespace=self._namespace, application=self._application, now_ms=now_ms)
        try:
            sys.stdout.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
            sys.stdout.flush()
        except (OSError, ValueError):  # nobody reads it any more: no reason to stop
            return


def embedded(
    receipts: "Sequence[Receipt]", stopped: Collection[ShardKey], *, namespace: str, application: str, now_ms: int
) -> list[dict[str, Any]]:
    """Sorted by stream. A stream of which only something is stopped has its line too."""
    streams: dict[str, list[Receipt]] = defaultdict(list)
    for receipt in receipts:
        streams[receipt.stream].append(receipt)
    names = sorted({*streams, *(key.stream for key in stopped)})
    return [
        _line(namespace, {APPLICATION: application, STREAM: name}, _values(streams[name], name, stopped), now_ms)
        for name in names
    ]


def _values(receipts: "Sequence[Receipt]", stream: str, stopped: Collection[ShardKey]) -> dict[tuple[str, str], int]:
    """By name and unit."""
    values: dict[tuple[str, str], int] = {
        (each.name, each.unit): sum(getattr(receipt, each.of) for receipt in receipts) for each in SUMS
    }
    for each in GREATEST:
        known = [getattr(receipt, each.of) for receipt in receipts if getattr(receipt, each.of) is not None]
        if known:
            values[each.name, each.unit] = max(known)
    values[SHARDS, "Count"] = sum(bool(receipt.shard_id) for receipt in receipts)
    values[FAILING_SHARDS, "Count"] = sum(receipt.problem is not None for receipt in receipts)
    values[STOPPED, "Count"] = sum(key.stream == stream for key in stopped)
    return values


def _line(
    namespace: str, dimensions: dict[str, str], values: dict[tuple[str, str], int], now_ms: int
) -> dict[str, Any]:
    directive = {
        "Namespace": namespace,
        "Dimensions": [[APPLICATION], [APPLICATION, STREAM]],
        "Metrics": [{"Name": name, "Unit": unit} for name, unit in values],
    }
    return {
        "_aws": {"Timestamp": now_ms, "CloudWatchMetrics": [directive]},
        **dimensions,
        **{name: value for (name, _), value in values.items()},
    }
