"""Tests of what ended shards leave behind goes, channel before row, and only by the process that has the stream's first
open shard.
"""

import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.shard import retirement
from firnline_ingest.shard.retirement import AT_ONCE, EVERY_S, Retirement
from firnline_ingest.shard.work import ShardWork
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.values import Fence, ShardKey, TargetTable
from firnline_local.kinesis import ShardHandle
from tests.fakes.channels import MemoryChannels
from tests.ingest.shard.conftest import World

from .running import bounded


@pytest.fixture
def split(world: World) -> list[ShardHandle]:
    """Both shards of a stream that was split once, long ago, and all of it read."""
    parent = world.shard
    world.put(1)
    children = list(parent.split())
    for shard in (parent, *children):
        bounded(world.services(), world.work(shard=shard, is_closed=shard is parent))
    world.ledger.write(replace(world.row, arrived_ms=1, tip_ms=1))
    return children


@pytest.fixture
def children(world: World, split: list[ShardHandle]) -> list[ShardHandle]:
    """The parent has expired."""
    del world.stream.found.shards[0]
    return split


def parent_of(world: World) -> ShardKey:
    return ShardKey("events", world.stream.found.created_ms, "shardId-000000000000")


def row_of(world: World) -> ShardRow:
    return world.ledger.kept[parent_of(world)]


def retire(world: World, *shards: ShardHandle, **work: Any) -> None:
    """Retires as the process does that has these shards."""
    Retirement(world.services()).run([world.work(shard=shard, **work) for shard in shards])


def test_an_ended_shards_channel_and_row_are_removed(world: World, children: list[ShardHandle]) -> None:
    retire(world, *children)
    assert world.ledger.read(parent_of(world)) is None
    assert sorted(world.channels.served) == sorted(f"app~{child.id}" for child in children)


def test_only_who_has_the_first_open_shard_removes_anything(world: World, children: list[ShardHandle]) -> None:
    retire(world, children[1])
    assert world.ledger.read(parent_of(world)) is not None
    retire(world, children[0])
    assert world.ledger.read(parent_of(world)) is None


def test_a_process_that_dies_in_between_leaves_a_row_that_is_found_again(
    world: World, children: list[ShardHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: object) -> None:
        raise LedgerUnavailable("ledger", "the process ends here")

    with monkeypatch.context() as patch:
        patch.setattr(world.ledger, "remove", die)
        retire(world, *children)
    assert f"app~{parent_of(world).shard_id}" not in world.channels.served
    retire(world, *children)
    assert world.ledger.read(parent_of(world)) is None


def test_a_row_with_incidents_loses_its_channel_only(world: World, children: list[ShardHandle]) -> None:
    row = row_of(world).with_incident(Incident(IncidentKind.RETENTION_LOSS, 1, "lost"))
    world.ledger.write(row)
    retire(world, *children)
    assert row_of(world) == replace(row, channels={})
    assert f"app~{parent_of(world).shard_id}" not in world.channels.served


def test_channels_of_a_table_that_was_replaced_are_gone_with_it(world: World, children: list[ShardHandle]) -> None:
    target = replace(world.work().target, table_created_on="2026-05-05T00:00:00.000+00:00")
    retire(world, *children, target=target)
    assert world.ledger.read(parent_of(world)) is None
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
            row = found[parent_of(world).shard_id]
            taken.append(world.ledger.take(row.key, row.fence, "somebody", row.start).fence)
        return found

    world.ledger.rows = read_then_lose  # type: ignore[method-assign] # the moment between two calls
    retire(world, *children)
    assert row_of(world).fence == taken[0]


def test_a_row_whose_shard_the_service_still_knows_stays_whatever_a_listing_omits(
    world: World, split: list[ShardHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = retirement.read_lineage

    def without_the_parent(client: Any, stream: str) -> Any:
        lineage = listed(client, stream)
        return replace(lineage, shards={one.id: lineage.shards[one.id] for one in split})

    monkeypatch.setattr(retirement, "read_lineage", without_the_parent)
    retire(world, *split)
    assert row_of(world).ended
    assert len(world.channels.served) == 3


def test_a_row_that_ended_a_moment_ago_stays_though_its_workers_clock_is_days_behind(
    world: World, children: list[ShardHandle]
) -> None:
    now_ms = int(time.time() * 1000)
    world.ledger.write(replace(row_of(world), arrived_ms=now_ms, heartbeat_ms=1))
    retire(world, *children)
    assert row_of(world).ended


def test_a_channel_that_cannot_be_dropped_keeps_no_other_row(
    world: World, children: list[ShardHandle], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a row of which one channel stays keep its other ones; and those that stay are tried behind the others."""
    parent, key = row_of(world), parent_of(world)
    for number in range(AT_ONCE + 5):
        key = replace(key, shard_id=f"shardId-9{number:011}")
        channels = {f"c{number}": parent.channels[f"app~{parent_of(world).shard_id}"]}
        taken = world.ledger.take(key, Fence(), "test", parent.start)
        world.ledger.write(
            replace(parent, key=key, fence=taken.fence, channels=channels, arrived_ms=2 + number, children=())
        )
    drop, refused, asked = MemoryChannels.drop, f"app~{parent_of(world).shard_id}", []

    def refuses_the_first(channels: MemoryChannels, target: TargetTable, name: str) -> None:
        asked.append(name)
        if name == refused:
            raise SnowflakeUnavailable(f"drop {name}", "403")
        drop(channels, target, name)

    monkeypatch.setattr(MemoryChannels, "drop", refuses_the_first)
    process = Retirement(world.services())
    for _ in range(2):
        process.run([world.work(shard=child) for child in children])
    left = world.ledger.rows(parent_of(world).incarnation)
    assert sorted(left) == sorted([parent_of(world).shard_id, *(child.id for child in children)])
    assert asked[-1] == refused
    assert asked.count(refused) == 2
