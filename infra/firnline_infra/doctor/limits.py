"""Service limits against what the specification asks for, and policies' lengths against IAM's."""

from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.iam.length import LIMITS, policy_length
from firnline_infra.kinds.kind import own_name
from firnline_infra.kinds.principals import engine_roles, engine_users
from firnline_infra.kinds.streams import CONSUMER, STREAM, stream_of
from firnline_ingest.checks import Finding, good, wrong

MOST_CONSUMERS = 20  # of a stream (Kinesis developer guide, "Quotas and limits")
GOVERNMENTS = ("US_GOV", "USGOV")
"""In the names of Snowflake's regions (`snowpipe-streaming-high-performance-limitations`: in all regions except for these;
`user-guide/intro-regions`; 2026-11-28)."""
ON_DEMAND_SHARDS = 4
"""An on-demand stream begins with these; they count for the account's limit of on-demand streams, not of shards."""


def shards(blueprint: Blueprint, kinesis: Any) -> Iterator[Finding]:
    """Yields what is missing of the account's open shards and on-demand streams. Raises AwsRefused."""
    with aws_call("kinesis:DescribeLimits", "the account"):
        limits = kinesis.describe_limits()
    more, on_demand = 0, 0
    for row in STREAM.instances(blueprint):
        there, asked = _there(kinesis, own_name(row)), row.arguments["shard_count"]
        has = there["OpenShardCount"] if there else 0
        was_on_demand = there is not None and there.get("StreamModeDetails", {}).get("StreamMode") == "ON_DEMAND"
        more += max(0, asked - has) if asked else 0
        on_demand += 0 if asked or was_on_demand else 1
    yield _against("open shards", limits["OpenShardCount"], more, limits["ShardLimit"])
    if "OnDemandStreamCountLimit" in limits:
        count, limit = limits["OnDemandStreamCount"], limits["OnDemandStreamCountLimit"]
        yield _against("on-demand streams", count, on_demand, limit)


def consumers(blueprint: Blueprint, kinesis: Any) -> Iterator[Finding]:
    """Registered ones of each stream that gets some. Raises AwsRefused."""
    wanted: dict[str, set[str]] = {}
    for row in CONSUMER.instances(blueprint):
        wanted.setdefault(stream_of(row), set()).add(own_name(row))
    for stream, asked in wanted.items():
        there = _there(kinesis, stream)
        names: set[str] = set()
        if there is not None:
            with aws_call("kinesis:ListStreamConsumers", f"stream {stream}"):
                pages = kinesis.get_paginator("list_stream_consumers").paginate(StreamARN=there["StreamARN"])
                names = {each["ConsumerName"] for page in pages for each in page["Consumers"]}
        yield _against(f"consumers of {stream}", len(names), len(asked - names), MOST_CONSUMERS)


def policies(blueprint: Blueprint) -> Iterator[Finding]:
    """Yields how long the policy of the engine's role or user is; one of somebody else is not asked about."""
    for kind, rows in (("role", engine_roles), ("user", engine_users)):
        for each in rows(blueprint.environment):
            name, length = own_name(next(each.resources())), policy_length(blueprint.engine_policy)
            yield _against(f"policy of {kind} {name}", 0, length, LIMITS[kind])


def streaming_region(region: str) -> Iterator[Finding]:
    """`region` is what CURRENT_REGION() says: AWS_US_WEST_2, or with its group in front."""
    if any(name in region.upper() for name in GOVERNMENTS):
        found = f"{region} is a region of governments, where Snowpipe Streaming has no high-performance edition"
        step = "load into an account in another region; the stream may be in any (docs/network.md)"
        yield wrong("Snowpipe Streaming", found, next_step=step)


def _there(kinesis: Any, name: str) -> dict[str, Any] | None:
    ask = kinesis.describe_stream_summary
    found: dict[str, Any] = if_there("kinesis:DescribeStreamSummary", f"stream {name}", ask, StreamName=name) or {}
    return found.get("StreamDescriptionSummary")


def _against(what: str, used: int, more: int, limit: int) -> Finding:
    said = f"{used:,} used, {more:,} more asked for, {limit:,} allowed"
    if used + more <= limit:
        return good(what, said)
    step = "ask for more in Service Quotas, before `firnline up`; or ask for less in the specification"
    return wrong(what, said, next_step=step)
