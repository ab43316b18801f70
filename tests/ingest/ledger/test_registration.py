"""The consumer that an engine registers for itself: whose it is, what limits it."""

import pytest

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.kinesis.consumer_errors import ConsumerForeign, ConsumersExhausted, ConsumerUnready
from firnline_ingest.kinesis.errors import StreamForbidden, StreamUnreachable
from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.registration import register_eagerly, tell_unused
from firnline_local.kinesis import Fault, FaultKind
from tests.fakes.ledger import MemoryLedger

from .conftest import NAME, World, config, waiting


def test_the_consumer_is_registered_once_and_found_again(world: World) -> None:
    arn = world.ensure()
    world.clock.advance(hours=5)
    assert [world.ensure(), world.ensure(world.registrar())] == [arn, arn]
    assert world.consumers == [arn]


def test_somebody_elses_consumer_is_neither_read_by_nor_removed(world: World) -> None:
    arn = world.by_hand()
    with pytest.raises(ConsumerForeign, match="did not register") as refused:
        world.ensure()
    assert not refused.value.is_retryable
    assert world.deregister() == []
    assert world.consumers == [arn]


def test_one_that_was_registered_again_by_somebody_is_not_ours_any_more(world: World) -> None:
    world.ensure()
    world.remove_by_hand()
    world.clock.advance(seconds=1)
    world.by_hand()
    with pytest.raises(ConsumerForeign):
        world.ensure()


def test_one_that_somebody_removed_is_registered_again(world: World) -> None:
    first = world.ensure()
    world.remove_by_hand()
    world.clock.advance(seconds=1)
    assert world.ensure() != first
    assert len(world.consumers) == 1


def test_an_answer_that_got_lost_leaves_a_consumer_that_is_ours(world: World) -> None:
    world.fail("RegisterStreamConsumer", FaultKind.LOST, times=1)
    with pytest.raises(StreamUnreachable):
        world.ensure()
    world.clock.advance(hours=3)
    assert [world.ensure()] == world.consumers
    assert world.deregister() != []


class Dying(MemoryLedger):
    """Ends the process at its n-th write."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.left = at

    def set_consumer(self, record: ConsumerRecord, before: ConsumerRecord | None) -> bool:
        self.left -= 1
        if self.left == 0:
            raise LedgerUnavailable("ledger", "killed")
        return super().set_consumer(record, before)


@pytest.mark.parametrize("at", [1, 2])
def test_a_kill_between_registering_and_its_record_leaves_nothing_foreign(world: World, at: int) -> None:
    dying = Dying(at)
    with pytest.raises(LedgerUnavailable):
        world.ensure(world.registrar(dying))
    assert len(world.consumers) == at - 1
    world.clock.advance(hours=1)
    assert [world.ensure(world.registrar(dying))] == world.consumers
    assert world.deregister(dying) != []
    assert (world.consumers, dying.consumers()) == ([], [])


def test_what_an_asking_made_whose_answer_got_lost_is_ours_also_after_the_next_one_is_lost(world: World) -> None:
    """And the list is behind meanwhile."""
    behind = Fault(endpoint="kinesis:ListStreamConsumers", kind=FaultKind.BODY, body='{"Consumers": []}', times=2)
    lost = Fault(endpoint="kinesis:RegisterStreamConsumer", kind=FaultKind.LOST, times=1)
    cut = Fault(endpoint="kinesis:RegisterStreamConsumer", kind=FaultKind.CUT, times=1)
    world.kinesis.faults.replace([behind, lost, cut])
    for _ in range(2):
        with pytest.raises(StreamUnreachable):
            world.ensure()
        world.clock.advance(seconds=30)
    assert [world.ensure()] == world.consumers


def test_an_old_asking_does_not_make_a_strangers_consumer_ours(world: World) -> None:
    world.fail("RegisterStreamConsumer", FaultKind.CUT, times=1)
    with pytest.raises(StreamUnreachable):
        world.ensure()
    world.clock.advance(hours=1)
    world.by_hand()
    with pytest.raises(ConsumerForeign):
        world.ensure()


def test_whoever_is_overtaken_while_it_registers_does_not_take_the_others(world: World) -> None:
    class Slow(MemoryLedger):
        def set_consumer(self, record: ConsumerRecord, before: ConsumerRecord | None) -> bool:
            is_set = super().set_consumer(record, before)
            if not record.arn:
                world.by_hand()
            return is_set

    ledger = Slow()
    with pytest.raises(ConsumerUnready):
        world.ensure(world.registrar(ledger))
    with pytest.raises(ConsumerForeign):
        world.ensure(world.registrar(ledger))


def test_a_list_that_is_behind_makes_nothing_a_strangers(world: World) -> None:
    arn = world.ensure()
    world.fail("ListStreamConsumers", FaultKind.BODY, body='{"Consumers": []}', times=1)
    with pytest.raises(ConsumerUnready, match="does not have yet"):
        world.ensure()
    assert [world.ensure()] == [arn] == world.consumers


def test_two_engines_of_one_application_register_one_consumer(world: World) -> None:
    """The second one comes between the first one's look and its asking."""

    class Overtaken(MemoryLedger):
        is_first = True

        def set_consumer(self, record: ConsumerRecord, before: ConsumerRecord | None) -> bool:
            if self.is_first:
                self.is_first = False
                world.ensure(world.registrar(self))
            return super().set_consumer(record, before)

    ledger = Overtaken()
    with pytest.raises(ConsumerUnready):
        world.ensure(world.registrar(ledger))
    assert [world.ensure(world.registrar(ledger))] == world.consumers


