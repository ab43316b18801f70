"""Nothing that an engine registered, and that is paid for, stays behind without a word."""

from types import SimpleNamespace
from typing import Any

import pytest

from firnline_infra.rollout.left_consumers import outlasting, told_outlasting, told_unused, unused
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.errors import LedgerForbidden, LedgerTableMissing
from firnline_ingest.ledger.item import consumer_to_item
from firnline_ingest.ledger.item_table import serialized
from tests.fakes.ledger import MemoryLedger
from tests.infra.runtimes.services.conftest import StubbedAws
from tests.infra.specifications import one_pipeline, smallest


def spec(reader: object = "polling", origin: str = "create") -> EnvironmentSpec:
    return smallest(streams=[{"name": "orders", "origin": origin}], **one_pipeline(reader=reader))


LAZY = {"fan_out": {"registration": "lazy"}}
OURS = ConsumerRecord("orders", "firnline-dev", "1", 5, "arn:ours")


@pytest.fixture
def ledger() -> MemoryLedger:
    ledger = MemoryLedger()
    assert ledger.set_consumer(OURS, None)
    return ledger


def test_a_consumer_is_told_once_its_pipeline_polls_again_or_reads_by_another_one_or_is_gone(
    ledger: MemoryLedger,
) -> None:
    assert unused(spec(LAZY), ledger) == []
    assert unused(spec(), ledger) == [OURS]
    assert unused(spec({"fan_out": {"registration": "eager", "consumer": "other"}}), ledger) == [OURS]
    ledger.set_consumer(elsewhere := ConsumerRecord("clicks", "firnline-dev", "2", 5), None)
    assert unused(spec(LAZY), ledger) == [elsewhere]
    (line,) = told_unused(spec(), ledger)[1:]
    assert line.startswith(
        "Consumer arn:ours of stream orders was registered by the engine, and no pipeline reads by it"
    )


def test_what_a_destroy_leaves_is_of_streams_that_are_not_the_environments_own(ledger: MemoryLedger) -> None:
    assert outlasting(spec(LAZY), ledger) == [], "it goes with its stream"
    assert outlasting(spec(LAZY, origin="adopt"), ledger) == [OURS]


@pytest.mark.parametrize(
    "error", [LedgerForbidden("ledger", "Query", "no"), LedgerTableMissing("ledger")], ids=["forbidden", "gone"]
)
def test_a_ledger_that_can_not_be_asked_holds_up_nobody(error: Exception) -> None:
    class Closed:
        def consumers(self) -> list[ConsumerRecord]:
            raise error

    assert unused(spec(), Closed()) == outlasting(spec(origin="adopt"), Closed()) == []


def test_a_destroy_asks_the_environments_ledger(aws: StubbedAws) -> None:
    client = aws.client("dynamodb")
    fields = {**consumer_to_item(OURS), "stream": "@application", "shard": "@consumer/orders/firnline-dev"}
    aws.answers("dynamodb", "query", {"Items": [serialized(fields)]})
    accounts: Any = SimpleNamespace(aws=lambda _: client)
    (line,) = told_outlasting(spec(LAZY, origin="adopt"), accounts)
    assert "Consumer arn:ours of stream orders" in line
