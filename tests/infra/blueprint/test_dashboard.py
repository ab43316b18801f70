"""The page that an operator looks at."""

import json
import math
import re
from typing import Any

import pytest

from firnline_infra.blueprint.dashboard import COLUMNS, WIDTH
from firnline_infra.blueprint.dashboard_cost import FAN_OUT, LEDGER, PUT_UNITS, READ, SNOWPIPE, WRITTEN
from firnline_infra.blueprint.prices import prices
from firnline_infra.environment import Environment
from firnline_infra.kinds.observability import dashboards
from firnline_infra.specification import parse_spec
from firnline_ingest.config.metrics import METRICS

from .test_alarms import WITH_LOG_GROUP, published

METERS = (SNOWPIPE, LEDGER, PUT_UNITS, WRITTEN, READ, FAN_OUT)
STATISTICS = {metric.name: metric.kind.value for metric in METRICS}


def widgets(
    runtime: str = WITH_LOG_GROUP,
    metrics: str = "{dashboard: true}",
    streams: str = "[{name: orders}]",
    pipelines: str = "[{stream: orders, database: lake, schema: raw}]",
) -> list[dict[str, Any]]:
    spec = parse_spec(
        f"""
        version: 1
        name: prod
        aws: {{region: eu-central-1, account: "123456789012", {runtime}}}
        snowflake: {{account: ORG-ACCOUNT}}
        streams: {streams}
        pipelines: {pipelines}
        metrics: {metrics}
        """,
        "prod.yaml",
    )
    boards = [row for made in dashboards(Environment.of(spec)) for row in made.resources()]
    return [widget for each in boards for widget in json.loads(each.arguments["dashboard_body"])["widgets"]]


def lines(found: list[dict[str, Any]]) -> list[tuple[str, str, dict[str, str], str]]:
    """Namespace, metric, dimensions and statistic of each."""
    told = []
    for widget in found:
        if widget["type"] == "text" or "USD" in widget["properties"]["title"]:
            continue
        for namespace, metric, *rest in widget["properties"]["metrics"]:
            dimensions, options = rest[:-1], rest[-1]
            told.append((namespace, metric, dict(zip(dimensions[::2], dimensions[1::2], strict=True)), options["stat"]))
    return told


def test_it_looks_at_every_metric_that_the_engine_publishes_with_its_dimensions_and_at_no_other() -> None:
    ours = [line for line in lines(widgets()) if line[0] == "Firnline"]
    assert sorted(metric for _, metric, _, _ in ours) == sorted(STATISTICS)
    for namespace, metric, dimensions, statistic in ours:
        assert dimensions in published()[namespace, metric], metric
        assert statistic == STATISTICS[metric], metric


def test_what_aws_counts_has_the_dimensions_that_aws_documents() -> None:
    """The Kinesis guide, "Monitoring with CloudWatch"; the DynamoDB guide, "Metrics and dimensions"."""
    by_service = {namespace: set(dimensions) for namespace, _, dimensions, _ in lines(widgets()) if "/" in namespace}
    assert by_service == {"AWS/Kinesis": {"StreamName"}, "AWS/DynamoDB": {"TableName"}}


def test_without_a_log_group_it_shows_what_aws_counts_alone() -> None:
    assert {line[0] for line in lines(widgets("runtime: {trust: emr-serverless}"))} == {"AWS/Kinesis", "AWS/DynamoDB"}


STREAMS = """[{name: orders}, {name: clicks, shards: 2, consumers: [engine]},
               {name: theirs, origin: adopt, arn: "arn:aws:kinesis:eu-central-1:123456789012:stream/theirs"}]"""
PIPELINES = """[{stream: orders, database: lake, schema: raw},
                 {stream: clicks, database: lake, schema: raw, reader: {fan_out: {consumer: engine}}},
                 {stream: theirs, database: lake, schema: raw}]"""


