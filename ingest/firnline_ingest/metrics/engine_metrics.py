"""The driver's report of an epoch, to every configured backend. Never raises, and never waits."""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from firnline_ingest.config.metrics import MetricsConfig
from firnline_ingest.metrics.embedded import EmbeddedMetrics
from firnline_ingest.metrics.errors import MetricsUnavailable
from firnline_ingest.metrics.figures import Figures, figures
from firnline_ingest.metrics.time_to_trim import TimeToTrim, Unread
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from firnline_ingest.shard.receipt import Receipt

log = logging.getLogger(__name__)


class Backend(Protocol):
    """Takes an epoch's figures, at once: what takes time is done on a thread of its own."""

    def write(self, figures: Sequence[Figures]) -> None: ...
    def close(self) -> None: ...


class EngineMetrics:
    """One run's; nothing is published where no backend is configured. A backend that can't be begun is tried again with the
    next epoch: a port may be an earlier engine's still.
    """

    def __init__(self, config: MetricsConfig, application: str, clock: Callable[[], float] = time.time) -> None:
        self._time_to_trim = TimeToTrim(clock)
        self._waiting = dict(_backends(config, application, clock))
        self._backends: dict[str, Backend] = {}
        self._said: set[str] = set()

    def planned(self, shards: Iterable[Unread]) -> None:
        """Takes what the epoch's plan knows of all shards."""
        self._time_to_trim.planned(shards)

    def write(self, receipts: "Sequence[Receipt]", stopped: Collection[ShardKey] = ()) -> None:
        """An epoch has ended."""
        self._time_to_trim.told(receipts)
        found = figures(receipts, stopped, self._time_to_trim.seconds())
        for name in tuple(self._waiting):
            self._try(name, partial(self._begin, name))
        for name, backend in self._backends.items():
            self._try(name, partial(backend.write, found))

    def close(self) -> None:
        """The run ends. Waits for a few seconds at most."""
        for name, backend in self._backends.items():
            self._try(name, backend.close)

    def _begin(self, name: str) -> None:
        self._backends[name] = self._waiting[name]()
        del self._waiting[name]

    def _try(self, name: str, action: Callable[[], None]) -> None:
        """A failure is logged once a backend, and stops nothing else."""
        try:
            action()
        except Exception as error:
            if name not in self._said:
                self._said.add(name)
                failure = MetricsUnavailable(name, error)
                told = {"problem": failure.id, "what": failure.what, "next_step": failure.next_step}
                log.warning("metrics.unavailable", extra=told)


def _backends(
    config: MetricsConfig, application: str, clock: Callable[[], float]
) -> Iterable[tuple[str, Callable[[], Backend]]]:
    """Yields each configured backend's name and how it is started. Their packages are extras, imported only then."""
    if (namespace := config.cloudwatch) is not None:
        yield "cloudwatch", lambda: EmbeddedMetrics(namespace, application, clock)
    if (prometheus := config.prometheus) is not None:

        def endpoint() -> Backend:
            from firnline_ingest.metrics.prometheus import PrometheusMetrics

            return PrometheusMetrics(prometheus, application)

        yield "prometheus", endpoint
    if (opentelemetry := config.opentelemetry) is not None:

        def collector() -> Backend:
            from firnline_ingest.metrics.opentelemetry import OpenTelemetryMetrics

            return OpenTelemetryMetrics(opentelemetry, application)

        yield "opentelemetry", collector
