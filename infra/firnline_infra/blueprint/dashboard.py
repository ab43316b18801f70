"""The dashboard of an environment: one page of CloudWatch, of what the engine publishes, what AWS counts, and
what that costs."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from firnline_infra.blueprint.dashboard_cost import cost_widgets
from firnline_infra.blueprint.engine_config import metrics_config
from firnline_infra.environment import Environment
from firnline_ingest.config.metrics import (
    APPLICATION,
    BYTES,
    DEAD_LETTERS,
    FAILING_SHARDS,
    HEARTBEAT,
    IDLE_SHARDS,
    INCIDENTS,
    INGESTED,
    INTERRUPTIONS,
    LAG,
    LEFT_OUT,
    NEW_COLUMNS,
    NOT_NULLS_DROPPED,
    OPENS,
    PROOF_DELAY,
    RECORDS,
    REJECTED_ROWS,
    REPLAYED_ROWS,
    REREAD_LETTERS,
    REREAD_ROWS,
    ROWS,
    SHARDS,
    SKIPPED,
    STOPPED,
    STREAM,
    THROTTLED,
    TIME_TO_TRIM,
    UNANSWERED,
    UNDECIDED_SHARDS,
    UNKNOWN_KEYS,
    UNREADABLE_PAGES,
    WAITING_SHARDS,
    Metric,
)

COLUMNS, WIDTH, HEIGHT = 3, 8, 6  # of the 24 columns that a page has
PERIOD_S = 300
MOST_STREAMS = 100  # a widget takes 500 metrics, and a page 2500 (CloudWatch's quotas)
ENGINE: tuple[tuple[str, tuple[Metric, ...]], ...] = (
    ("How far behind", (LAG,)),
    ("Time until records are dropped", (TIME_TO_TRIM,)),
    ("Wait for the proof", (PROOF_DELAY,)),
    ("Read and sent", (RECORDS, INGESTED, ROWS)),
    ("Bytes of rows", (BYTES,)),
    ("Epochs that ended", (HEARTBEAT,)),
    ("Kept, left out, refused", (DEAD_LETTERS, REPLAYED_ROWS, SKIPPED, LEFT_OUT, REJECTED_ROWS)),
    ("Shards", (SHARDS, IDLE_SHARDS, WAITING_SHARDS, FAILING_SHARDS, STOPPED)),
    ("Kinesis' answers", (THROTTLED, UNREADABLE_PAGES, UNANSWERED)),
    ("Channels", (OPENS, INTERRUPTIONS)),
    ("Read again", (REREAD_ROWS, REREAD_LETTERS)),
    ("Incidents", (INCIDENTS,)),
    ("Keys and columns", (UNKNOWN_KEYS, NEW_COLUMNS, NOT_NULLS_DROPPED, UNDECIDED_SHARDS)),
)
"""What the engine publishes, by the title of its widget: each metric once."""
KINESIS = (
    ("Put by producers", "IncomingRecords", "Sum"),
    ("Behind, as Kinesis counts", "GetRecords.IteratorAgeMilliseconds", "Maximum"),
    ("Puts refused", "WriteProvisionedThroughputExceeded", "Sum"),
)


def dashboard_body(environment: Environment) -> str:
    """Returns JSON ("Dashboard body structure and syntax" of CloudWatch's API reference)."""
    counted = [("metric", widget) for widget in (*_of_engine(environment), *_of_aws(environment))]
    widgets = enumerate([*counted, *cost_widgets(environment)])
    placed = [{"type": kind, **_place(index), "properties": properties} for index, (kind, properties) in widgets]
    return json.dumps({"widgets": placed}, separators=(",", ":"))


def _place(index: int) -> dict[str, int]:
    row, column = divmod(index, COLUMNS)
    return {"x": column * WIDTH, "y": row * HEIGHT, "width": WIDTH, "height": HEIGHT}


def _of_engine(environment: Environment) -> Iterator[dict[str, Any]]:
    """The widgets of the engine's metrics, if CloudWatch gets them."""
    namespace = metrics_config(environment).cloudwatch
    if namespace is None:
        return
    for title, metrics in ENGINE:
        yield _widget(
            environment, title, [line for metric in metrics for line in _lines(environment, namespace, metric)]
        )


def _lines(environment: Environment, namespace: str, metric: Metric) -> Iterator[list[Any]]:
    options = {"stat": metric.kind.value}
    of_engine = [namespace, metric.name, APPLICATION, environment.names.application]
    if metric.of_application:
        yield [*of_engine, options]
        return
    for stream in environment.streams[:MOST_STREAMS]:
        yield [*of_engine, STREAM, stream.name, {**options, "label": f"{metric.name} {stream.name}"}]


def _of_aws(environment: Environment) -> Iterator[dict[str, Any]]:
    for title, metric, statistic in KINESIS:
        yield _widget(
            environment,
            title,
            [
                ["AWS/Kinesis", metric, "StreamName", stream.name, {"stat": statistic}]
                for stream in [each for each in environment.sources if not each.is_elsewhere][:MOST_STREAMS]
            ],
        )
    capacity = ("ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits")
    ledger = [
        ["AWS/DynamoDB", metric, "TableName", environment.names.ledger_table, {"stat": "Sum"}] for metric in capacity
    ]
    yield _widget(environment, "The ledger's load", ledger)


def _widget(environment: Environment, title: str, metrics: Sequence[list[Any]]) -> dict[str, Any]:
    return {
        "title": title,
        "view": "timeSeries",
        "region": environment.aws.region,
        "period": PERIOD_S,
        "metrics": list(metrics),
    }
