"""Costs by volume on the dashboard: counters of AWS's and the engine's, times a price of prices.json, as USD a month at
the rate of the moment, so that it compares with `firnline estimate`.

Metric maths is the CloudWatch guide's, "Using math expressions with CloudWatch metrics". Its EstimatedCharges is not used: it is
of the whole account, in us-east-1 alone, and without values until a person turns billing alerts on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from firnline_infra.blueprint.engine_config import metrics_config
from firnline_infra.blueprint.prices import prices
from firnline_infra.environment import Environment
from firnline_infra.specification.origin import Origin
from firnline_ingest.config.metrics import APPLICATION, BYTES, STREAM

SECONDS_A_MONTH = 30 * 24 * 3600
GB, A_MILLION = 10**9, 10**6
MOST_SERIES = 490  # a widget takes 500 metrics and expressions together


@dataclass(frozen=True)
class Meter:
    """A counter that CloudWatch sums up, and what it is multiplied by."""

    id: str
    """Of its series, as their first letters: no meter's begins with or holds another one's."""
    label: str
    price_names: tuple[str, ...]
    """Their product is the price: credits a GB, and dollars a credit."""
    units: int
    """That the price is of."""

    def expression(self) -> list[dict[str, str]]:
        price = " * ".join(str(prices()[name].price) for name in self.price_names)
        usd = f"SUM(METRICS('{self.id}')) * {price} / {self.units} * {SECONDS_A_MONTH} / PERIOD({self.id}0)"
        return [{"expression": usd, "label": self.label, "id": f"e_{self.id}"}]


SNOWPIPE = Meter("snow", "Snowpipe Streaming", ("snowpipe_streaming_credits_gb", "snowflake_credit"), GB)
LEDGER = Meter("ledger", "ledger, writes", ("dynamodb_million_writes",), A_MILLION)
PUT_UNITS = Meter("put", "PUT payload units, at least one a record", ("kinesis_million_put_units",), A_MILLION)
WRITTEN = Meter("written", "streams on demand, written", ("kinesis_on_demand_gb_written",), GB)
READ = Meter("polled", "streams on demand, polled by all readers", ("kinesis_on_demand_gb_read",), GB)
FAN_OUT = Meter("fan", "fan-out, bytes", ("kinesis_fan_out_gb",), GB)


def cost_widgets(environment: Environment) -> Iterator[tuple[str, dict[str, Any]]]:
    """The kind of each widget, and its properties."""
    series: dict[Meter, list[Sequence[str]]] = {}
    for meter, line in _series(environment):
        series.setdefault(meter, []).append(line)
    each = MOST_SERIES // len(series)
    hidden = [
        [*line, {"id": f"{meter.id}{number}", "stat": "Sum", "visible": False}]
        for meter, lines in series.items()
        for number, line in enumerate(lines[:each])
    ]
    yield (
        "metric",
        {
            "title": "Paid by volume, USD a month at this rate",
            "view": "timeSeries",
            "region": environment.aws.region,
            "period": 3600,
            "metrics": [*hidden, *(meter.expression() for meter in series)],
        },
    )
    beyond = sum(max(0, len(lines) - each) for lines in series.values())
    yield "text", {"markdown": _markdown(list(series), beyond)}


def _series(environment: Environment) -> Iterator[tuple[Meter, Sequence[str]]]:
    namespace = metrics_config(environment).cloudwatch
    if namespace is not None:
        for stream in environment.streams:
            yield SNOWPIPE, (namespace, BYTES.name, APPLICATION, environment.names.application, STREAM, stream.name)
    yield LEDGER, ("AWS/DynamoDB", "ConsumedWriteCapacityUnits", "TableName", environment.names.ledger_table)
    for stream in environment.streams:
        if stream.origin is not Origin.CREATE:
            continue  # its owner's to pay, and what it is billed by is not known
        of_stream = ("StreamName", stream.name)
        if stream.shards is not None:
            yield PUT_UNITS, ("AWS/Kinesis", "IncomingRecords", *of_stream)
        else:
            yield WRITTEN, ("AWS/Kinesis", "IncomingBytes", *of_stream)
            yield READ, ("AWS/Kinesis", "GetRecords.Bytes", *of_stream)
    ours = {stream.name for stream in environment.sources if not stream.is_elsewhere}
    for pipeline in environment.pipelines:
        if pipeline.reader != "polling" and pipeline.stream in ours:
            consumer = pipeline.reader.fan_out.consumer_name(environment.names.application)
            dimensions = ("StreamName", pipeline.stream, "ConsumerName", consumer)
            yield FAN_OUT, ("AWS/Kinesis", "SubscribeToShardEvent.Bytes", *dimensions)


def _markdown(meters: Sequence[Meter], beyond: int) -> str:
    """The prices as Markdown, without a date of rendering: the same specification and prices give the same text. `beyond`
    counts the counters that the widget has no room for."""
    used = {name: prices()[name] for meter in meters for name in meter.price_names}
    rows = [f"{price.what} | {price.price} | {price.date} | {price.standing.value}" for price in used.values()]
    more = f" The widget has no room for {beyond:,} more counters." if beyond else ""
    return "\n".join(
        [
            "**Prices of the widget beside this**: us-east-1, without discounts. Hours (machines, shards, streams, "
            "consumers) and S3 are in no counter: `firnline estimate` has "
            f"them.{more}",
            "",
            "what | USD | as of | standing",
            "--- | --- | --- | ---",
            *rows,
        ]
    )
