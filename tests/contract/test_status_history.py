"""The last day of the status page: what the engine's lines became in CloudWatch, read back with the real SDK."""

import re
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.config import Config

from firnline_infra.status.history import history_in_cloudwatch, where_kept
from firnline_infra.status.reader import StatusReader
from firnline_ingest.config.metrics import MetricsConfig, PrometheusConfig
from firnline_local.running import RunningEnvironment
from tests.fakes.ledger import MemoryLedger
from tests.ports import free_ports

NOW = datetime.now(UTC).replace(second=0, microsecond=0)
AT = NOW - timedelta(hours=5, minutes=NOW.minute % 5)


def test_what_the_engine_published_is_read_back_by_five_minutes(local_environment: RunningEnvironment) -> None:
    cloudwatch = local_environment.client("cloudwatch")
    application = [{"Name": "Application", "Value": "history-test"}]
    stream = [*application, {"Name": "Stream", "Value": "orders"}]
    written = [
        ("Rows", 40.0, AT, application), ("Rows", 2.0, AT + timedelta(minutes=4), application),
        ("Rows", 1000.0, AT, stream), ("Rows", 7.0, AT + timedelta(minutes=5), application),
        ("Lag", 900.0, AT, application), ("Lag", 300.0, AT + timedelta(minutes=1), application),
        ("DeadLetters", 3.0, AT + timedelta(minutes=5), application),
        ("Rows", 5000.0, NOW - timedelta(hours=30), application),
    ]  # fmt: skip # a paragraph, not a column
    for name, value, at, dimensions in written:
        data = {"MetricName": name, "Value": value, "Timestamp": at, "Dimensions": dimensions}
        cloudwatch.put_metric_data(Namespace="Firnline", MetricData=[data])
    found = history_in_cloudwatch(cloudwatch, "Firnline", "history-test", NOW)
    minute = int(AT.timestamp()) // 60
    assert list(found.points) == [
        {"minute": minute, "rows": 42.0, "dead_letters": 0, "rejected_rows": 0, "lag_ms": 900.0},
        {"minute": minute + 5, "rows": 7.0, "dead_letters": 3.0, "rejected_rows": 0, "lag_ms": None},
    ]
    assert found.where == "CloudWatch, namespace Firnline, by 5 minutes."
    nothing = history_in_cloudwatch(cloudwatch, "Firnline", "nobody", NOW)
    assert (nothing.points, nothing.where) == ((), "CloudWatch has nothing of nobody in the namespace Firnline.")


def test_an_account_that_does_not_answer_is_said_where_the_day_would_be() -> None:
    (port,) = free_ports(1)
    once = Config(retries={"total_max_attempts": 1})
    nobody = boto3.client(
        "cloudwatch", region_name="eu-central-1", endpoint_url=f"http://127.0.0.1:{port}", config=once
    )
    reader = StatusReader(
        application="app",
        ledger=MemoryLedger(),
        streams=dict,
        kept_history=lambda: history_in_cloudwatch(nobody, "Firnline", "app", NOW),
    )
    found = reader.history()
    assert found.points == ()
    assert "cloudwatch:GetMetricData" in found.where
    assert re.match(r"\[FL-\d{4}\] ", found.where)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (MetricsConfig(), "Kept nowhere: `metrics` of the specification names"),
        (MetricsConfig(prometheus=PrometheusConfig()), "Kept in Prometheus."),
        (
            MetricsConfig(cloudwatch="Own", prometheus=PrometheusConfig()),
            "Kept in CloudWatch, namespace Own and Prometheus.",
        ),
    ],
)
def test_else_it_says_where_a_day_is_kept(config: MetricsConfig, said: str) -> None:
    assert where_kept(config).where.startswith(said)
    reader = StatusReader(
        application="app", ledger=MemoryLedger(), streams=dict, kept_history=lambda: where_kept(config)
    )
    assert reader.history() == where_kept(config)
