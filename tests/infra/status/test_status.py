import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from firnline_infra.redshift.errors import RedshiftStatementFailed
from firnline_infra.redshift.status import ViewStatus
from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.status.letters import letters_of
from firnline_infra.status.model import EnvironmentStatus, ServiceStatus
from firnline_infra.status.reader import StatusReader
from firnline_infra.status.text import status_text
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import DeadLetter, LocalFolder
from firnline_ingest.kinesis.page import Record
from firnline_ingest.ledger.engine_report import EngineProblem, EngineReport, ShardReading
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import ChannelEntry, Proven
from firnline_ingest.ledger.standby import BY_HAND
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.shard.errors import ShardUnanswered
from firnline_ingest.values import TargetTable
from tests.infra.rollout.test_roll import OLD
from tests.infra.rollout.test_standby import NEW, THIRD, killed_while_it_waits
from tests.infra.rollout.world import KEYS, STREAM, World
from tests.infra.status import sample
from tests.ingest.spark.standing_in import CONFIG


def running() -> World:
    world = World()
    world.roll_out().deploy(OLD)
    return world


def in_one(text: str) -> str:
    """Without the ends of lines, as a person reads it."""
    return " ".join(text.split())


def reader(world: World, *, now_ms: int | None = None, idle_after_s: int = 300, **others: Any) -> StatusReader:
    records = tuple(world.roll_out().records.newest_first())
    return StatusReader(
        application="firnline-dev",
        ledger=world.ledger,
        streams=lambda: {STREAM: idle_after_s, "never-read": idle_after_s},
        service=others.pop("service", lambda: ServiceStatus(runs=world.runs("firnline-dev"), deployments=records)),
        now_ms=lambda: round(world.now_s * 1000) + 5000 if now_ms is None else now_ms,
        sleep=world.sleep,
        clock=lambda: world.now_s,
        **others,
    )


def looked(world: World, **others: Any) -> EnvironmentStatus:
    return reader(world, **others).read()


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


REFUSED = EngineProblem(
    id="FL-3011",
    what="User FIRNLINE_DEV may not write to DB.RAW.ORDERS: Insufficient privileges to operate on table 'ORDERS'.",
    next_step="GRANT INSERT ON TABLE DB.RAW.ORDERS TO ROLE FIRNLINE_DEV_INGEST.",
    stream=STREAM,
    since_ms=1,
    tries=9,
    has_stopped=True,
)


def reported(world: World, *problems: EngineProblem, **others: Any) -> None:
    run = world.ledger.current_run()
    at_ms = round(world.now_s * 1000)
    told = {"run_id": run.run_id if run else "gone", "at_ms": at_ms, "epochs": 7, **others}
    world.ledger.write_report(EngineReport(problems=problems, all_problems=len(problems), **told))


def test_it_says_what_is_wrong_with_its_object_its_words_since_when_and_the_next_step() -> None:
    world = running()
    assert looked(world).exit_status == 0
    now_ms = round(world.now_s * 1000) + 5000
    reported(world, replace(REFUSED, since_ms=now_ms - 720_000, next_try_ms=now_ms + 240_000))
    found = looked(world)
    assert found.exit_status == 3, "nothing is read"
    assert [(each.is_read, each.problem) for each in found.shards] == [(False, "FL-3011"), (False, "FL-3011")]
    text = in_one(status_text(found))
    assert f"FL-3011 {STREAM} since" in text
    assert "(12 min), met 9 times, tried again in 4 min" in text
    assert "Next: GRANT INSERT ON TABLE DB.RAW.ORDERS" in text
    assert text.index("FL-3011") < text.index("committed up to"), "what is wrong comes first"
    assert "NOT READ FL-3011" in text
    (problem,) = found.as_document()["problems"]
    assert (problem["id"], problem["stream"], problem["tries"]) == ("FL-3011", STREAM, 9)
    assert problem["since"] < found.as_document()["at"]
    assert problem["next_try"] > found.as_document()["at"]


def test_no_line_of_what_is_wrong_is_wider_than_a_terminal() -> None:
    world = running()
    reported(world, replace(REFUSED, what="word " * 100))
    lines = status_text(looked(world)).splitlines()
    assert max(map(len, lines)) <= 80, max(lines, key=len)


def test_a_shard_that_waits_or_fails_is_not_read_although_the_engine_has_it() -> None:
    world = running()
    readings = [
        ShardReading(STREAM, key.shard_id, state, 70_000)
        for key, state in zip(KEYS, ("failed", "reading"), strict=True)
    ]
    reported(world, shards=tuple(readings))
    found = looked(world)
    assert [(each.is_read, each.read_behind_s) for each in found.shards] == [(False, 70.0), (True, 70.0)]
    assert found.exit_status == 3


