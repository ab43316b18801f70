"""What a load costs a month: with Firnline, with Amazon Data Firehose, with Snowflake's managed connector (Openflow).

Left out, because all three have it or nobody knows it beforehand: the stream itself, what goes through a NAT gateway, support,
discounts. Firehose and Openflow are not asked to do the same: docs/estimate.md says what differs.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from firnline_infra.estimate.load import SECONDS_A_MONTH, Load
from firnline_infra.estimate.prices import prices
from firnline_infra.runtimes.options import Architecture
from firnline_infra.runtimes.registry import RUNTIMES

HOURS_A_MONTH = SECONDS_A_MONTH / 3600
OPENFLOW_MB_PER_S, OPENFLOW_VCPUS = 40, 4
"""Of a medium node: Snowflake's sizing guide of the Kafka connector; there is none of the Kinesis one."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """USD a month."""

    way: str
    part: str
    usd: float


def costs(load: Load, kind: str, architecture: Architecture) -> list[Cost]:
    """`kind` is the section of aws.runtime, and emr_serverless where there is none."""
    return [*_firnline(load, kind, architecture), *_firehose(load), *_openflow(load)]


def _price(name: str) -> float:
    return prices()[name].price


def _firnline(load: Load, kind: str, architecture: Architecture) -> Iterator[Cost]:
    def cost(part: str, usd: float) -> Cost:
        return Cost(way="Firnline", part=part, usd=usd)

    machines = RUNTIMES[kind].prices.usd_an_hour(load.size, architecture, _price)
    yield cost(f"machines ({kind})", machines * HOURS_A_MONTH)
    yield cost("ledger, at most", load.ledger_units_a_month / 1e6 * _price("dynamodb_million_writes"))
    yield cost("checkpoint", load.s3_requests_a_month / 1000 * _price("s3_thousand_writes"))
    yield cost("Snowpipe Streaming", _snowpipe(load))


def _snowpipe(load: Load) -> float:
    return load.gb_a_month * _price("snowpipe_streaming_credits_gb") * _price("snowflake_credit")


def _firehose(load: Load) -> Iterator[Cost]:
    yield Cost(way="Firehose", part="delivery", usd=load.gb_a_month * _price("firehose_gb"))
    yield Cost(way="Firehose", part="Snowpipe Streaming", usd=_snowpipe(load))


def _openflow(load: Load) -> Iterator[Cost]:
    vcpus = OPENFLOW_VCPUS * max(1, math.ceil(load.mb_per_s / OPENFLOW_MB_PER_S))
    credits_an_hour = vcpus * _price("openflow_credits_vcpu_hour")
    runtime = credits_an_hour * _price("snowflake_credit") * HOURS_A_MONTH
    machines = vcpus * _price("ec2_vcpu_hour_x86_64") * HOURS_A_MONTH
    yield Cost(way="Openflow BYOC", part="runtime", usd=runtime)
    yield Cost(way="Openflow BYOC", part="machines of the runtime", usd=machines)
    yield Cost(way="Openflow BYOC", part="Snowpipe Streaming", usd=_snowpipe(load))
