"""Figures for scrapers: an endpoint on the driver in Prometheus' format.

A scraper is answered on a thread of the endpoint; an epoch changes numbers in memory and does nothing else.
"""

import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.core import Metric as Family

from firnline_ingest.config.metrics import METRICS, Kind, Metric, PrometheusConfig
from firnline_ingest.metrics.figures import Figures


class PrometheusMetrics:
    """Raises OSError where the port is taken. Counts begin at 0 with each run, as Prometheus expects of a process."""

    def __init__(self, config: PrometheusConfig, application: str) -> None:
        self._application = application
        self._lock = threading.Lock()
        self._counted: dict[tuple[Metric, str | None], int] = defaultdict(int)
        self._standing: dict[tuple[Metric, str | None], int] = {}
        """Of the last epoch. What had no value in it is not shown: an older one would be taken for today's."""
        registry = CollectorRegistry()
        registry.register(self)
        self._server, _ = start_http_server(config.port, config.address, registry)

    @property
    def port(self) -> int:
        return self._server.server_port

    def write(self, figures: Sequence[Figures]) -> None:
        with self._lock:
            self._standing = {}
            for each in figures:
                for metric, value in each.values.items():
                    if metric.kind is Kind.SUM:
                        self._counted[metric, each.stream] += value
                    else:
                        self._standing[metric, each.stream] = value

    def collect(self) -> Iterable[Family]:
        """Called by the registry for each scrape."""
        with self._lock:
            values = {**self._counted, **self._standing}
        for metric in METRICS:
            labels = ["application"] if metric.of_application else ["application", "stream"]
            kind = CounterMetricFamily if metric.kind is Kind.SUM else GaugeMetricFamily
            family = kind(metric.prometheus, metric.meaning, labels=labels)
            for (found, stream), value in values.items():
                if found is metric:
                    family.add_metric([self._application, *([] if stream is None else [stream])], value)
            yield family

    def close(self) -> None:
        """Frees the port."""
        self._server.shutdown()
        self._server.server_close()
