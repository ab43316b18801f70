"""Prometheus and OpenTelemetry: the same names, on threads of their own, and never in the way of an epoch."""

import gzip
import logging
import queue
import socket
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import ValidationError

from firnline_ingest.config.metrics import METRICS, Kind, MetricsConfig, OpenTelemetryConfig, PrometheusConfig
from firnline_ingest.metrics import EngineMetrics
from firnline_ingest.metrics.figures import Figures, figures
from firnline_ingest.metrics.opentelemetry import OpenTelemetryMetrics
from firnline_ingest.metrics.prometheus import PrometheusMetrics
from firnline_ingest.shard.receipt import Receipt, ShardState

ANY_PORT = PrometheusConfig.model_construct(port=0, address="127.0.0.1")


def an_epoch(**changes: int | None) -> list[Figures]:
    fields = {"records": 5, "behind_ms": 7, "proof_delay_ms": 9, **changes}
    receipt = Receipt(stream="orders", stream_created_ms=1, shard_id="0", epoch=1, state=ShardState.READING, **fields)
    return figures([receipt], (), {receipt.key: 3600})


@pytest.fixture
def endpoint() -> Iterator[PrometheusMetrics]:
    metrics = PrometheusMetrics(ANY_PORT, "orders-prod")
    yield metrics
    metrics.close()


def asked(metrics: PrometheusMetrics) -> dict[str, tuple[dict[str, str], float]]:
    """By the sample's name; the tests have one stream."""
    with urllib.request.urlopen(f"http://127.0.0.1:{metrics.port}/metrics", timeout=60) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    return {sample.name: (sample.labels, sample.value) for family in families for sample in family.samples}


def test_prometheus_is_told_every_metric_under_its_own_name(endpoint: PrometheusMetrics) -> None:
    endpoint.write(an_epoch())
    found = asked(endpoint)
    assert found.keys() == {metric.prometheus for metric in METRICS}
    assert found["firnline_records_total"] == ({"application": "orders-prod", "stream": "orders"}, 5)
    assert found["firnline_heartbeat_total"] == ({"application": "orders-prod"}, 1)
    assert found["firnline_time_to_trim_seconds"][1] == 3600


def test_counts_add_up_and_what_stands_is_of_the_last_epoch_alone(endpoint: PrometheusMetrics) -> None:
    endpoint.write(an_epoch())
    endpoint.write(an_epoch(behind_ms=None))
    found = asked(endpoint)
    assert found["firnline_records_total"][1] == 10
    assert "firnline_lag_milliseconds" not in found


class Collector(ThreadingHTTPServer):
    """Keeps what it is sent."""

    daemon_threads = True

    def __init__(self) -> None:
        self.received: queue.Queue[bytes] = queue.Queue()
        self.answers = threading.Event()
        self.answers.set()
        received, answers = self.received, self.answers

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.put(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
                answers.wait(60)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


def test_a_collector_is_told_every_metric_with_what_it_is_of() -> None:
    collector = Collector()
    metrics = OpenTelemetryMetrics(_config(collector.server_port), "orders-prod", last_s=60)
    metrics.write(an_epoch())
    metrics.close()
    request = ExportMetricsServiceRequest.FromString(collector.received.get(timeout=60))
    collector.shutdown()
    collector.server_close()
    (resource,) = request.resource_metrics
    assert ("service.name", "orders-prod") in [
        (each.key, each.value.string_value) for each in resource.resource.attributes
    ]
    found = {metric.name: metric for scope in resource.scope_metrics for metric in scope.metrics}
    assert found.keys() == {metric.opentelemetry for metric in METRICS}
    assert {name for name, metric in found.items() if metric.sum.is_monotonic} == {
        metric.opentelemetry for metric in METRICS if metric.kind is Kind.SUM
    }
    (point,) = found["firnline.lag"].gauge.data_points
    assert (point.as_int, {each.key: each.value.string_value for each in point.attributes}) == (
        7,
        {"application": "orders-prod", "stream": "orders"},
    )
    assert found["firnline.lag"].unit == "ms"


def test_a_collector_that_takes_the_call_and_never_answers_holds_no_epoch_and_no_end() -> None:
    """Were an epoch's thread the one that waits, the second write, or the end, would last as long as the test may.

    It answers when all is seen: a thread of the SDK that outlived the test would try again beside the next ones.
    """
    collector = Collector()
    collector.answers.clear()
    metrics = OpenTelemetryMetrics(_config(collector.server_port), "orders-prod", last_s=0.1)
    metrics.write(an_epoch())
    sending = threading.Thread(target=metrics._provider.force_flush, daemon=True)
    sending.start()
    collector.received.get(timeout=60)
    for _ in range(100):
        metrics.write(an_epoch())
    assert sending.is_alive()
    metrics.close()
    (ending,) = [each for each in threading.enumerate() if each.name == "metrics-end"]
    assert sending.is_alive()
    collector.answers.set()
    for each in (sending, ending):
        each.join(60)
        assert not each.is_alive()
    collector.shutdown()
    collector.server_close()


def test_what_can_not_be_published_is_said_once_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        metrics = EngineMetrics(MetricsConfig(prometheus=PrometheusConfig(port=port)), "orders-prod")
        with caplog.at_level(logging.WARNING):
            metrics.write([])
            metrics.write([])
        (record,) = [each for each in caplog.records if each.message == "metrics.unavailable"]
        assert vars(record)["problem"] == "FL-5601"
    metrics.write([])
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        assert b"firnline_heartbeat_total" in answer.read()
    metrics.close()


def _config(port: int) -> OpenTelemetryConfig:
    return OpenTelemetryConfig(endpoint=f"http://127.0.0.1:{port}/v1/metrics", interval_seconds=3600)


@pytest.mark.parametrize(
    ("config", "where"),
    [
        (MetricsConfig(prometheus=PrometheusConfig(port=9400, address="127.0.0.9")), (9400, "127.0.0.9")),
        (MetricsConfig(opentelemetry=OpenTelemetryConfig(endpoint="http://c/v1", interval_seconds=3600)), 3_600_000),
    ],
    ids=["prometheus", "opentelemetry"],
)
def test_each_backend_is_begun_as_it_is_configured(
    config: MetricsConfig, where: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []

    def serve(port: int, address: str, _: object) -> None:
        begun.append((port, address))
        raise LookupError

    def reader(_: object, *, export_interval_millis: float, **__: float) -> None:
        begun.append(export_interval_millis)
        raise LookupError

    monkeypatch.setattr("firnline_ingest.metrics.prometheus.start_http_server", serve)
    monkeypatch.setattr("firnline_ingest.metrics.opentelemetry.PeriodicExportingMetricReader", reader)
    EngineMetrics(config, "app").write([])
    assert begun[:1] == [where]


def test_a_collectors_password_stays_out_of_the_configuration() -> None:
    """A configuration's content is in a bucket, a parameter and the log. Headers come from the driver's variables."""
    with pytest.raises(ValidationError, match="no password in it"):
        OpenTelemetryConfig(endpoint="https://firnline:secret@collector.example.com/v1/metrics")
    taken = OpenTelemetryConfig(endpoint="https://collector.example.com:4318/teams/a@b/v1/metrics")
    assert taken.endpoint.endswith("/teams/a@b/v1/metrics")
