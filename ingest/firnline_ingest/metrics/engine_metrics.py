"""What the driver tells of an epoch, to every backend that is configured. Never raises, and waits for nobody."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from firnline_ingest.config.metrics import MetricsConfig
from firnline_ingest.metrics.embedded import EmbeddedMetrics
from firnline_ingest.metrics.figures import Figures, figures
from firnline_ingest.metrics.time_to_trim import TimeToTrim, Unread
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from firnline_ingest.shard.receipt import Receipt


class Backend(Protocol):
    """Takes an epoch's figures, at once: what takes time is done on a thread of its own."""

    def write(self, figures: Sequence[Figures]) -> None: ...


class EngineMetrics:
    """One run's; nothing is published where no backend is configured."""

    def __init__(self, config: MetricsConfig, application: str, clock: Callable[[], float] = time.time) -> None:
        self._time_to_trim = TimeToTrim(clock)
        self._backends: list[Backend] = []
        if config.cloudwatch is not None:
            self._backends.append(EmbeddedMetrics(config.cloudwatch, application, clock))

    def planned(self, shards: Iterable[Unread]) -> None:
        """What the epoch's plan knows of all shards."""
        self._time_to_trim.planned(shards)

    def write(self, receipts: "Sequence[Receipt]", stopped: Collection[ShardKey] = ()) -> None:
        """An epoch has ended."""
        self._time_to_trim.told(receipts)
        found = figures(receipts, stopped, self._time_to_trim.seconds())
        for backend in self._backends:
            backend.write(found)
