"""CloudWatch alarms, each on one metric."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """Rings when `metric` is at or above `threshold` for `periods` periods in a row."""

    comparison: ClassVar[str] = "GreaterThanOrEqualToThreshold"

    name: str
    description: str
    """What it means, and what to do next."""
    namespace: str
    metric: str
    statistic: str
    dimensions: Mapping[str, str]
    threshold: float
    topics: tuple[str, ...]
    """ARNs of SNS topics that are told when it rings and when it stops."""
    silence: Literal["breaching", "notBreaching"] = "notBreaching"
    """What it means that the metric has no value: nothing went wrong, or nobody is there to report."""
    period_s: int = 300
    periods: int = 3
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class IngestAlarms:
    alarms: tuple[Alarm, ...]
