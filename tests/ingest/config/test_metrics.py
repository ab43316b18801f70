"""Tests of where figures go: no address that nobody can listen at, and no key in a document."""

import pytest

from firnline_ingest.config.document import parse
from firnline_ingest.config.metrics import OpenTelemetryConfig, PrometheusConfig
from firnline_ingest.errors import ConfigError

KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://collector.example.com/v1/metrics",
        "http://127.0.0.1:4318/v1/metrics",
        "https://otlp.example.com/api/v2/otlp/v1/metrics",
        "https://collector.example.com",
    ],
)
def test_a_collector_is_named_by_its_url(endpoint: str) -> None:
    assert parse(OpenTelemetryConfig, {"endpoint": endpoint}, "x").endpoint == endpoint


@pytest.mark.parametrize(
    "endpoint",
    [
        f"https://collector.example.com/v1/metrics?api-key={KEY}",
        "https://collector.example.com?k=v",
        f"https://collector.example.com/{KEY}/v1/metrics",
        f"https://collector.example.com/v1/metrics#{KEY}",
        f"https://user:{KEY}@collector.example.com/v1/metrics",
    ],
)
def test_nothing_in_it_can_be_a_key_and_the_refusal_does_not_say_it(endpoint: str) -> None:
    with pytest.raises(ConfigError, match="no password in it") as refused:
        parse(OpenTelemetryConfig, {"endpoint": endpoint}, "x")
    assert KEY not in str(refused.value)
    assert "k=v" not in str(refused.value)


@pytest.mark.parametrize("given", [{"address": "localhost:1"}, {"address": "256.0.0.1"}, {"address": ""}, {"port": 80}])
def test_where_nobody_can_listen_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(given))):
        parse(PrometheusConfig, given, "x")


@pytest.mark.parametrize("address", ["127.0.0.1", "0.0.0.0", "::1"])
def test_a_machine_listens_at_its_addresses(address: str) -> None:
    assert parse(PrometheusConfig, {"address": address}, "x").address == address
