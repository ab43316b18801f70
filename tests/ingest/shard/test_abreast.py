"""A shard that is ahead of the others holds what it has read, and takes it in when the others have come as far."""

from tests.ingest.shard.conftest import World
from tests.ingest.waiting import until

from .running import epochs, has_rows


def test_a_record_that_arrived_later_than_the_bound_waits_and_says_so_in_the_ledger(world: World) -> None:
    clock = world.use_clock()
    first_ms = int(clock().timestamp() * 1000)
    world.put(0)
    for number in (1, 2):
        clock.advance(seconds=600)
        world.put(number)
    with world.group() as group:
        bounded = [world.work(until_ms=first_ms + 60_000)]
        receipts = epochs(group, bounded, lambda: has_rows(world, 1)() and world.row.waits_ms)
        assert [receipt.problem for receipt in receipts if receipt.problem] == []
        assert world.row.waits_ms == first_ms + 600_000 - 1
        world_until = first_ms + 600_000 + 60_000
        epochs(group, [world.work(epoch=2, until_ms=world_until)], has_rows(world, 2))
        until(lambda: world.row.waits_ms == first_ms + 1_200_000 - 1)
        assert world.numbers == [0, 1]
        epochs(group, [world.work(epoch=3)], has_rows(world, 3))
    assert world.numbers == [0, 1, 2]
    assert world.row.read_through == world.shard.last_position
