"""Pauses between attempts: nothing changes where nothing is set."""

import pytest

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.retries import FIELDS, PlanRetry, RegistrationRetry, RetriesConfig
from tests.ingest.config.test_model import document, problems


def test_where_nothing_is_set_pauses_are_those_of_always() -> None:
    retries = RetriesConfig()
    for operation in ("GetRecords", "GetShardIterator", "SubscribeToShard", "DescribeStreamConsumer"):
        retry = retries.of(operation)
        assert [retry.longest_s(n, interval_s=0.21) for n in range(1, 7)] == [0.42, 0.84, 1.68, 3.36, 5.0, 5.0]
        assert not retry.is_over(10**6)
    for operation in ("DescribeStreamSummary", "ListShards"):
        retry = retries.of(operation)
        assert isinstance(retry, PlanRetry)
        assert [retry.longest_s(n) for n in range(1, 5)] == [0.25, 0.5, 1.0, 2.0]
        assert (retry.is_over(4), retry.is_over(5)) == (False, True)


def test_a_shard_that_has_failed_for_hours_waits_no_longer_than_the_maximum() -> None:
    """A float can't hold the power of so many failures."""
    assert RetriesConfig().get_records.longest_s(100_000, interval_s=0.21) == 5.0


def test_what_is_not_given_stays_as_it_is() -> None:
    given = document(retries={"register_stream_consumer": {"timeout_seconds": 300}, "list_shards": {"attempts": 10}})
    retries = parse(EngineConfig, given, "engine.json").retries
    assert retries.register_stream_consumer == RegistrationRetry(timeout_seconds=300)
    assert (retries.register_stream_consumer.attempts, retries.register_stream_consumer.factor) == (10, 1.5)
    assert retries.list_shards == PlanRetry(attempts=10)


def test_every_operation_has_its_field() -> None:
    assert set(FIELDS.values()) == set(RetriesConfig.model_fields)


@pytest.mark.parametrize(
    ("retry", "problem"),
    [
        ({"base_ms": 9000}, "base_ms (9000) is more than max_ms (5000)"),
        ({"factor": 0.5}, "retries.get_records.factor"),
        ({"attempts": 0}, "retries.get_records.attempts"),
    ],
)
def test_what_can_not_be_meant_is_refused(retry: dict[str, float], problem: str) -> None:
    assert any(problem in found for found in problems(document(retries={"get_records": retry})))
