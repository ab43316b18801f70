"""Conditions follow from how the engine names its items."""

from fnmatch import fnmatchcase

from firnline_ingest.ledger.dynamodb import RUN_KEY
from firnline_ingest.permissions.narrowing import ENCRYPTION_CONTEXTS, KEY_USERS, ledger_partitions
from firnline_ingest.values import ShardKey


def matches(partition: str) -> bool:
    return any(fnmatchcase(partition, pattern) for pattern in ledger_partitions(["orders", "a.b-c_d"]))


def test_the_items_of_every_incarnation_of_a_stream_and_of_the_run_are_covered() -> None:
    assert matches(ShardKey("orders", 1_700_000_000_000, "shardId-000000000000").incarnation)
    assert matches(ShardKey("a.b-c_d", 1, "shardId-000000000000").incarnation)
    assert matches(RUN_KEY["stream"])


def test_the_items_of_another_stream_are_not() -> None:
    assert not matches(ShardKey("orders2", 1_700_000_000_000, "shardId-000000000000").incarnation)
    assert not matches(ShardKey("order", 1_700_000_000_000, "shardId-000000000000").incarnation)


def test_every_key_has_a_service_that_uses_it() -> None:
    assert ENCRYPTION_CONTEXTS.keys() < KEY_USERS.keys()
