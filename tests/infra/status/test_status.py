"""The engines that run, and how far each shard is, as a status tells it."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

import pytest

from firnline_infra.redshift.errors import RedshiftStatementFailed
from firnline_infra.redshift.status import ViewStatus
from firnline_infra.status.letters import letters_of
from firnline_infra.status.model import ServiceStatus
from firnline_infra.status.text import status_text
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import DeadLetter, LocalFolder
from firnline_ingest.kinesis.page import Record
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import ChannelEntry, Proven
from firnline_ingest.ledger.standby import BY_HAND
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.values import TargetTable
from tests.infra.rollout.test_standby import NEW, THIRD, killed_while_it_waits
from tests.infra.rollout.world import KEYS, STREAM
from tests.infra.status import sample
from tests.ingest.spark.standing_in import CONFIG

from .looks import in_one, looked, reader, running


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
    assert "process of run-0, of run run-0; alive" in in_one(status_text(looked(world)))
    held = world.ledger.current_run()
    world.ledger.end_run(held.run_id)
    world.ledger.begin_run(replace(held, start=BY_HAND), None)
    assert "process of run-0, started by hand" in status_text(looked(world))
    world.ledger.end_run(held.run_id)
    world.ledger.begin_run(replace(held, start=""), None)
    assert "process of run-0; " in status_text(looked(world)), "an engine of an older release does not say"


@pytest.mark.parametrize("rows_by", ["firnline-native", "Python (firnline-native is not installed)"])
def test_it_tells_what_makes_the_rows(rows_by: str) -> None:
    world = running()
    held = world.ledger.current_run()
    world.ledger.end_run(held.run_id)
    world.ledger.begin_run(replace(held, rows_by=rows_by), None)
    found = looked(world)
    assert f"Rows are made by {rows_by}." in status_text(found).splitlines()
    assert found.as_document()["engine"]["rows_by"] == rows_by


def test_an_engine_that_reads_on_when_its_run_is_over_is_told_with_what_ends_it() -> None:
    """EMR on EC2 leaves the YARN application of a step alone that a person cancels."""
    world = running()
    world.cancel_step(world.engines[0])
    service = ServiceStatus(last_run=world.engines[0].run)
    found = looked(world, service=lambda: service)
    assert (found.whose, found.is_beating) == ("run-0", True)
    assert "Its run run-0 is STOPPED, and its engine reads on. Next: firnline stop ends it" in in_one(
        status_text(found)
    )
    assert "reads on" not in status_text(looked(running()))


def test_an_engine_that_was_killed_holds_the_application_and_does_not_beat() -> None:
    world = running()
    world.engines.clear()
    found = looked(world)
    assert (found.holder, found.is_beating, list(found.service.runs)) == ("process of run-0", False, [])
    assert found.as_document()["is_running"] is False
    assert [each.is_read for each in found.shards] == [False, False], "an engine that is dead reads nothing"
    assert found.exit_status == 3
    text = in_one(status_text(found))
    assert "no heartbeat, nothing heard of it since" in text
    assert "Next: firnline logs says what it wrote last; firnline deploy starts it again." in text


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
    assert taken is not None
    world._reads = lambda *_: None  # type: ignore[method-assign]  # it does not take the shard back
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
    assert f"{line} waits for its deploy, and ends by itself." in in_one(status_text(found))
    world.ledger.admit(world.ledger.standby().run_id)
    assert f"{line} takes over once the application is free." in in_one(status_text(looked(world)))


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
    assert "read, idle 3 h" in status_text(found)
    assert "24 h" in status_text(found)
    longer = looked(world, now_ms=now_ms + 25 * hour_ms, idle_after_s=4 * 3600)
    assert [(each.is_idle, each.time_to_trim_s) for each in longer.shards] == [(False, 0.0), (False, 0.0)]
    assert set(found.as_document()["shards"][0]) >= {"idle_s", "is_idle", "time_to_trim_s"}


def test_it_tells_how_many_rows_a_table_has_rejected() -> None:
    world = running()
    assert "rejected" not in status_text(looked(world))
    for key in KEYS:
        target = TargetTable("DB", "RAW", "T", "2026", "T-STREAMING")
        channels = {
            "own": ChannelEntry(target, Proven(None, 10, 3)),
            "routed": ChannelEntry(target, Proven(None, 5, 1)),
        }
        world.ledger.write(replace(world.ledger.read(key), channels=MappingProxyType(channels)))
    found = looked(world)
    assert [each["rejected_rows"] for each in found.as_document()["shards"]] == [4, 4]
    assert f"8 rows of {STREAM} were rejected by its table: firnline audit tells which" in status_text(found)


def test_a_shard_that_nobody_reads_is_not_called_idle() -> None:
    world = running()
    now_ms = round(world.now_s * 1000)
    for key in KEYS:
        world.ledger.write(replace(world.ledger.read(key), tip_ms=now_ms, arrived_ms=now_ms - 3_600_000))
    world.ledger.end_run(world.ledger.current_run().run_id)
    assert [each.is_idle for each in looked(world).shards] == [False, False]
    assert "NOT READ" in status_text(looked(world))


def test_it_tells_how_many_shards_wait_for_room() -> None:
    world = running()
    assert "wait" not in status_text(looked(world))
    world.ledger.show_waiting(world.ledger.current_run().run_id, 3)
    assert "3 shards wait: executors or cores are too few" in status_text(looked(world))
    assert looked(world).as_document()["engine"]["waiting_shards"] == 3


def test_a_reader_that_looks_again_and_again_sees_an_engine_die_without_waiting_for_it() -> None:
    world = running()
    again = reader(world)
    assert again.read().is_beating
    before_s = world.now_s
    for _ in range(3):
        run = world.ledger.current_run()
        world.ledger.beat(run.run_id)
        assert again.read().is_beating
    assert world.now_s == before_s
    world.engines.clear()
    world.now_s += 60
    assert not again.read().is_beating


def test_what_can_not_be_asked_is_a_note_and_the_rest_is_there() -> None:
    def refused() -> ServiceStatus:
        raise LedgerUnavailable("a service", "it does not answer")

    world = running()
    again = reader(world)
    again._service.ask = refused
    status = again.read()
    assert len(status.shards) == 2
    assert any("it does not answer" in note for note in status.notes)


def test_what_a_service_says_steers_no_terminal() -> None:
    text = status_text(replace(looked(running()), notes=("asked: \x1b]0;other\x07\x1b[2J",)))
    assert "\x1b" not in text
    assert "asked: \\x1b]0;other" in text


def test_a_view_of_redshift_that_is_blocked_or_missing_is_shown_and_is_the_exit_status() -> None:
    view = replace(sample.VIEW, refreshed_well=f"{datetime.now(UTC):%F %T}")
    bad = replace(view, outcome="Refresh failed. Internal error", blocked_by="not valid JSON at 7 of shardId-1")
    for each, exit_status, said in (
        (view, 0, "2026-11-23 14:05:11"),
        (bad, 3, "public.orders is BLOCKED: not valid JSON at 7 of shardId-1"),
        (replace(view, is_there=False), 3, "public.orders is MISSING: It is not there."),
        (replace(view, refreshed_well=""), 0, "public.orders is STALE"),
    ):
        found = replace(looked(running(), views=lambda each=each: (each,)), shards=())
        assert (found.exit_status, said in status_text(found)) == (exit_status, True)
        (document,) = found.as_document()["views"]
        assert (document["name"], document["is_blocked"]) == ("public.orders", each is bad)
    assert "Redshift" not in status_text(looked(running()))


def test_redshift_is_not_asked_with_every_look_and_its_refusal_is_a_note() -> None:
    asked = []

    def refused() -> tuple[ViewStatus, ...]:
        asked.append(1)
        raise RedshiftStatementFailed("SELECT 1", "permission denied")

    again = reader(running(), views=refused)
    status, _ = again.read(), again.read()
    assert (len(asked), status.views) == (1, ())
    assert any("permission denied" in note for note in status.notes)


def test_many_shards_are_the_worst_ones_for_a_person_and_all_for_a_program() -> None:
    found = looked(running())
    many = tuple(replace(found.shards[0], shard=f"shardId-{n:012}", behind_s=float(n)) for n in range(1000))
    wide = replace(found, shards=many)
    lines = status_text(wide).splitlines()
    assert len(lines) < 60
    assert any(line.startswith("960 more, with less lag") for line in lines)
    assert "shardId-000000000999" in status_text(wide)
    assert len(wide.as_document()["shards"]) == 1000


def test_dead_letters_are_counted_by_reason_with_a_few_of_them(tmp_path: Path) -> None:
    store = LocalFolder(tmp_path)
    for number in range(7):
        rejected = RejectedRecord(0, RejectReason.NOT_JSON, f"no JSON, token=abcdef{number}")
        record = Record(str(number + 1), b"x" * 500)
        store.put([DeadLetter.of(rejected, record, KEYS[0])])
    document = {**CONFIG, "dead_letters": {"folder": str(tmp_path)}}
    found = letters_of(EngineConfig.model_validate_json(json.dumps(document)))
    (reason,) = found.reasons
    assert (reason.stream, reason.reason, reason.count, found.is_complete) == (STREAM, "not-json", 7, True)
    assert len(reason.samples) == 3
    assert len(reason.samples[0]["text"]) == 121
    assert "abcdef" not in str(reason.samples), "what looks like a secret is not shown"
