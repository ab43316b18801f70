"""Tests of who removes the consumer that an engine registered, and whose it leaves."""

import pytest

from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.errors import RunDisplaced
from firnline_ingest.ledger.registration import deregister_all, deregister_own
from firnline_local.kinesis import FaultKind

from .conftest import STREAM, World, config, give_up, waiting


def test_how_long_a_registration_is_removed_for_is_a_setting(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.ensure()
    world.fail("DeregisterStreamConsumer", code="LimitExceededException")
    waited: list[float] = []
    retries = {"deregister_stream_consumer": {"timeout_seconds": 3, "base_ms": 1000, "max_ms": 1000}}
    deregister_own(config("lazy", retries=retries), world.registrar(), waiting(world, waited))
    assert waited == [1.0] * 3
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == ["consumer.left"]


def test_a_bounded_runs_end_removes_its_own_consumers_and_no_others(world: World) -> None:
    world.ensure()
    other = world.by_hand("other")
    world.ledger.set_consumer(ConsumerRecord(STREAM, "former", "id", 0, "arn:former"), None)
    deregister_own(config("lazy"), world.registrar(), give_up)
    assert world.consumers == [other]
    assert [each.name for each in world.ledger.consumers()] == ["former"]


def test_an_end_that_may_not_remove_its_consumer_says_so_and_keeps_the_record(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.ensure()
    world.fail("DeregisterStreamConsumer", code="AccessDeniedException", message="no")
    deregister_own(config("lazy"), world.registrar(), give_up)
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == ["consumer.left"]
    assert len(world.ledger.consumers()) == 1


def test_an_end_that_meets_what_passes_tries_again(world: World) -> None:
    world.ensure()
    world.fail("DeregisterStreamConsumer", code="LimitExceededException", times=2)
    deregister_own(config("lazy"), world.registrar(), world.wait)
    assert (world.consumers, world.ledger.consumers()) == ([], [])


def test_removing_what_is_gone_already_forgets_it(world: World) -> None:
    world.ensure()
    world.remove_by_hand()
    world.deregister()
    assert world.ledger.consumers() == []


def test_a_deregistration_whose_answer_got_lost_is_done_again(world: World) -> None:
    world.ensure()
    world.fail("DeregisterStreamConsumer", FaultKind.LOST, times=1)
    assert len(world.deregister()) == 1
    assert (world.consumers, world.ledger.consumers()) == ([], [])


def test_before_each_consumer_is_removed_it_is_made_sure_that_no_engine_has_begun() -> None:
    world = World()
    world.ensure()
    asked: list[int] = []

    def make_sure() -> None:
        asked.append(len(world.consumers))
        raise RunDisplaced("app", "process 9")

    with pytest.raises(RunDisplaced):
        deregister_all(config("lazy"), world.registrar(), world.wait, make_sure=make_sure)
    assert (asked, len(world.consumers)) == ([1], 1)
    assert len(world.ledger.consumers()) == 1
