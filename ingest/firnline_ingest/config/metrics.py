"""What an operator watches, by name: the engine writes these metrics, and alarms and dashboards are made of the same names."""

from dataclasses import dataclass
from typing import Annotated, Literal

from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

NAMESPACE = Form(
    r"(?!AWS/)[A-Za-z0-9._/#:-]{1,255}", "1 to 255 letters, digits and . _ / # : -, not beginning with AWS/", "Firnline"
)
DEFAULT_NAMESPACE = "Firnline"
APPLICATION, STREAM = "Application", "Stream"
"""Dimensions. Each metric is there of the application, and of each of its streams."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of CloudWatch; once an epoch and stream."""

    name: str
    unit: Literal["Count", "Bytes", "Milliseconds", "Seconds"]
    of: str
    """The field of a shard's receipt that it is made of; sums are of counts, the others are the greatest of all shards."""


SUMS = (
    Metric("Records", "Count", "records"),
    Metric("Rows", "Count", "rows"),
    Metric("RereadRows", "Count", "reread_rows"),
    Metric("Bytes", "Bytes", "bytes"),
    Metric("DeadLetters", "Count", "dead_letters"),
    Metric("Skipped", "Count", "skipped"),
    Metric("Throttled", "Count", "throttled"),
    Metric("Opens", "Count", "opens"),
    Metric("Interruptions", "Count", "interruptions"),
    Metric("Incidents", "Count", "incidents"),
    Metric("UnreadablePages", "Count", "unreadable_pages"),
)
LAG = Metric("Lag", "Milliseconds", "behind_ms")
"""How old the newest record is that was read, of the shard that is furthest behind; absent where Kinesis never answered."""
UNANSWERED = Metric("Unanswered", "Seconds", "unanswered_s")
GREATEST = (LAG, UNANSWERED)
SHARDS, FAILING_SHARDS, STOPPED = "Shards", "FailingShards", "Stopped"
"""Counts of receipts: of shards, of those with a problem; and of what is left out until a person decides."""
NAMES = (*(each.name for each in (*SUMS, *GREATEST)), SHARDS, FAILING_SHARDS, STOPPED)


class MetricsConfig(Section):
    """Where an epoch's figures go beside the log."""

    cloudwatch: Annotated[str, NAMESPACE] | None = None
    """A namespace of CloudWatch, such as Firnline: an epoch writes a line for each stream to standard output, in the embedded
    metric format; where that goes to a log group, CloudWatch makes metrics of it. No call and no right is needed. Nothing is
    written where absent."""
