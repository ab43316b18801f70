"""Lines as CloudWatch's specification of the embedded metric format has them."""

import io
import json
from typing import Any

import pytest
from jsonschema import Draft7Validator

from firnline_ingest.config.metrics import METRICS, MetricsConfig
from firnline_ingest.metrics import EngineMetrics, Unread
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.values import ShardKey

SCHEMA = {  # after the specification's rules: what is named as a metric or dimension is a member of the root
    "type": "object",
    "required": ["_aws", "Application"],
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


NAMES = {metric.name for metric in METRICS}
NOW_MS = 1_795_000_000_500
HOUR_MS = 3_600_000


def metrics(config: MetricsConfig | None = None) -> EngineMetrics:
    return EngineMetrics(config or MetricsConfig(cloudwatch="Firnline"), "orders-prod", clock=lambda: NOW_MS / 1000)


def all_lines_of(
    receipts: list[Receipt], capsys: pytest.CaptureFixture[str], planned: tuple[Unread, ...] = (), **options: Any
) -> list[dict[str, Any]]:
    publisher = metrics()
    publisher.planned(planned)
    publisher.write(receipts, **options)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def lines_of(receipts: list[Receipt], capsys: pytest.CaptureFixture[str], **options: Any) -> list[dict[str, Any]]:
    """Returns the lines of streams."""
    return [line for line in all_lines_of(receipts, capsys, **options) if "Stream" in line]


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


def test_shards_that_are_idle_and_shards_that_wait_for_room_are_counted_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    no_room = ShardProblem("FL-1211", "too few cores", "more", is_retryable=True)
    receipts = [
        receipt("orders", "0", is_idle=True),
        receipt("orders", "1"),
        receipt("orders", "2", state=ShardState.WAITING, problem=no_room),
        receipt("orders", "3", state=ShardState.WAITING, problem=no_room),
    ]
    (line,) = lines_of(receipts, capsys)
    names = ("Shards", "IdleShards", "WaitingShards", "FailingShards", "Stopped")
    assert {name: line[name] for name in names} == {
        "Shards": 2,
        "IdleShards": 1,
        "WaitingShards": 2,
        "FailingShards": 2,
        "Stopped": 0,
    }


def test_a_line_is_what_cloudwatch_takes_metrics_from(capsys: pytest.CaptureFixture[str]) -> None:
    for line in all_lines_of([receipt("orders", "0", behind_ms=None), receipt("clicks", "0", behind_ms=1)], capsys):
        Draft7Validator(SCHEMA).validate(line)
        (directive,) = line["_aws"]["CloudWatchMetrics"]
        named = {each["Name"] for each in directive["Metrics"]}
        assert named <= NAMES
        assert named | {name for names in directive["Dimensions"] for name in names} == line.keys() - {"_aws"}
        assert all(isinstance(line[name], int) for name in named)


def test_every_metric_has_the_name_that_alarms_are_made_of(capsys: pytest.CaptureFixture[str]) -> None:
    told = receipt("orders", "0", behind_ms=1, proof_delay_ms=1)
    lines = all_lines_of([told], capsys, planned=(Unread(told.key, NOW_MS, 24),))
    named = [(each["Name"], each["Unit"]) for line in lines for each in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]]
    assert sorted(named) == sorted((metric.name, metric.unit.value) for metric in METRICS)


def test_an_epoch_beats_once_for_the_application_and_for_no_stream(capsys: pytest.CaptureFixture[str]) -> None:
    beat, *streams = all_lines_of([receipt("orders", "0"), receipt("clicks", "0")], capsys)
    assert (beat["Heartbeat"], beat["_aws"]["CloudWatchMetrics"][0]["Dimensions"]) == (1, [["Application"]])
    assert not any("Heartbeat" in line for line in streams)


def test_a_stream_has_the_time_to_trim_of_the_shard_that_has_least(capsys: pytest.CaptureFixture[str]) -> None:
    """The one has 24 hours of retention and was read to an hour ago; the other has stopped two hours before its loss."""
    read, left_out = receipt("orders", "0", behind_ms=3_600_000), ShardKey("orders", 1, "1")
    planned = (Unread(read.key, NOW_MS - 5 * HOUR_MS, 24), Unread(left_out, NOW_MS - 22 * HOUR_MS, 24))
    (line,) = lines_of([read], capsys, planned=planned, stopped={left_out})
    assert line["TimeToTrim"] == 2 * 3600
    (line,) = lines_of([read], capsys, planned=planned[:1])
    assert line["TimeToTrim"] == 23 * 3600


def test_a_stream_that_is_left_out_is_told_although_it_has_no_receipt(capsys: pytest.CaptureFixture[str]) -> None:
    (line,) = lines_of([], capsys, stopped={ShardKey("orders", 1, "0"), ShardKey("orders", 1, "1")})
    assert (line["Stream"], line["Stopped"], line["Shards"]) == ("orders", 2, 0)


def test_nothing_is_written_unless_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    metrics(MetricsConfig()).write([receipt("orders", "0")])
    assert capsys.readouterr().out == ""


def test_an_output_that_nobody_reads_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stdout", Gone())
    metrics().write([receipt("orders", "0")])


@pytest.mark.parametrize("namespace", ["AWS/Kinesis", "", "a b"])
def test_a_namespace_that_cloudwatch_refuses_is_refused(namespace: str) -> None:
    with pytest.raises(ValueError, match="letters, digits"):
        MetricsConfig(cloudwatch=namespace)
