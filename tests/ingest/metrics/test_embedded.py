"""Lines as CloudWatch's specification of the embedded metric format has them."""

import io
import json
from typing import Any

import pytest
from jsonschema import Draft7Validator

from firnline_ingest.config.metrics import NAMES, MetricsConfig
from firnline_ingest.metrics import EmbeddedMetrics
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.values import ShardKey

SCHEMA = {  # after the specification's rules: what is named as a metric or dimension is a member of the root
    "type": "object",
    "required": ["_aws", "Application", "Stream"],
    "properties": {
        "_aws": {
            "type": "object",
            "required": ["Timestamp", "CloudWatchMetrics"],
            "properties": {
                "Timestamp": {"type": "integer"},
                "CloudWatchMetrics": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["Namespace", "Dimensions", "Metrics"],
                        "additionalProperties": False,
                        "properties": {
                            "Namespace": {"type": "string", "minLength": 1, "maxLength": 1024},
                            "Dimensions": {
                                "type": "array",
                                "minItems": 1,
                                "items": {"type": "array", "maxItems": 30, "items": {"type": "string"}},
                            },
                            "Metrics": {
                                "type": "array",
                                "maxItems": 100,
                                "items": {
                                    "type": "object",
                                    "required": ["Name"],
                                    "properties": {
                                        "Name": {"type": "string", "minLength": 1, "maxLength": 1024},
                                        "Unit": {"enum": ["Count", "Bytes", "Milliseconds", "Seconds"]},
                                    },
                                },
                            },
                        },
                    },
                },
            },
        }
    },
}
FAILED = ShardProblem("FL-3006", "no such table", "make it", is_retryable=False)


def receipt(stream: str, shard: str, **changes: Any) -> Receipt:
    fields: dict[str, Any] = {"stream_created_ms": 1, "epoch": 1, "state": ShardState.READING, **changes}
    return Receipt(stream=stream, shard_id=shard, **fields)


def lines_of(receipts: list[Receipt], capsys: pytest.CaptureFixture[str], **options: Any) -> list[dict[str, Any]]:
    metrics = EmbeddedMetrics(MetricsConfig(cloudwatch="Firnline"), "orders-prod", clock=lambda: 1_795_000_000.5)
    metrics.write(receipts, **options)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_an_epoch_is_a_line_for_each_stream_with_the_sums_of_its_shards(capsys: pytest.CaptureFixture[str]) -> None:
    receipts = [
        receipt("orders", "0", records=5, bytes=500, behind_ms=10),
        receipt("orders", "1", records=7, bytes=700, behind_ms=9000, problem=FAILED),
        receipt("clicks", "0", records=1, behind_ms=None),
    ]
    clicks, orders = lines_of(receipts, capsys)
    assert (orders["Application"], orders["Stream"], orders["_aws"]["Timestamp"]) == (
        "orders-prod",
        "orders",
        1_795_000_000_500,
    )
    found = {name: orders[name] for name in ("Records", "Bytes", "Lag", "Shards", "FailingShards", "Stopped")}
    assert found == {"Records": 12, "Bytes": 1200, "Lag": 9000, "Shards": 2, "FailingShards": 1, "Stopped": 0}
    assert (clicks["Stream"], clicks["Records"], "Lag" in clicks) == ("clicks", 1, False)


def test_a_line_is_what_cloudwatch_takes_metrics_from(capsys: pytest.CaptureFixture[str]) -> None:
    for line in lines_of([receipt("orders", "0", behind_ms=None), receipt("clicks", "0", behind_ms=1)], capsys):
        Draft7Validator(SCHEMA).validate(line)
        (directive,) = line["_aws"]["CloudWatchMetrics"]
        named = {each["Name"] for each in directive["Metrics"]}
        assert named <= set(NAMES)
        assert named | {name for names in directive["Dimensions"] for name in names} == line.keys() - {"_aws"}
        assert all(isinstance(line[name], int) for name in named)


def test_every_metric_has_the_name_that_alarms_are_made_of(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = lines_of([receipt("orders", "0", behind_ms=1)], capsys)
    assert {each["Name"] for each in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]} == set(NAMES)


def test_a_stream_that_is_left_out_is_told_although_it_has_no_receipt(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = lines_of([], capsys, stopped={ShardKey("orders", 1, "0"), ShardKey("orders", 1, "1")})
    assert (line["Stream"], line["Stopped"], line["Shards"]) == ("orders", 2, 0)


def test_nothing_is_written_unless_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    EmbeddedMetrics(MetricsConfig(), "orders-prod").write([receipt("orders", "0")])
    assert capsys.readouterr().out == ""


def test_an_output_that_nobody_reads_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stdout", Gone())
    EmbeddedMetrics(MetricsConfig(cloudwatch="Firnline"), "orders-prod").write([receipt("orders", "0")])


@pytest.mark.parametrize("namespace", ["AWS/Kinesis", "", "a b"])
def test_a_namespace_that_cloudwatch_refuses_is_refused(namespace: str) -> None:
    with pytest.raises(ValueError, match="letters, digits"):
        MetricsConfig(cloudwatch=namespace)
