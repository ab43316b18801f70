"""Reads the last day of an engine's figures, from where its metrics are kept: the engine's own report ends after three hours.

Read from CloudWatch alone, with the credentials of the person who looks: cloudwatch:GetMetricData, which has no resource. A look
asks for four metrics of the application, by five minutes, and only while a page shows the day.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from firnline_infra.accounts.aws import aws_call
from firnline_ingest.config import metrics
from firnline_ingest.config.metrics import APPLICATION, Metric, MetricsConfig

STEP_MINUTES = 5
LAST = timedelta(days=1)
FIGURES: Mapping[str, Metric] = {
    "rows": metrics.ROWS,
    "dead_letters": metrics.DEAD_LETTERS,
    "rejected_rows": metrics.REJECTED_ROWS,
    "lag_ms": metrics.LAG,
}

NOTHING: Mapping[str, float | None] = {"rows": 0, "dead_letters": 0, "rejected_rows": 0, "lag_ms": None}
"""Of five minutes in which nothing of a kind was counted; a lag that was not measured is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    where: str
    """Where a longer history is, or what would keep one."""
    points: tuple[Mapping[str, float | None], ...] = ()
    """Each of `minute`, minutes since 1970, and the figures of five minutes; in order of time."""

    def as_document(self) -> dict[str, Any]:
        return {"where": self.where, "step_minutes": STEP_MINUTES, "points": [dict(each) for each in self.points]}


NOT_DEPLOYED = History(where="Nothing was deployed, so that no metrics are known.")


def where_kept(config: MetricsConfig) -> History:
    """Returns where a day of metrics is, for an engine whose CloudWatch is not asked."""
    kept = {
        f"CloudWatch, namespace {config.cloudwatch}": config.cloudwatch,
        "Prometheus": config.prometheus,
        "the collector of OpenTelemetry": config.opentelemetry,
    }
    places = [name for name, section in kept.items() if section is not None]
    nowhere = "Kept nowhere: `metrics` of the specification names CloudWatch, Prometheus or OpenTelemetry."
    return History(where=f"Kept in {' and '.join(places)}." if places else nowhere)


def history_in_cloudwatch(cloudwatch: Any, namespace: str, application: str, now: datetime | None = None) -> History:
    """Raises AwsRefused."""
    ends = now or datetime.now(UTC)
    begins = (ends - LAST).replace(second=0, microsecond=0)
    begins -= timedelta(minutes=begins.minute % STEP_MINUTES)
    sums: dict[int, dict[str, float]] = {}
    with aws_call("cloudwatch:GetMetricData", f"namespace {namespace}"):
        pages = cloudwatch.get_paginator("get_metric_data").paginate(
            MetricDataQueries=[_query(name, metric, namespace, application) for name, metric in FIGURES.items()],
            StartTime=begins,
            EndTime=ends,
            ScanBy="TimestampAscending",
        )
        for result in (each for page in pages for each in page["MetricDataResults"]):
            for at, value in zip(result["Timestamps"], result["Values"], strict=True):
                sums.setdefault(int(at.timestamp()) // 60, {})[result["Id"]] = value
    points = tuple({"minute": minute, **NOTHING, **sums[minute]} for minute in sorted(sums))
    said = f"CloudWatch, namespace {namespace}, by {STEP_MINUTES} minutes."
    return History(
        where=said if points else f"CloudWatch has nothing of {application} in the namespace {namespace}.",
        points=points,
    )


def _query(name: str, metric: Metric, namespace: str, application: str) -> dict[str, Any]:
    dimensions = [{"Name": APPLICATION, "Value": application}]
    of = {"Namespace": namespace, "MetricName": metric.name, "Dimensions": dimensions}
    return {"Id": name, "MetricStat": {"Metric": of, "Period": 60 * STEP_MINUTES, "Stat": metric.kind.value}}
