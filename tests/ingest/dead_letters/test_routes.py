"""Dead letters of a pipeline with routes: each comes into the table that its routes say, once, whatever happens to a replay."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from firnline_ingest.dead_letters import shard_replay as module
from firnline_ingest.dead_letters.conversion import DeadLetterConverter
from firnline_ingest.dead_letters.errors import ReplayUnprovable
from firnline_ingest.dead_letters.journal import Outcome
from firnline_ingest.dead_letters.shard_replay import NO_FILES, OTHER_TABLE
from tests.fakes.configs import pipeline
from tests.fakes.kills import Killed

from .conftest import CHANNEL, TARGET, World, at_place, effects, killed_at, killed_when, letter

ROUTES = {"key": "kind", "tables": {"order": "Orders_2", "refund": "REPLAY"}, "unmatched": "own_table"}
REFUND = "REPLAY"
"""A table may be called what channels of replays end with."""
BESIDE = [replace(TARGET, table=name, pipe=f"{name}-STREAMING") for name in ("ORDERS_2", REFUND)]
CHANNELS = {"": CHANNEL, "order": f"{CHANNEL}~ORDERS_2", "refund": f"{CHANNEL}~{REFUND}"}
KINDS = ["order", "refund", "none", "order", "refund", "refund", "none"]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH_LETTERS", 2)


def routed(**more: Any) -> World:
    letters = [letter(number, b'{"kind":"%b"}' % kind.encode()) for number, kind in enumerate(KINDS, 100)]
    return World(letters=letters, routes=ROUTES, beside=BESIDE, fixed=lambda data: data, **more)


def table(world: World, kind: str) -> list[int]:
    """The records whose rows went through the channel of that kind's table."""
    served = world.channels.served.get(CHANNELS[kind])
    return sorted(int(row.split(b'"sequenceNumber":"')[1].split(b'"')[0]) for row in (served.rows if served else ()))


def is_complete(world: World) -> bool:
    wanted = {"": "none", "order": "order", "refund": "refund"}
    return all(
        table(world, name) == [number for number, each in enumerate(KINDS, 100) if each == kind]
        for name, kind in wanted.items()
    )


def test_each_letter_comes_into_its_routes_table() -> None:
    world = routed()
    report = world.run()
    assert (report.letters, report.rows, dict(report.remaining)) == (7, 7, {})
    assert is_complete(world)
    report = world.run()
    assert (report.letters, report.rows, report.already) == (0, 0, 7)
    assert is_complete(world)


SERVICES: list[dict[str, bool]] = [{"at_once": True}, {"at_once": False}, {"at_once": False, "discards": True}]


@pytest.mark.parametrize("service", SERVICES, ids=str)
def test_killed_anywhere_the_next_replay_finishes_each_table(service: dict[str, bool]) -> None:
    for place in range(effects(routed())):
        world = routed()
        world.channels.commits_at_once = service["at_once"]
        world.channels.discards_on_open = service.get("discards", False)
        with pytest.raises(Killed):
            world.run(killed_at(place))
        report = world.run()
        assert is_complete(world), place
        assert report.letters + report.already == 7, place
        assert world.run().rows == 0, place


def test_frozen_anywhere_while_another_replays_both_add_each_row_once() -> None:
    for place in range(effects(routed())):
        world = routed()
        world.run(at_place(place, world.run))
        assert is_complete(world), place


def test_letters_that_alternate_share_batches_with_their_tables_others() -> None:
    world = routed()
    world.run()
    assert sum(name.endswith("gz") for name in world.objects.kept) == 4  # 2 orders; 2 and 1 refunds; 2 others


def test_what_has_no_route_stays_a_letter() -> None:
    world = routed()
    world.routes = {**ROUTES, "unmatched": "dead_letter"}
    report = world.run()
    assert (report.letters, dict(report.remaining)) == (5, {"no-route": 2})
    assert table(world, "") == []


def test_a_batch_whose_route_is_gone_waits_for_a_person() -> None:
    world = routed()
    with pytest.raises(Killed):
        world.run(killed_when("after append"))
    world.routes, world.beside = None, ()
    with pytest.raises(ReplayUnprovable, match="not a table of the pipeline's"):
        world.run()
    assert world.replay().decide(Outcome.ACCEPTED) == 1
    world.run()
    assert len(world.numbers) == len(set(world.numbers)) == 7


def test_a_record_that_is_partly_in_one_table_is_not_continued_in_another() -> None:
    lines = b'{"kind":"%(k)b","a":0}\n{"kind":"%(k)b","a":1}'
    world = routed(keeps_rejected=False, format={"type": "json_lines"})
    world.letters = [letter(100, lines % {b"k": b"order"})]
    world.channels.rejects = lambda row: b'"a":1' in row
    assert dict(world.run().remaining) == {"the table refused it": 1}
    world.channels.rejects = lambda _: False
    world.fixed = lambda _: lines % {b"k": b"refund"}
    assert dict(world.run().remaining) == {OTHER_TABLE: 1}
    assert table(world, "refund") == []
    world.fixed = lambda data: data
    assert world.run().letters == 1
    assert table(world, "order") == [100, 100]


def test_what_the_engine_put_in_part_into_one_table_is_not_continued_in_another() -> None:
    asked = pipeline(stream="orders", format={"type": "json_lines"}, routes=ROUTES)
    lines = b'{"kind":"order"}\n{"kind":"order"}'
    whole = msgspec.structs.replace(letter(1, lines, row=1, reason="refused"), rows=2)
    partly = msgspec.structs.replace(whole, table="ORDERS_2")
    made = DeadLetterConverter(asked, "shardId-0").make(partly)
    assert (len(made.rows), made.table) == (1, "ORDERS_2")
    moved = DeadLetterConverter(asked, "shardId-0").make(partly, lines.replace(b"order", b"refund"))
    assert moved.why_not.startswith("its other rows are in another table: 'ORDERS_2'; a route sends it to 'REPLAY' now")
    unrouted = DeadLetterConverter(asked.model_copy(update={"routes": None}), "shardId-0").make(partly)
    assert unrouted.why_not.startswith("its other rows are in another table")
    assert DeadLetterConverter(asked, "shardId-0").make(whole).why_not.startswith("its other rows are in another")


def test_what_a_route_sends_to_a_table_without_a_pipe_for_files_stays_a_letter() -> None:
    world = routed()
    replay = world.replay()
    replay.tables = {"": replay.tables[""]}  # as a replay by file has it where the other tables have none
    report = replay.run(lambda: iter(world.letters))
    assert (report.letters, dict(report.remaining)) == (2, {NO_FILES: 5})


def test_a_void_batch_that_a_killed_replay_left_is_counted_once() -> None:
    world = World(letters=[letter(100)], keeps_rejected=False)
    world.channels.rejects = lambda _: True
    with pytest.raises(Killed):
        world.run(killed_when("after append"))
    report = world.run()
    assert (report.letters, report.already, dict(report.remaining)) == (0, 0, {"the table refused it": 1})
