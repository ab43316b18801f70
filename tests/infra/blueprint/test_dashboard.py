"""The page that an operator looks at."""

import json
from typing import Any

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.dashboard import COLUMNS, WIDTH
from firnline_infra.specification import parse_spec
from firnline_ingest.config.metrics import METRICS

from .test_alarms import WITH_LOG_GROUP, published

STATISTICS = {metric.name: metric.kind.value for metric in METRICS}


def widgets(runtime: str = WITH_LOG_GROUP, metrics: str = "{dashboard: true}") -> list[dict[str, Any]]:
    spec = parse_spec(
        f"""
        version: 1
        name: prod
        aws: {{region: eu-central-1, account: "123456789012", {runtime}}}
        snowflake: {{account: ORG-ACCOUNT}}
        streams: [{{name: orders}}]
        pipelines: [{{stream: orders, database: lake, schema: raw}}]
        metrics: {metrics}
        """,
        "prod.yaml",
    )
    board = blueprint_of(spec).dashboard
    return [] if board is None else json.loads(board.body)["widgets"]


def lines(found: list[dict[str, Any]]) -> list[tuple[str, str, dict[str, str], str]]:
    """Namespace, metric, dimensions and statistic of each."""
    told = []
    for widget in found:
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


def test_none_is_made_unless_it_is_asked_for() -> None:
    assert widgets(metrics="{}") == []


def test_no_widget_lies_on_another_or_beyond_the_page() -> None:
    places = [(widget["x"], widget["y"]) for widget in widgets()]
    assert len(set(places)) == len(places)
    assert max(x for x, _ in places) + WIDTH <= COLUMNS * WIDTH == 24