def test_a_stream_that_is_full_says_so_with_what_to_do(world: World) -> None:
    for number in range(20):
        world.clock.advance(seconds=1)
        world.by_hand(f"other{number}")
    with pytest.raises(ConsumersExhausted, match="20 consumers") as refused:
        world.ensure()
    assert "deregister one" in refused.value.next_step


def test_a_right_that_is_missing_is_named(world: World) -> None:
    world.fail("RegisterStreamConsumer", code="AccessDeniedException", message="no")
    with pytest.raises(StreamForbidden, match="kinesis:RegisterStreamConsumer"):
        world.ensure()


def test_it_is_read_by_once_it_is_active_and_registered_again_once_it_is_gone(world: World) -> None:
    world.kinesis.account.consumer_change_s = 10
    with pytest.raises(ConsumerUnready, match="CREATING"):
        world.ensure()
    world.clock.advance(seconds=10)
    arn = world.ensure()
    world.remove_by_hand()
    with pytest.raises(ConsumerUnready, match="DELETING"):
        world.ensure()
    world.clock.advance(seconds=10)
    with pytest.raises(ConsumerUnready, match="CREATING"):
        world.ensure()
    world.clock.advance(seconds=10)
    assert world.ensure() != arn


def test_an_eager_one_is_active_before_anything_is_read(world: World) -> None:
    world.kinesis.account.consumer_change_s = 20
    waited: list[float] = []
    register_eagerly(config("eager"), world.registrar(), waiting(world, waited))
    assert waited[:3] == [0.5, 0.75, 1.125]
    assert [world.ensure()] == world.consumers


def test_one_that_never_gets_active_keeps_the_engine_from_starting_after_a_minute(world: World) -> None:
    world.kinesis.account.consumer_change_s = 3600
    waited: list[float] = []
    with pytest.raises(ConsumerUnready):
        register_eagerly(config("eager"), world.registrar(), waiting(world, waited))
    assert 60 <= sum(waited) < 65


def test_how_long_one_is_waited_for_is_a_setting(world: World) -> None:
    world.kinesis.account.consumer_change_s = 3600
    waited: list[float] = []
    retries = {"register_stream_consumer": {"timeout_seconds": 7, "base_ms": 600, "max_ms": 2400, "factor": 2.0}}
    with pytest.raises(ConsumerUnready):
        register_eagerly(config("eager", retries=retries), world.registrar(), waiting(world, waited))
    assert waited == [0.6, 1.2, 2.4, 2.4, 2.4]


def test_a_lazy_one_is_left_to_the_plan(world: World) -> None:
    register_eagerly(config("lazy"), world.registrar(), waiting(world, []))
    assert world.consumers == []


def test_a_stop_ends_the_wait(world: World) -> None:
    world.kinesis.account.consumer_change_s = 3600
    register_eagerly(config("eager"), world.registrar(), lambda seconds: True)
    assert len(world.consumers) == 1


def test_the_name_is_the_applications_unless_it_is_given(world: World) -> None:
    register_eagerly(config("eager", consumer="mine"), world.registrar(), waiting(world, []))
    register_eagerly(config("eager"), world.registrar(), waiting(world, []))
    assert sorted(each.name for each in world.ledger.consumers()) == [NAME, "mine"]


@pytest.mark.parametrize(
    "fan_out",
    [
        {},
        {"registration": "lazy", "consumer_arn": "arn:x"},
        {"consumer": "c"},
        {"consumer_arn": "arn:x", "consumer": "c"},
    ],
)
def test_whoever_registers_it_names_it(fan_out: dict[str, str]) -> None:
    document = config("lazy").model_dump(mode="json", by_alias=True)
    document["pipelines"][0]["reader"] = {"fan_out": fan_out}
    with pytest.raises(ValueError, match="consumer"):
        EngineConfig.model_validate(document)


def test_a_consumer_by_which_no_pipeline_reads_any_more_is_told_at_the_start(caplog: pytest.LogCaptureFixture) -> None:
    world = World()
    arn = world.ensure()
    tell_unused(config("lazy"), world.ledger)
    assert not caplog.records
    polled = config("lazy")
    polled.pipelines[0] = polled.pipelines[0].model_copy(update={"reader": "polling"})
    tell_unused(polled, world.ledger)
    (told,) = caplog.records
    assert (told.message, told.consumer, told.next) == ("consumer.unused", arn, "firnline deregister")
