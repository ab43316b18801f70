"""What an account may have of shards and on-demand streams. The limits are listed, and nothing here is refused by them."""

from typing import Any

from firnline_local.kinesis.operations.request import ApiRequest
from firnline_local.kinesis.stream import ON_DEMAND, KinesisAccount

SHARDS, ON_DEMAND_STREAMS = (
    20_000,
    50,
)  # the default quotas of the largest regions (developer guide, "Quotas and limits")


class DescribeLimits(ApiRequest):
    """Asks nothing in particular."""


def describe(account: KinesisAccount, _request: DescribeLimits) -> dict[str, Any]:
    streams = account.streams.values()
    return {
        "ShardLimit": SHARDS,
        "OpenShardCount": sum(len(each.open_shards) for each in streams if each.settings.mode != ON_DEMAND),
        "OnDemandStreamCount": sum(each.settings.mode == ON_DEMAND for each in streams),
        "OnDemandStreamCountLimit": ON_DEMAND_STREAMS,
    }


OPERATIONS = {"DescribeLimits": (DescribeLimits, describe)}
