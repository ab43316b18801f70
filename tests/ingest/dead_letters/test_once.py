"""Whatever happens to a replay, and whoever else replays: every record is in the table once."""

import copy
import itertools
from contextlib import suppress
from dataclasses import replace

import pytest

from firnline_ingest.dead_letters import shard_replay as module
from firnline_ingest.dead_letters.journal import Journal, Outcome
from firnline_ingest.dead_letters.shard_replay import ReplayReport
from tests.fakes.kills import Killed

from .conftest import CHANNEL, SHARD, Effect, World, at_place, effects, killed_at, killed_when, letter

ALL = [100, 101, 102, 103, 104]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_LETTERS", 2)
    monkeypatch.setattr("firnline_ingest.snowflake.sending.APPEND_BYTES", 1)  # each row is an append of its own


def new_world(*, commits_at_once: bool = True, discards: bool = False) -> World:
    world = World(letters=[letter(number) for number in ALL])
    world.channels.commits_at_once = commits_at_once
    world.channels.discards_on_open = discards
    return world


SERVICES = [
    pytest.param({"commits_at_once": True}, id="commits at once"),
    pytest.param({"commits_at_once": False}, id="commits on opening"),
    pytest.param({"commits_at_once": False, "discards": True}, id="discards on opening"),
]


def test_letters_become_rows_with_their_own_places(world: World) -> None:
    report = world.run()
    assert (report.letters, report.rows, report.already, dict(report.remaining)) == (5, 5, 0, {})
    assert world.numbers == ALL
    assert b'"fixed":7' in world.rows[0]


def test_replaying_again_adds_nothing(world: World) -> None:
    world.run()
    report = world.run()
    assert (report.letters, report.rows, report.already) == (0, 0, 5)
    assert world.numbers == ALL


@pytest.mark.parametrize("service", SERVICES)
def test_killed_anywhere_the_next_replay_finishes_it(service: dict[str, bool]) -> None:
    for place in range(effects(new_world())):
        world = new_world(**service)
        with pytest.raises(Killed):
            world.run(killed_at(place))
        assert len(set(world.numbers)) == len(world.numbers), place
        report = world.run()
        assert world.numbers == ALL, place
        assert (report.letters + report.already, dict(report.remaining)) == (5, {}), place
        assert world.run().rows == 0, place


@pytest.mark.parametrize("service", SERVICES)
def test_killed_twice_the_third_replay_finishes_it(service: dict[str, bool]) -> None:
    for first, second in itertools.product(range(0, effects(new_world()), 3), range(0, effects(new_world()), 3)):
        world = new_world(**service)
        for place in (first, second):
            with suppress(Killed):
                world.run(killed_at(place))
        world.run()
        assert world.numbers == ALL, (first, second)


