"""Figures for an OpenTelemetry collector, over OTLP and HTTP.

The SDK sends them on a thread of its own, every so often; a collector that is down, or never answers, delays only that thread.
The SDK takes headers and certificates from its own variables (OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_CERTIFICATE).
"""

import threading
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.metrics import Counter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, Resource

from firnline_ingest.config.metrics import METRICS, Kind, Metric, OpenTelemetryConfig, Unit
from firnline_ingest.metrics.figures import Figures

UNITS = {Unit.COUNT: "1", Unit.BYTES: "By", Unit.MILLISECONDS: "ms", Unit.SECONDS: "s"}
TIMEOUT_S = 10
LAST_S = 3.0  # for what was not sent yet, when a run ends


class OpenTelemetryMetrics:
    """`last_s`: how long the end of a run waits at most for what was not sent yet."""

    def __init__(self, config: OpenTelemetryConfig, application: str, *, last_s: float = LAST_S) -> None:
        self._application = application
        self._last_s = last_s
        reader = PeriodicExportingMetricReader(
            OTLPMetricExporter(endpoint=config.endpoint, timeout=TIMEOUT_S),
            export_interval_millis=config.interval_seconds * 1000,
            export_timeout_millis=TIMEOUT_S * 1000,
        )
        resource = Resource.create({SERVICE_NAME: application})
        self._provider = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
        meter = self._provider.get_meter("firnline")
        self._instruments = {
            metric: (meter.create_counter if metric.kind is Kind.SUM else meter.create_gauge)(
                metric.opentelemetry, unit=UNITS[metric.unit], description=metric.meaning
            )
            for metric in METRICS
        }

    def write(self, figures: Sequence[Figures]) -> None:
        for each in figures:
            of = {"application": self._application} | ({} if each.stream is None else {"stream": each.stream})
            for metric, value in each.values.items():
                self._record(metric, value, of)

    def _record(self, metric: Metric, value: int, of: dict[str, str]) -> None:
        instrument = self._instruments[metric]
        if isinstance(instrument, Counter):
            instrument.add(value, of)
        else:
            instrument.set(value, of)

    def close(self) -> None:
        """Sends what was not sent yet, where that is quick."""
        last = threading.Thread(target=self._provider.shutdown, name="metrics-end", daemon=True)
        last.start()
        last.join(self._last_s)
