"""Problems as a status tells them: each with its object, since when, how often, and the next step."""

from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.runtimes.service import Run, RunState
from firnline_infra.status.model import ServiceStatus
from firnline_infra.status.text import status_text
from firnline_ingest.ledger.engine_report import EngineProblem, EngineReport, ShardReading
from firnline_ingest.shard.errors import ShardUnanswered
from tests.infra.rollout.world import KEYS, STREAM, World

from .looks import in_one, looked, running

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