@pytest.mark.parametrize("service", SERVICES)
def test_frozen_with_what_was_begun_while_another_replays_all_it_goes_on_behind_the_other(
    service: dict[str, bool],
) -> None:
    for place in range(effects(new_world())):
        world = new_world(**service)
        with pytest.raises(Killed):
            world.run(killed_at(effects(new_world()) // 4))
        world.run(at_place(place, lambda world=world: (world.run(), world.letters.append(letter(200)))))
        world.run()
        assert world.numbers == [int(each.sequence_number) for each in world.letters], place


@pytest.mark.parametrize("service", SERVICES)
def test_frozen_anywhere_while_another_is_killed_anywhere(service: dict[str, bool]) -> None:
    most = effects(new_world())
    for place, other in itertools.product(range(0, most, 2), range(1, most, 3)):
        world = new_world(**service)

        def another(world: World = world, other: int = other) -> None:
            with suppress(Killed):
                world.run(killed_at(other))

        world.run(at_place(place, another))
        world.run()
        assert world.numbers == ALL, (place, other)


def test_another_one_that_repairs_otherwise_changes_no_row_of_a_batch_that_was_begun(world: World) -> None:
    with pytest.raises(Killed):
        world.run(killed_at(effects(new_world()) // 3))
    world.fixed = lambda _: b'{"another":1}'
    world.run()
    assert world.numbers == ALL
    assert {b'"fixed"' in row for row in world.rows[:2]} == {True}


def test_letters_that_stay_are_replayed_later_though_the_channel_is_beyond_them(world: World) -> None:
    world.letters[1] = letter(101, b"no")
    world.fixed = lambda data: None if data == b"no" else b"{}"
    assert dict(world.run().remaining) == {"left alone": 1}
    assert world.numbers == [100, 102, 103, 104]
    world.fixed = lambda _: b"{}"
    report = world.run()
    assert (report.letters, report.already) == (1, 4)
    assert world.numbers == ALL


def test_letters_that_come_later_are_replayed_later(world: World) -> None:
    late, world.letters = world.letters[:2], world.letters[2:]
    world.run()
    world.letters = late + world.letters
    assert world.run().letters == 2
    assert world.numbers == ALL


def test_two_letters_of_one_record_are_one_row(world: World) -> None:
    world.letters.insert(1, letter(100, row=0, reason="refused"))
    world.run()
    assert world.numbers == ALL
    assert world.run().rows == 0


def recreated(world: World) -> None:
    """The table is made again under its name, empty; its channels went with it."""
    world.target = replace(world.target, table_created_on="2026-02-01T00:00:00.000+00:00")
    world.channels.served.clear()


def once_more(world: World, effect: Effect = lambda _: None) -> ReplayReport:
    """Replays as `--again` does."""
    replay = world.replay(effect)
    replay.again = True
    return replay.run(lambda: iter(world.letters))


@pytest.mark.parametrize("keeps_rejected", [True, False], ids=["batches", "row by row"])
def test_what_went_into_a_table_that_was_recreated_goes_once_more_where_a_person_says_so(keeps_rejected: bool) -> None:
    world = new_world()
    world.keeps_rejected = keeps_rejected
    world.run()
    recreated(world)
    world.letters.append(letter(200))
    report = world.run()
    assert (report.letters, report.already, dict(report.remaining)) == (1, 0, {module.REPLACED: 5})
    assert world.numbers == [200]
    report = once_more(world)
    assert (report.letters, report.already, dict(report.remaining)) == (5, 1, {})
    assert world.numbers == [*ALL, 200]
    for replay in (once_more, World.run):
        report = replay(world)
        assert (report.rows, report.already, dict(report.remaining)) == (0, 6, {}), "once a table"


def test_what_went_into_another_table_that_still_is_one_is_not_sent_again() -> None:
    """A route leads elsewhere by now: the rows are where they were."""
    world = new_world()
    world.run()
    world.target = replace(world.target, table="ORDERS_2", table_created_on="2026-02-01T00:00:00.000+00:00")
    assert once_more(world).already == 5


def test_killed_anywhere_while_rows_go_once_more_the_next_replay_finishes_it() -> None:
    for place in itertools.count():
        world = new_world()
        world.run()
        recreated(world)
        try:
            once_more(world, killed_at(place))
        except Killed:
            once_more(world)
        else:
            break
        assert world.numbers == ALL, place
    assert place > 10


@pytest.mark.parametrize("kept", [0, 1, 2, 3, 4], ids=lambda rows: f"the replica has {rows} rows")
@pytest.mark.parametrize("keeps_rejected", [True, False], ids=["batches", "row by row"])
def test_what_a_replica_lacks_is_said_and_sent_once_more_where_a_person_says_so(
    keeps_rejected: bool, kept: int
) -> None:
    world = new_world()
    world.keeps_rejected = keeps_rejected
    world.run()
    served = world.channels.served[CHANNEL]
    (number, row) = (kept, 1) if not keeps_rejected else (-(-kept // 2), (kept - 1) % 2 + 1)
    batch = Journal(world.objects, "app", SHARD).batch(number) if number else None
    served.committed = batch.position(row) if batch else None
    del served.rows[kept:]
    world.letters.append(letter(200))
    lost = 5 - kept if not keeps_rejected else 5 - min(5, 2 * number)
    for number in range(2):
        report = world.run()
        assert report.letters == (0 if number else 1)
        assert dict(report.remaining) == ({module.LOST: lost} if lost else {}), "and the next batch hides nothing of it"
        assert world.numbers == [*ALL[: 5 - lost], 200]
    report = once_more(world)
    assert (report.letters, dict(report.remaining)) == (lost, {})
    assert sorted(world.numbers) == [*ALL, 200]
    for replay in (once_more, World.run):
        assert (replay(world).rows, world.numbers.count(200)) == (0, 1)


def test_killed_anywhere_while_what_a_replica_lacks_is_sent_the_next_replay_finishes_it() -> None:
    for place in itertools.count():
        world = new_world()
        world.letters = [letter(100)]
        world.run()
        older = copy.deepcopy(world.channels.served)
        world.letters = [letter(number) for number in ALL]
        world.run()
        world.channels.served = older
        try:
            once_more(world, killed_at(place))
        except Killed:
            once_more(world)
        else:
            break
        assert sorted(world.numbers) == ALL, place
    assert place > 10


def test_a_batch_that_was_begun_behind_one_that_a_replica_lacks_is_void() -> None:
    world = new_world()
    world.letters = [letter(100)]
    world.run()
    older = copy.deepcopy(world.channels.served)
    world.letters = [letter(number) for number in ALL[:3]]
    world.run()
    world.letters = [letter(number) for number in ALL]
    with pytest.raises(Killed):
        world.run(killed_when("after append"))
    world.channels.served = older
    report = world.run()
    assert dict(report.remaining) == {module.LOST: 2}
    assert world.numbers == [100, 103, 104]
    once_more(world)
    assert sorted(world.numbers) == ALL


@pytest.mark.parametrize("word", [None, Outcome.ACCEPTED, Outcome.VOID])
@pytest.mark.parametrize("is_lost", [True, False], ids=["a replica without the channel", "it expired"])
def test_where_the_channel_is_another_one_a_person_says_whether_its_batches_are_in_the_table(
    word: Outcome | None, is_lost: bool
) -> None:
    world = new_world()
    world.run()
    gone = world.channels.served.pop(CHANNEL)
    before = [] if is_lost else gone.rows
    world.letters.append(letter(200))
    assert (world.run().already, world.numbers) == (5, [200]), "believed, where nobody asks"
    replay = world.replay()
    replay.again = True
    if word is not None:
        assert replay.decide(word) == 0
    report = replay.run(lambda: iter(world.letters))
    assert dict(report.remaining) == ({module.UNKNOWN: 5} if word is None else {})
    assert report.letters == (5 if word is Outcome.VOID else 0)
    if word is not None and is_lost == (word is Outcome.VOID):
        assert len(before + world.rows) == len(set(before + world.rows)) == 6


def test_what_is_counted_is_counted_once_however_often_another_is_faster() -> None:
    """Letters that were replayed before, and those that stay."""
    for place in range(effects(new_world())):
        world = new_world()
        world.letters[4] = letter(104, b"no")
        world.fixed = lambda data: None if data == b"no" else b"{}"
        world.letters, rest = world.letters[:2], world.letters[2:]
        world.run()
        world.letters += rest
        report = world.run(at_place(place, world.run))
        assert (report.letters + report.already, dict(report.remaining)) == (4, {"left alone": 1}), place
