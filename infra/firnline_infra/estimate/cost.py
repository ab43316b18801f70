"""Costs of a load a month: with Firnline, with Amazon Data Firehose, with Snowflake's managed connector (Openflow).

The streams that are made cost the same with each of them, and stand apart. What goes through a NAT gateway, support and discounts
are not counted. Firehose and Openflow are not asked to do the same: docs/estimate.md says what differs.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from firnline_infra.blueprint.prices import prices
from firnline_infra.estimate.load import SECONDS_A_MONTH, Load, RedshiftLoad
from firnline_infra.runtimes.registry import RUNTIMES
from firnline_infra.specification.runtimes.options import Architecture

HOURS_A_MONTH = SECONDS_A_MONTH / 3600
LEAST_REFRESH_S = 60
"""What a refresh is paid for at least (AWS's page "Billing for Amazon Redshift Serverless")."""
OPENFLOW_MB_PER_S, OPENFLOW_VCPUS = 40, 4
"""What a medium node takes: Snowflake's sizing guide of the Kafka connector; there is none of the Kinesis one."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """USD a month."""

    way: str
    part: str
    usd: float


def costs(load: Load, kind: str, architecture: Architecture) -> list[Cost]:
    """`kind` is the section of aws.runtime, and emr_serverless where there is none."""
    others = (*_firehose(load), *_openflow(load), *_redshift(load.redshift))
    return [*_streams(load), *_firnline(load, kind, architecture), *others]


def node_usd_an_hour(type_: str) -> float | None:
    """The price of a type; None where prices.json has none."""
    name = f"redshift_{type_.replace('.', '_')}_hour"
    return _price(name) if name in prices() else None


def redshift_usd_an_hour(rpus: int) -> float:
    """The price while a statement or a refresh runs, at base capacity."""
    return rpus * _price("redshift_serverless_rpu_hour")


def _price(name: str) -> float:
    return prices()[name].price


def _streams(load: Load) -> Iterator[Cost]:
    way, gb = "Kinesis, with each", load.gb_a_month * load.on_demand
    if load.made:
        usd = load.shards * load.made * _price("kinesis_shard_hour") * HOURS_A_MONTH
        yield Cost(way=way, part="shards of streams that are made", usd=usd)
    if load.on_demand_streams:
        hours = load.on_demand_streams * _price("kinesis_on_demand_stream_hour") * HOURS_A_MONTH
        read = _price("kinesis_on_demand_gb_read") * (0 if load.fan_out else 1)
        yield Cost(way=way, part="streams on demand", usd=hours + gb * (_price("kinesis_on_demand_gb_written") + read))


def _firnline(load: Load, kind: str, architecture: Architecture) -> Iterator[Cost]:
    def cost(part: str, usd: float) -> Cost:
        return Cost(way="Firnline", part=part, usd=usd)

    prices_of = RUNTIMES[kind].prices
    memory_mib = load.workers_mib if prices_of.is_by_worker else load.memory_mib
    machines = prices_of.usd_an_hour(load.cores, memory_mib, architecture, _price)
    yield cost(f"machines ({kind})", machines * HOURS_A_MONTH)
    if load.fan_out:
        hours = load.shards * load.fan_out * _price("kinesis_consumer_shard_hour") * HOURS_A_MONTH
        yield cost("consumers (fan-out)", hours + load.gb_a_month * load.fan_out * _price("kinesis_fan_out_gb"))
    yield cost("ledger, at most", load.ledger_units_a_month / 1e6 * _price("dynamodb_million_writes"))
    yield cost("checkpoint", load.s3_requests_a_month / 1000 * _price("s3_thousand_writes"))
    if load.kept_images:
        yield cost("images in ECR, at most", load.image_gb * _price("ecr_gb_month"))
    yield cost("Snowpipe Streaming", _snowpipe(load, load.ingested_gb_a_month))


def _snowpipe(load: Load, gb: float | None = None) -> float:
    return (
        (load.gb_a_month if gb is None else gb) * _price("snowpipe_streaming_credits_gb") * _price("snowflake_credit")
    )


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


def _redshift(load: RedshiftLoad | None) -> Iterator[Cost]:
    """Yields the costs of a workgroup or cluster that is created, if its hours are known; estimate/text.py tells the rest."""
    if load and load.nodes and (hour := node_usd_an_hour(load.nodes[1])) is not None:
        number, type_ = load.nodes
        usd = number * hour * HOURS_A_MONTH
        yield Cost(way="Redshift, beside it", part=f"{number} x {type_}, all the time", usd=usd)
    if load is None or load.base_capacity is None:
        return
    hours = HOURS_A_MONTH if load.is_busy else min(HOURS_A_MONTH, load.scheduled_a_month * LEAST_REFRESH_S / 3600)
    if hours:
        how = "all the time" if load.is_busy else f"{load.scheduled_a_month:,.0f} scheduled refreshes"
        usd = redshift_usd_an_hour(load.base_capacity) * hours
        yield Cost(way="Redshift, beside it", part=f"{load.base_capacity} RPUs, {how}", usd=usd)
