"""What ended shards leave behind goes, channel before row, and only by the process that has the stream's first open shard."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.shard import retirement
from firnline_ingest.shard.retirement import EVERY_S, Retirement
from firnline_ingest.shard.work import ShardWork
from firnline_ingest.values import Fence, ShardKey
from firnline_local.kinesis import ShardHandle
from tests.ingest.shard.conftest import World

from .running import bounded


@pytest.fixture
def children(world: World, monkeypatch: pytest.MonkeyPatch) -> list[ShardHandle]:
    """Both shards of a stream that was split once, all of it read, and the parent's records gone since long."""
    parent = world.shard
    world.stream.put({"n": 1})
    children = list(parent.split())
    for shard in (parent, *children):
        bounded(world.services(now_ms=lambda: 1), world.work(shard=shard, is_closed=shard is parent))
    listed = retirement.read_lineage

    def as_it_is_later(client: Any, stream: str) -> Any:
        lineage = listed(client, stream)
        left = {name: shard for name, shard in lineage.shards.items() if name != parent.id}
        return replace(lineage, shards=left)

    monkeypatch.setattr(retirement, "read_lineage", as_it_is_later)
    for shard in children:
        row = world.ledger.read(world.key(shard))
        assert row is not None
        world.ledger.write(replace(row, tip_ms=1))
    return children


def work_of(world: World, shard: ShardHandle) -> ShardWork:
    return world.work(shard=shard)


def test_an_ended_shards_channel_and_row_are_removed(world: World, children: list[ShardHandle]) -> None:
    parent = world.key()
    Retirement(world.services()).run([work_of(world, child) for child in children])
    assert world.ledger.read(parent) is None
    assert sorted(world.channels.served) == sorted(f"app~{child.id}" for child in children)


def test_only_who_has_the_first_open_shard_removes_anything(world: World, children: list[ShardHandle]) -> None:
    Retirement(world.services()).run([work_of(world, children[1])])
    assert world.ledger.read(world.key()) is not None
    Retirement(world.services()).run([work_of(world, children[0])])
    assert world.ledger.read(world.key()) is None


def test_a_process_that_dies_in_between_leaves_a_row_that_is_found_again(
    world: World, children: list[ShardHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: object) -> None:
        raise LedgerUnavailable("ledger", "the process ends here")

    works = [work_of(world, child) for child in children]
    with monkeypatch.context() as patch:
        patch.setattr(world.ledger, "remove", die)
        Retirement(world.services()).run(works)
    assert f"app~{world.key().shard_id}" not in world.channels.served
    Retirement(world.services()).run(works)
    assert world.ledger.read(world.key()) is None


def test_a_row_with_incidents_loses_its_channel_only(world: World, children: list[ShardHandle]) -> None:
    row = world.row.with_incident(Incident(IncidentKind.RETENTION_LOSS, 1, "lost"))
    world.ledger.write(row)
    Retirement(world.services()).run([work_of(world, child) for child in children])
    assert world.row == replace(row, channels={})
    assert f"app~{world.key().shard_id}" not in world.channels.served


def test_channels_of_a_table_that_was_replaced_are_gone_with_it(world: World, children: list[ShardHandle]) -> None:
    target = replace(world.work().target, table_created_on="2026-05-05T00:00:00.000+00:00")
    Retirement(world.services()).run([replace(work_of(world, child), target=target) for child in children])
    assert world.ledger.read(world.key()) is None
    assert len(world.channels.served) == 3


def test_it_is_done_at_the_start_and_then_once_an_hour_for_each_stream(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []
    done = threading.Semaphore(0)

    def run(_: object, works: list[ShardWork]) -> None:
        ran.append([work.key.stream for work in works])
        done.release()

    monkeypatch.setattr(Retirement, "run", run)
    now_s = [0.0]
    retirement = Retirement(world.services(), clock=lambda: now_s[0])
    events, orders = world.work(), replace(world.work(), key=ShardKey("orders", 1, "s"))
    for at_s, works in ((0.0, [events]), (1.0, [events, orders]), (EVERY_S, [events, orders]), (EVERY_S + 1, [orders])):
        now_s[0] = at_s
        retirement.tick(works)
        assert done.acquire(timeout=10)
    assert ran == [["events"], ["orders"], ["events"], ["orders"]]


def test_a_row_that_somebody_took_meanwhile_stays(world: World, children: list[ShardHandle]) -> None:
    rows = world.ledger.rows
    taken: list[Fence] = []

    def read_then_lose(incarnation: str) -> Any:
        found = rows(incarnation)
        if not taken:
            row = found[world.key().shard_id]
            taken.append(world.ledger.take(row.key, row.fence, "somebody", row.start).fence)
        return found

    world.ledger.rows = read_then_lose  # type: ignore[method-assign] # the moment between two calls
    Retirement(world.services()).run([work_of(world, child) for child in children])
    assert world.row.fence == taken[0]