def costs(**sections: str) -> tuple[dict[str, list[Any]], dict[str, str], str]:
    """Series of CloudWatch by their ids, expressions by their labels, and the text beside them."""
    *_, widget, text = widgets(**sections)
    metrics = widget["properties"]["metrics"]
    series = {line[-1]["id"]: line[:-1] for line in metrics if len(line) > 1}
    return (
        series,
        {line[0]["label"]: line[0]["expression"] for line in metrics if len(line) == 1},
        text["properties"]["markdown"],
    )


def test_what_is_paid_by_volume_is_what_is_counted_times_its_price_as_a_month() -> None:
    series, expressions, text = costs(streams=STREAMS, pipelines=PIPELINES)
    assert series == {
        **{
            f"snow{number}": ["Firnline", "Bytes", "Application", "firnline-prod", "Stream", name]
            for number, name in enumerate(("orders", "clicks", "theirs"))
        },
        "ledger0": ["AWS/DynamoDB", "ConsumedWriteCapacityUnits", "TableName", "firnline-prod"],
        "put0": ["AWS/Kinesis", "IncomingRecords", "StreamName", "clicks"],
        "written0": ["AWS/Kinesis", "IncomingBytes", "StreamName", "orders"],
        "polled0": ["AWS/Kinesis", "GetRecords.Bytes", "StreamName", "orders"],
        "fan0": ["AWS/Kinesis", "SubscribeToShardEvent.Bytes", "StreamName", "clicks", "ConsumerName", "engine"],
    }
    month = 30 * 24 * 3600
    usd = {label: eval_at(expression, {"snow": 3e8, "ledger": 300.0}) for label, expression in expressions.items()}
    # 1 MB/s of rows for five minutes, and a write a second
    assert usd["Snowpipe Streaming"] == pytest.approx(month / 1000 * 0.0037 * 3)
    assert usd["ledger, writes"] == pytest.approx(month / 1e6 * 0.625)
    assert set(usd.values()) - {0.0} == {usd["Snowpipe Streaming"], usd["ledger, writes"]}
    for name in ("snowflake_credit", "kinesis_fan_out_gb"):
        price = prices()[name]
        assert f"{price.what} | {price.price} | {price.date} | {price.standing.value}" in text


def eval_at(expression: str, sums: dict[str, float]) -> float:
    """Returns what CloudWatch makes of it where each meter's series add up to `sums` in five minutes."""
    match = re.fullmatch(r"SUM\(METRICS\('(\w+)'\)\) \* ([\d.* ]+) / (\d+) \* (\d+) / PERIOD\((\w+)0\)", expression)
    assert match is not None, expression
    assert match[1] == match[5]
    price = math.prod(map(float, match[2].split(" * ")))
    return sums.get(match[1], 0.0) * price / int(match[3]) * int(match[4]) / 300


def test_no_series_is_counted_by_another_meter_and_a_thousand_streams_fit_a_widget() -> None:
    ids = [meter.id for meter in METERS]
    assert not [(one, other) for one in ids for other in ids if one != other and one in other]
    streams = ", ".join(f"{{name: s{number}}}" for number in range(300))
    *_, widget, text = widgets(streams=f"[{streams}]", pipelines="[{stream: s0, database: lake, schema: raw}]")
    shown = sum(len(line) > 1 for line in widget["properties"]["metrics"])
    assert len(widget["properties"]["metrics"]) <= 500
    counted = 3 * 300 + 1  # rows, written and polled of each stream, and the ledger's writes
    assert f"no room for {counted - shown:,} more counters" in text["properties"]["markdown"]


def test_a_page_of_the_same_specification_is_the_same_text() -> None:
    assert costs() == costs()


def test_none_is_made_unless_it_is_asked_for() -> None:
    assert widgets(metrics="{}") == []


def test_no_widget_lies_on_another_or_beyond_the_page() -> None:
    places = [(widget["x"], widget["y"]) for widget in widgets()]
    assert len(set(places)) == len(places)
    assert max(x for x, _ in places) + WIDTH <= COLUMNS * WIDTH == 24