def test_a_shard_of_which_nothing_is_committed_is_not_just_called_read() -> None:
    world = running()
    waits = ShardReading(STREAM, KEYS[0].shard_id, "reading", 0, uncommitted_s=720, uncommitted_rows=1234)
    usual = ShardReading(STREAM, KEYS[1].shard_id, "reading", 0, uncommitted_s=2, uncommitted_rows=9)
    now_ms = round(world.now_s * 1000)
    stuck = EngineProblem(
        id="FL-3010",
        what="Snowflake could not commit 1234 rows of it: nothing was committed for 720 s",
        next_step="see status.snowflake.com",
        stream=STREAM,
        shard=KEYS[0].shard_id,
        since_ms=now_ms - 600_000,
        tries=20,
    )
    reported(world, stuck, shards=(waits, usual), began_ms=now_ms - 3_600_000)
    found = looked(world)
    text = in_one(status_text(found))
    assert "NOT COMMITTED 12 min, 1,234 rows FL-3010" in text
    assert text.count("NOT COMMITTED") == 1
    assert "(10 min), met 20 times" in text
    assert "Next: see status.snowflake.com" in text
    assert found.exit_status == 3
    assert [each["uncommitted_s"] for each in found.as_document()["shards"]] == [720, 2]


def test_the_last_words_of_an_engine_that_has_ended_are_shown_with_its_run() -> None:
    world = running()
    reported(world, replace(REFUSED, stream="", what="Spark did not start."), run_id="one before", ended_ms=5)
    world.ledger.end_run(world.ledger.current_run().run_id)
    failed = Run(id="00f1", hash="abc", state=RunState.FAILED, attempt=6, reason="Job failed, exit code 4")
    found = replace(looked(world), service=ServiceStatus(last_run=failed))
    text = status_text(found)
    assert found.exit_status == 3
    assert "The last engine ended at 1970" in text
    assert "Run 00f1: FAILED, attempt 6, abc (Job failed, exit code 4)" in text
    assert "Problems of the engine before (1)" in text
    assert "FL-3011  the engine" in text
    assert found.as_document()["last_run"]["attempt"] == 6


def test_one_cause_is_one_problem_however_many_shards_have_it() -> None:
    world = running()
    same = [
        replace(
            REFUSED, shard=f"shardId-{number:012}", what=f"Shard shardId-{number:012} is refused", since_ms=9 - number
        )
        for number in range(5)
    ]
    own_step = replace(REFUSED, shard="shardId-9", next_step="firnline resume --shard shardId-9")
    reported(world, *same, own_step)
    text = status_text(looked(world))
    assert "Problems (2)" in text
    assert text.count("\nFL-3011  ") == 2
    assert (
        "FL-3011  orders, 5 shards: shardId-000000000000, shardId-000000000001, shardId-000000000002 and 2 more" in text
    )
    assert "FL-3011  orders/shardId-9" in text
    assert "more: firnline status" not in text
    document = looked(world).as_document()
    assert [(each["shard"], len(each["shards"])) for each in document["problems"]] == [("", 5), ("shardId-9", 1)]
    assert document["problems"][0]["since"] == "1970-01-01T00:00:00+00:00"
    assert document["report"]["all_problems"] == 6


def test_seconds_that_differ_make_no_two_causes_of_one() -> None:
    world = running()
    late = [
        replace(
            REFUSED, shard=key.shard_id, what=f"Shard {STREAM}/{key.shard_id} was not read for {240 + number} s: away"
        )
        for number, key in enumerate(KEYS)
    ]
    reported(world, *late)
    assert [each["shards"] for each in looked(world).as_document()["problems"]] == [[key.shard_id for key in KEYS]]


@pytest.mark.parametrize("of", ["a shard", "a pipeline", "the engine"])
def test_a_transient_that_lasts_for_minutes_is_exit_status_3(of: str) -> None:
    """A registry or a Snowflake that is away stops nothing: the engine waits, and a person should know."""
    world = running()
    now_ms = round(world.now_s * 1000)
    stream, shard = {"a shard": (STREAM, KEYS[0].shard_id), "a pipeline": (STREAM, ""), "the engine": ("", "")}[of]
    told = {"stream": stream, "shard": shard, "since_ms": now_ms - 119_000, "tries": 4}
    problem = EngineProblem(id="FL-4101", what="it is away", next_step="look at it", **told)
    reported(world, problem, at_ms=now_ms)
    assert looked(world).exit_status == 0
    reported(world, replace(problem, since_ms=now_ms - 120_000, tries=5), at_ms=now_ms)
    found = looked(world)
    assert (found.exit_status, found.is_troubled) == (3, True)
    assert "met 5 times" in status_text(found)
    assert "Next: look at it" in status_text(found)
    (document,) = found.as_document()["problems"]
    assert document["tries"] == 5
    reported(world, problem, at_ms=now_ms, began_ms=now_ms - 5000)
    assert looked(world).exit_status == 0, "the run before had it so long, and this one has only begun"


def test_a_shard_that_kinesis_has_refused_for_minutes_is_not_read() -> None:
    """Throttling that lasts stops nothing, so the engine goes on trying; the records wait in the stream meanwhile."""
    world = running()
    unanswered = EngineProblem(
        id=ShardUnanswered.id,
        what="Shard orders/0 was not read for 240 s: Kinesis throttles",
        next_step="look at the cause",
        stream=STREAM,
        shard=KEYS[0].shard_id,
    )
    reported(world, unanswered)
    found = looked(world)
    assert [each.is_read for each in found.shards] == [False, True]
    assert found.exit_status == 3
    assert "Kinesis throttles" in status_text(found)


def test_another_engines_report_says_nothing_of_what_this_one_reads() -> None:
    world = running()
    reported(world, REFUSED, run_id="one before")
    found = looked(world)
    assert [each.is_read for each in found.shards] == [True, True]
    assert found.exit_status == 0
    assert "no epoch has ended yet" in status_text(replace(found, version="0.1.0"))


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
