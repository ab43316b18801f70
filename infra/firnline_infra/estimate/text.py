"""An estimate as text: what is needed, what it costs, and how far the prices can be trusted."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from firnline_infra.blueprint.prices import prices
from firnline_infra.estimate.cost import Cost, node_usd_an_hour, redshift_usd_an_hour
from firnline_infra.estimate.load import CHANNELS_OF_A_PIPE, UNITS_OF_A_PARTITION, Load, RedshiftLoad
from firnline_ingest.terminal import folded, text_table


def estimate_text(load: Load, costs: list[Cost]) -> str:
    return "\n\n".join(
        [
            text_table(("what", "how much"), _needs(load)),
            _table(costs),
            *map(folded, (_standing(), *_redshift(load.redshift), *_advice(load))),
        ]
    )


def estimate_document(load: Load, costs: list[Cost]) -> dict[str, Any]:
    """The estimate for programs: what the engine needs, and each part's USD a month. Texts are the same as in the table."""
    return {
        "needs": dict(_needs(load)),
        "costs_usd_a_month": [asdict(cost) for cost in costs],
        "remarks": [_standing(), *_redshift(load.redshift), *_advice(load)],
    }


def _needs(load: Load) -> list[tuple[str, str]]:
    size, of_each = load.size, "" if load.applications == 1 else f"{load.applications} x "
    split = (
        [("applications", f"{load.applications}, of {load.shards_of_an_application:,} shards each")] if of_each else []
    )
    return [
        *split,
        ("shards, channels", f"{load.shards:,}" if load.tables == 1 else f"{load.shards:,}, {load.channels:,}"),
        ("records", f"{load.mb_per_s:,.1f} MB/s, {load.gb_a_month:,.0f} GB a month"),
        *(
            [("metadata of rows, at most", f"{load.ingested_gb_a_month - load.gb_a_month:,.0f} GB a month")]
            if load.record_bytes
            else []
        ),
        ("driver", f"{of_each}{size.driver_cores} cores, {size.driver_memory_mib + size.driver_overhead_mib:,} MiB"),
        (
            "executors",
            f"{of_each}{size.executors} of {size.executor_cores} cores, {size.executor_memory_mib + size.overhead_mib:,} MiB",
        ),
        ("of these cores, busy", f"{load.busy_cores:.1f}"),
        (
            "reads while nothing comes",
            f"{load.idle_reads_per_s:,.0f} a second, {load.idle_cores:.1f} cores; Kinesis bills none",
        ),
        ("ledger", f"{load.ledger_writes_per_s:,.0f} writes a second at most"),
        ("Spark's offset", f"{load.offset_kb:,.1f} KB an epoch"),
    ]


def _table(costs: list[Cost]) -> str:
    rows: list[tuple[str, str, str]] = []
    for way in dict.fromkeys(cost.way for cost in costs):
        parts = [cost for cost in costs if cost.way == way]
        rows += [(way, cost.part, f"{cost.usd:,.0f}") for cost in parts]
        rows.append((way, "total", f"{sum(cost.usd for cost in parts):,.0f}"))
    return text_table(("way", "part", "USD a month"), rows)


def _standing() -> str:
    counted: dict[str, int] = {}
    for price in prices().values():
        counted[price.standing.value] = counted.get(price.standing.value, 0) + 1
    standings = ", ".join(f"{number} {standing}" for standing, number in sorted(counted.items()))
    return (
        f"Prices of us-east-1 as of {max(price.date for price in prices().values())}: {standings}. docs/estimate.md "
        f"has each with its source, and what is not counted. Look them up before you decide by them."
    )


def _redshift(load: RedshiftLoad | None) -> Iterator[str]:
    if load is None:
        return
    if load.nodes is not None:
        number, type_ = load.nodes
        known = "paid while nothing runs too" if node_usd_an_hour(type_) else "whose price is not known here"
        yield f"Redshift: {load.place} has {number} x {type_}, {known}. Managed storage is not counted."
        return
    if load.base_capacity is None:
        yield f"Redshift: {load.place} exists and is paid already. The views' share of its capacity is not counted."
        return
    hour = f"{load.base_capacity} RPUs are {redshift_usd_an_hour(load.base_capacity):,.2f} USD an hour"
    if load.is_busy:
        yield (
            f"Redshift: {hour}. Views with `refresh: auto` keep {load.place} at work while records arrive, and it takes more "
            f"than its base capacity where it needs it. Storage and your own queries are not counted."
        )
    elif load.scheduled_a_month:
        yield (
            f"Redshift: {hour}. {load.scheduled_a_month:,.0f} scheduled refreshes a month are counted as a minute each, the "
            f"least that is paid: longer ones cost more, those that run at once less. Storage and your own queries are not "
            f"counted."
        )
    else:
        yield (
            f"Redshift: {hour}, by the second with a minimum of 60, while a refresh or a query runs. No view is refreshed by "
            f"itself, so the hours are yours to say: none are counted, and no storage."
        )


def _advice(load: Load) -> Iterator[str]:
    if load.metadata_bytes and load.record_bytes is None:
        yield (
            f"Metadata: it adds up to {load.metadata_bytes:,.0f} bytes to each row, which Snowflake bills as ingested. It is "
            f"counted where the size of a record is given (--record-bytes); parts that nobody needs can be off (metadata)."
        )
    if load.applications > 1:
        yield (
            f"Split: a pipe of Snowflake's has {CHANNELS_OF_A_PIPE:,} channels, DynamoDB throttles the rows of one stream beyond "
            f"{UNITS_OF_A_PARTITION:,} units a second, and one driver plans all shards. Sizes and costs are those of "
            f"{load.applications} applications, each with a specification of its own, for at most {load.split_shards:,} shards "
            f"each. An application reads whole streams: a stream with more shards than that needs to become several streams, or "
            f"Snowflake's support first."
        )
    if fuller := load.with_slow_reads:
        yield (
            f"Thin shards: {load.reading_cores:,.1f} of the {load.busy_cores:,.1f} busy cores are reads, one of each shard in "
            f"{load.read_s * 1000:,.0f} ms. With `polling.interval_ms: {fuller.read_s * 1000:.0f}` all of it takes "
            f"{fuller.busy_cores:,.1f} cores, and a task has room for {fuller.shards_per_task} shards, so that fewer cores are "
            f"paid for (`epoch.shards_per_task: {fuller.shards_per_task}`). A record is then seen up to {fuller.read_s:g} s "
            f"after it came."
        )
