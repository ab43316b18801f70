from dataclasses import replace
from types import MappingProxyType

import pytest

from firnline_infra.cli.status import text_of
from firnline_infra.rollout.status import status_of
from firnline_ingest.ledger.backend import BY_HAND
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import ChannelEntry, Proven
from firnline_ingest.values import TargetTable
from tests.infra.rollout.test_roll import OLD
from tests.infra.rollout.test_standby import NEW, THIRD, killed_while_it_waits
from tests.infra.rollout.world import KEYS, STREAM, World


def running() -> World:
    world = World()
    world.roll_out().deploy(OLD)
    return world


def looked(world: World, **others: object):
    arguments = {
        "runs": world.runs("firnline-dev"),
        "ledger": world.ledger,
        "streams": [STREAM, "never-read"],
        "deployment": world.roll_out().records.newest(),
        "now_ms": round(world.now_s * 1000) + 5000,
        "sleep": world.sleep,
    }
    return status_of("firnline-dev", **{**arguments, **others})


def test_it_tells_what_runs_and_how_far_each_shard_is() -> None:
    world = running()
    found = looked(world)
    assert (found.is_beating, found.holder) == (True, "process of run-0")
    assert [(each.shard, each.is_read) for each in found.shards] == [(key.shard_id, True) for key in KEYS]
    assert all(0 <= each.behind_s <= 10 for each in found.shards)
    document = found.as_document()
    assert document["runs"][0]["state"] == "RUNNING"
    assert document["deployment"]["outcome"] == "good"


def test_it_tells_whose_the_engine_is() -> None:
    world = running()
    assert "process of run-0, of run run-0; alive" in text_of(looked(world))
    held = world.ledger.current_run()
    world.ledger.end_run(held.run_id)
    world.ledger.begin_run(replace(held, start=BY_HAND), None)
    assert "process of run-0, started by hand" in text_of(looked(world))
    world.ledger.end_run(held.run_id)
    world.ledger.begin_run(replace(held, start=""), None)
    assert "process of run-0; " in text_of(looked(world)), "an engine of an older release does not say"


def test_an_engine_that_was_killed_holds_the_application_and_does_not_beat() -> None:
    world = running()
    world.engines.clear()
    found = looked(world)
    assert (found.holder, found.is_beating, found.runs) == ("process of run-0", False, ())
    assert found.as_document()["is_running"] is False


def test_the_last_incidents_are_told_newest_first() -> None:
    world = running()
    for number, key in enumerate(KEYS):
        row = world.ledger.read(key)
        world.ledger.write(row.with_incident(Incident(IncidentKind.RESUMED, 1000 + number, f"the {number}.")))
    assert [each.detail for each in looked(world).incidents] == ["the 1.", "the 0."]


def test_a_shard_that_another_run_had_is_not_read_now() -> None:
    world = running()
    row = world.ledger.read(KEYS[0])
    taken = world.ledger.take(KEYS[0], row.fence, "another/task", row.start)
    world.engines.clear()
    assert taken is not None
    assert [each.is_read for each in looked(world).shards] == [False, True]
    assert replace(row, fence=taken.fence) == taken


def test_it_tells_what_stands_by_and_whether_it_was_promoted() -> None:
    world = running()
    assert looked(world).standby is None
    killed_while_it_waits(world, NEW)
    found = looked(world)
    assert found.as_document()["standby"] == {
        "holder": "process of run-1",
        "whose": "run-1",
        "hash": NEW.hash,
        "state": "ready",
        "is_promoted": False,
    }
    line = "Stands by: process of run-1, of run run-1 (111111111111); everything is up, and it"
    assert f"{line} waits for its deploy, and ends by itself." in text_of(found)
    world.ledger.admit(world.ledger.standby().run_id)
    assert f"{line} takes over once the application is free." in text_of(looked(world))


def test_what_has_taken_over_or_is_gone_stands_by_no_more() -> None:
    world = running()
    world.roll_out().deploy(NEW)
    assert looked(world).standby is None
    killed_while_it_waits(world, THIRD)
    world.engines.clear()
    assert looked(world).standby is None


def test_it_tells_which_shard_is_idle_and_how_long_its_records_have() -> None:
    world = running()
    now_ms = round(world.now_s * 1000)
    busy, idle = (world.ledger.read(key) for key in KEYS)
    hour_ms = 3_600_000
    told = {"tip_ms": now_ms, "retention_hours": 24}
    world.ledger.write(replace(busy, **told, arrived_ms=now_ms - 200_000))
    world.ledger.write(replace(idle, **told, arrived_ms=now_ms - 3 * hour_ms))
    found = looked(world, now_ms=now_ms)
    assert [each.is_idle for each in found.shards] == [False, True]
    assert [each.idle_s for each in found.shards] == pytest.approx([200, 10_800], abs=10)
    assert [each.time_to_trim_s for each in found.shards] == pytest.approx([86_400, 86_400], abs=10)
    assert "read, idle for 3 h" in text_of(found)
    assert "24 h" in text_of(found)
    longer = looked(world, now_ms=now_ms + 25 * hour_ms, idle_after_s={STREAM: 4 * 3600})
    assert [(each.is_idle, each.time_to_trim_s) for each in longer.shards] == [(False, 0.0), (False, 0.0)]
    assert set(found.as_document()["shards"][0]) >= {"idle_s", "is_idle", "time_to_trim_s"}


def test_it_tells_how_many_rows_a_table_has_rejected() -> None:
    world = running()
    assert "rejected" not in text_of(looked(world))
    for key in KEYS:
        target = TargetTable("DB", "RAW", "T", "2026", "T-STREAMING")
        channels = {
            "own": ChannelEntry(target, Proven(None, 10, 3)),
            "routed": ChannelEntry(target, Proven(None, 5, 1)),
        }
        world.ledger.write(replace(world.ledger.read(key), channels=MappingProxyType(channels)))
    found = looked(world)
    assert [each["rejected_rows"] for each in found.as_document()["shards"]] == [4, 4]
    assert f"8 rows of {STREAM} were rejected by its table: firnline audit tells which" in text_of(found)


def test_a_shard_that_nobody_reads_is_not_called_idle() -> None:
    world = running()
    now_ms = round(world.now_s * 1000)
    for key in KEYS:
        world.ledger.write(replace(world.ledger.read(key), tip_ms=now_ms, arrived_ms=now_ms - 3_600_000))
    world.ledger.end_run(world.ledger.current_run().run_id)
    assert [each.is_idle for each in looked(world).shards] == [False, False]
    assert "NOT READ" in text_of(looked(world))


def test_it_tells_how_many_shards_wait_for_room() -> None:
    world = running()
    assert "wait" not in text_of(looked(world))
    world.ledger.show_waiting(world.ledger.current_run().run_id, 3)
    assert "3 shards wait: executors or cores are too few" in text_of(looked(world))
    assert looked(world).as_document()["engine"]["waiting_shards"] == 3
