"""Where an operator looks at the engine's figures."""

from pydantic import Field

from firnline_ingest.config.document import Section
from firnline_ingest.config.metrics import OpenTelemetryConfig, PrometheusConfig


class Metrics(Section):
    """What is made of the engine's figures, and of those of its streams and its ledger (docs/metrics.md)."""

    dashboard: bool = Field(default=False)
    """Makes a CloudWatch dashboard under the application's name: how far behind each stream is read, what was read, kept and
    refused, and what AWS throttled. AWS bills each one beyond an account's third."""
    prometheus: PrometheusConfig | None = None
    """An endpoint on the driver for Prometheus; none where absent. `firnline deploy` builds the engine with what it needs."""
    opentelemetry: OpenTelemetryConfig | None = None
    """A collector that the driver sends figures to, over OTLP; none where absent. The same."""
