"""Figures as CloudWatch metrics, in the embedded format: lines of JSON from which CloudWatch Logs takes the values.

"Specification: Embedded metric format" of CloudWatch's user guide: a line is one object and nothing else, so it goes to standard
output, which nothing else of ours writes to.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from firnline_ingest.config.metrics import APPLICATION, STREAM
from firnline_ingest.metrics.figures import Figures


class EmbeddedMetrics:
    """Writes a line for the application and one for each stream of an epoch. Never raises."""

    def __init__(self, namespace: str, application: str, clock: Callable[[], float] = time.time) -> None:
        self._namespace = namespace
        self._application = application
        self._clock = clock

    def write(self, figures: Sequence[Figures]) -> None:
        now_ms = int(self._clock() * 1000)
        lines = [
            embedded(each, namespace=self._namespace, application=self._application, now_ms=now_ms) for each in figures
        ]
        try:
            sys.stdout.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
            sys.stdout.flush()
        except (OSError, ValueError):  # the reader has gone: no reason to stop
            return

    def close(self) -> None:
        """Each line is flushed as it is written."""


def embedded(figures: Figures, *, namespace: str, application: str, now_ms: int) -> dict[str, Any]:
    """One line. What a stream has is a metric of the application too."""
    dimensions = {APPLICATION: application} | ({STREAM: figures.stream} if figures.stream is not None else {})
    sets = [[APPLICATION], [APPLICATION, STREAM]] if figures.stream is not None else [[APPLICATION]]
    directive = {
        "Namespace": namespace,
        "Dimensions": sets,
        "Metrics": [{"Name": metric.name, "Unit": metric.unit.value} for metric in figures.values],
    }
    return {
        "_aws": {"Timestamp": now_ms, "CloudWatchMetrics": [directive]},
        **dimensions,
        **{metric.name: value for metric, value in figures.values.items()},
    }
