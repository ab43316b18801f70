"""Acts of the theme of fan-out: what may happen to a consumer, to its subscriptions, and to the events in them.

The engine registers the consumer itself, and two engines of a story have it in common.
"""

from tests.chaos.records import Fate
from tests.chaos.simulated.acts import LONG_S, act, run_for
from tests.chaos.simulated.world import World

THEME = "fan-out"
SHORT_S = 20.0


@act(THEME, weight=2)
def subscriptions_are_cut(world: World) -> None:
    world.kinesis.trouble.cut = world.rng.choice((0.1, 0.5))
    run_for(world, SHORT_S)
    world.kinesis.trouble.cut = 0.0


@act(THEME, weight=2)
def errors_come_in_the_event_stream(world: World) -> None:
    world.kinesis.trouble.event_errors = world.rng.choice((0.1, 0.5))
    run_for(world, SHORT_S)
    world.kinesis.trouble.event_errors = 0.0


@act(THEME, weight=2)
def events_are_none(world: World) -> None:
    world.kinesis.trouble.malformed_events = world.rng.choice((0.1, 0.5))
    run_for(world, SHORT_S)
    world.kinesis.trouble.malformed_events = 0.0


@act(THEME)
def nobody_can_subscribe(world: World) -> None:
    _nobody_can_subscribe(world, world.rng.choice((5.0, SHORT_S)))


@act(THEME)
def nobody_can_subscribe_for_long(world: World) -> None:
    _nobody_can_subscribe(world, LONG_S)


def _nobody_can_subscribe(world: World, seconds: float) -> None:
    world.kinesis.trouble.down.add("SubscribeToShard")
    run_for(world, seconds)
    world.kinesis.trouble.down.discard("SubscribeToShard")


@act(THEME)
def the_consumer_is_deregistered(world: World) -> None:
    """By somebody, while it is read by."""
    consumers = [each for stream in world.streams for each in stream.found.consumers.values()]
    for consumer in [each for each in consumers if each.gone_ms is None]:
        world.kinesis.fake.call("DeregisterStreamConsumer", {"ConsumerARN": consumer.arn})


@act(THEME)
def consumers_take_their_time(world: World) -> None:
    """Until one is active, and until one is gone."""
    world.kinesis.fake.account.consumer_change_s = world.rng.choice((0.0, 3.0, 45.0))


@act(THEME, weight=2)
def a_reader_stalls(world: World) -> None:
    """Nothing is committed, while more comes than is read ahead."""
    world.snowflake.trouble.holds_commits = True
    shard = world.rng.choice(world.open_shards)
    for _ in range(world.rng.choice((20, 60))):
        world.put(Fate.ROW, shard)
        run_for(world, 0.2)
    run_for(world, SHORT_S)
    world.snowflake.trouble.holds_commits = False


@act(THEME)
def subscriptions_last_to_their_end(world: World) -> None:
    """Lets subscriptions last their five minutes: some records, and then nothing, and then some."""
    for _ in range(4):
        world.put(Fate.ROW)
        run_for(world, 80.0)
