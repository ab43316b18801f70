"""Where an operator looks at the engine's figures."""

from firnline_ingest.config.metrics import MetricsOptions


class Metrics(MetricsOptions):
    """What is made of the engine's figures, and of those of its streams and its ledger (docs/metrics.md)."""

    dashboard: bool = False
    """Makes a CloudWatch dashboard under the application's name: how far behind each stream is read, what was read, kept and
    refused, and what AWS throttled. AWS bills each one beyond an account's third."""
    cloudwatch: bool | None = None
    """Whether the driver's standard output goes to a log group of CloudWatch Logs, which makes metrics of it: then there are
    alarms and widgets on them. Where absent, it does with the runtime's `log_group`; true says that an agent of yours brings it
    there (on EMR on EC2, on Kubernetes)."""
