"""The driver's rounds by file end between two files: of a run that is over or was displaced, and of a stream that is paused."""

import itertools
from collections.abc import Sequence

import pytest

from tests.fakes.configs import config, reading

from .oversize_world import LARGE, TWO, World, kept, letter, not_over


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize("what", ["displaced", "over"])
def test_no_shard_is_begun_by_a_run_that_is_over_or_was_displaced(world: World, what: str) -> None:
    world.keep(letter(100), letter(200, shard=TWO))
    begun = len(world.pipe.loads)

    def has_begun() -> bool:
        return len(world.pipe.loads) > begun

    if what == "displaced":
        world.rounds(is_ours=lambda: not has_begun()).round(not_over)
    else:
        world.rounds().round(has_begun)
    assert world.numbers == ["100"]
    world.rounds().round(not_over)
    assert world.numbers == ["100", "200"]


def test_nothing_of_a_paused_stream_is_sent_until_it_is_resumed(world: World) -> None:
    """The stream's table may be changed meanwhile, in several statements."""
    world.keep(letter(100), letter(200, shard=TWO))
    world.ledger.pause("orders", True)
    rounds = world.rounds()
    for _ in range(2):
        rounds.round(not_over)
        rounds.look([kept()])
    assert (world.numbers, world.pipe.stage, world.objects.kept) == ([], {}, {})
    assert not rounds.problems
    world.ledger.pause("orders", False)
    rounds.round(not_over)
    assert world.numbers == ["100", "200"]


def test_whoever_pauses_a_stream_sees_the_file_on_its_way_or_none_is_sent() -> None:
    """The pause comes at any place of a round; who paused asks behind that for what is loaded."""
    count = itertools.count()
    quiet = set[bool]()

    def story(place: int | None) -> None:
        world, loading = World(), list[Sequence[str]]([[]])
        world.keep(letter(100), letter(101), letter(200, shard=TWO))
        found: list[tuple[Sequence[str], Sequence[str]]] = []

        def effect(_: str) -> None:
            if next(count) == place:
                world.ledger.pause("orders", True)
                found.append((loading[-1], world.numbers))

        def loads(streams: Sequence[str]) -> bool:
            effect("before loads")
            loading.append(streams)
            effect("after loads")
            return True

        world.effect = effect
        world.rounds(loads=loads).round(not_over)
        assert (loading[1:2], loading[-1], world.pipe.stage) == ([["orders"]] * bool(loading[1:]), [], {})
        for streams, numbers in found:
            quiet.add(not streams)
            assert streams == ["orders"] or world.numbers == numbers, place

    story(None)
    for place in range(next(count)):
        count = itertools.count()
        story(place)
    assert quiet == {True, False}


def test_nothing_is_loaded_while_the_ledger_does_not_take_that_it_is(world: World) -> None:
    world.keep(letter(100))
    rounds = world.rounds(loads=lambda _: False)
    rounds.round(not_over)
    assert world.numbers == []
    rounds.loads = lambda _: True
    rounds.round(not_over)
    assert world.numbers == ["100"]


@pytest.mark.parametrize("what", ["paused", "over", "displaced"])
def test_a_shard_of_many_files_is_left_between_two_of_them(world: World, what: str) -> None:
    """Rows of some megabytes: each is a file, and loads for a minute or so."""
    world.config = config(pipelines=[reading("orders", max_row_bytes=1024, oversize_rows="file")])
    world.keep(*(letter(number, LARGE.replace(b"x" * 2000, b"x" * 3_000_000)) for number in range(100, 105)))

    def has_loaded_two() -> bool:
        if len(world.pipe.table) >= 2 and what == "paused":
            world.ledger.pause("orders", True)
        return len(world.pipe.table) >= 2 and what != "paused"

    rounds = world.rounds(is_ours=lambda: what != "displaced" or not has_loaded_two())
    rounds.round(has_loaded_two if what != "displaced" else not_over)
    assert world.numbers == ["100", "101"]
    assert world.pipe.stage == {}
    assert not rounds.problems
    assert [each.replayed_rows for each in rounds.untold()] == [2]
    world.ledger.pause("orders", False)
    (rounds if what == "paused" else world.rounds()).round(not_over)
    assert world.numbers == ["100", "101", "102", "103", "104"]
