"""Metrics at shard level: which were asked for. ALL stands for every one of them, as in the service."""

from collections.abc import Callable
from typing import Annotated, Any

from msgspec import Meta

from firnline_local.kinesis.account import Account
from firnline_local.kinesis.errors import invalid_argument
from firnline_local.kinesis.operations.request import StreamRequest

METRICS = (
    "IncomingBytes",
    "IncomingRecords",
    "IteratorAgeMilliseconds",
    "OutgoingBytes",
    "OutgoingRecords",
    "ReadProvisionedThroughputExceeded",
    "WriteProvisionedThroughputExceeded",
)
ALL = "ALL"


class EnhancedMonitoring(StreamRequest, kw_only=True):
    shard_level_metrics: Annotated[list[str], Meta(min_length=1, max_length=7)]

    @property
    def metrics(self) -> set[str]:
        if unknown := set(self.shard_level_metrics) - {*METRICS, ALL}:
            raise invalid_argument(f"There is no shard-level metric {', '.join(sorted(unknown))}.")
        return set(METRICS) if ALL in self.shard_level_metrics else set(self.shard_level_metrics)


def enable(account: Account, request: EnhancedMonitoring) -> dict[str, Any]:
    return _set(account, request, lambda had, named: had | named)


def disable(account: Account, request: EnhancedMonitoring) -> dict[str, Any]:
    return _set(account, request, lambda had, named: had - named)


def _set(
    account: Account, request: EnhancedMonitoring, combined: Callable[[set[str], set[str]], set[str]]
) -> dict[str, Any]:
    stream = request.stream(account)
    before = stream.settings.shard_metrics
    stream.settings.shard_metrics = sorted(combined(set(before), request.metrics))
    return {
        "StreamName": stream.name,
        "StreamARN": stream.arn,
        "CurrentShardLevelMetrics": before,
        "DesiredShardLevelMetrics": stream.settings.shard_metrics,
    }


OPERATIONS = {
    "DisableEnhancedMonitoring": (EnhancedMonitoring, disable),
    "EnableEnhancedMonitoring": (EnhancedMonitoring, enable),
}
