from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.config.access import Access
from firnline_ingest.kinesis.missing import QUESTION_INTERVAL_S
from firnline_ingest.kinesis.start import After, AtTimestamp, TrimHorizon, parse_start
from firnline_ingest.ledger.row import RunningTotals
from firnline_ingest.shard.work import ShardServices
from firnline_ingest.spark import task
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from firnline_ingest.spark.planner import SourceOffset
from firnline_ingest.values import Position, TargetTable
from tests.fakes.configs import config

CONFIG = config()


def planned(number: int, start: str = "h", unread: str = "") -> PlannedShard:
    target = TargetTable("DB", "RAW", "EVENTS", "2026", "EVENTS-STREAMING")
    columns = ("C", "D") if number else None
    return PlannedShard(3, "events", 17, f"shardId-{number:012d}", start, 24, unread, target, columns=columns)


def test_an_assignment_survives_the_way_to_a_task() -> None:
    routed = replace(planned(2), routed=(("ORDERS", TargetTable("DB", "RAW", "ORDERS", "2026", "ORDERS-STREAMING")),))
    reported = RunningTotals(through=Position(7), rows=5, begun_by="run/one", reported_through=Position(9, 1))
    again = replace(planned(3), reported=reported)
    assignment = Assignment(
        CONFIG, "run", (planned(0), planned(1, "t:42", "p1,p2"), routed, again), 30.0, arrival_ms=99
    )
    assert Assignment.from_json(assignment.to_json()) == assignment
    assert assignment.works[-1].reported == reported


@pytest.mark.parametrize(("given", "stops"), [({}, False), ({"describe_stream": {"attempts": 5}}, True)])
def test_only_attempts_that_a_person_set_stop_a_shard_of_a_task(given: dict[str, object], stops: bool) -> None:
    """Plans give up after five by default; a shard waits for as long as it takes."""
    asked = config(retries=given)
    there = Assignment.from_json(Assignment(asked, "run", (), 30.0).to_json())
    assert there.config == asked
    retry = there.config.retries.describe_stream
    assert (retry.is_over(5), retry.is_over_for_a_shard(5)) == (True, stops)


def test_work_names_its_channel_after_application_stream_incarnation_and_shard() -> None:
    (work,) = Assignment(CONFIG, "run", (planned(1, "t:42", "p1,p2"),), 30.0).works
    assert work.channel == "APP~EVENTS~17~SHARDID-000000000001"
    assert work.start == AtTimestamp(42)
    assert work.trimmed_parents == ("p1", "p2")


def test_a_routed_shard_has_a_channel_for_each_table() -> None:
    there = TargetTable("DB", "RAW", "ORDERS", "2026", "ORDERS-STREAMING")
    (work,) = Assignment(CONFIG, "run", (replace(planned(1), routed=(("ORDERS", there),)),), 30.0).works
    own, routed = work.destinations
    assert (own.channel, own.table) == (work.channel, "")
    assert (routed.target, routed.channel, routed.table) == (there, f"{work.channel}~ORDERS", "ORDERS")


def test_an_offset_is_readable_and_comes_back() -> None:
    offset = SourceOffset(7, {"events@17": {"shardId-000000000000": "h", "shardId-000000000001": "end"}})
    assert offset.as_document() == {"v": 1, "e": 7, "streams": offset.streams}
    assert SourceOffset.from_document(offset.as_document()) == offset


@given(st.one_of(st.just(TrimHorizon()), st.integers(0, 2**50).map(AtTimestamp)))
def test_a_start_survives_the_offset_log(start: TrimHorizon | AtTimestamp) -> None:
    assert parse_start(start.text) == start


def test_a_position_survives_the_offset_log() -> None:
    text = "p:" + "4" * 56 + "0" * 19 + "7"
    start = parse_start(text)
    assert isinstance(start, After)
    assert (start.text, start.position.row) == (text, 7)


def test_a_process_reads_as_the_configuration_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Pauses, intervals and how often it reports."""
    made: list[tuple[ShardServices, float]] = []
    monkeypatch.setattr(task, "ShardGroup", lambda services, progress_s: made.append((services, progress_s)))
    asked = config(
        polling={"interval_ms": 900},
        retries={"get_records": {"attempts": 3}},
        epoch={"progress_seconds": 7},
        dead_letters={"folder": str(tmp_path)},
    )
    task._new_group(asked, "run")
    ((services, progress_s),) = made
    assert (services.polling, services.retries, progress_s) == (asked.polling, asked.retries, 7)


def test_a_process_subscribes_as_the_configuration_says_wherever_a_stream_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[ShardServices] = []
    monkeypatch.setattr(task, "ShardGroup", lambda services, _: made.append(services))
    reader = {"fan_out": {"consumer_arn": "arn:aws:kinesis:eu-west-1:1:stream/x/consumer/y:1"}}
    pipeline = {**config().model_dump(mode="json", by_alias=True)["pipelines"][0], "reader": reader}
    limits = {"max_concurrency": 2, "read_timeout_seconds": 123}
    asked = config(pipelines=[pipeline], fan_out=limits, dead_letters={"folder": str(tmp_path)})
    task._new_group(asked, "run")
    here = made[0].clients_of(asked.pipelines[0])
    there = made[0].clients_of(asked.pipelines[0].model_copy(update={"access": Access(region="eu-north-1")}))
    for each in (here, there):
        assert each.subscriber is not None
        assert vars(each.subscriber.meta.config)["_user_provided_options"]["read_timeout"] == 123
        assert (each.times, each.question_interval_s) == (task._question_times, QUESTION_INTERVAL_S)
        assert each.turns is here.turns
    assert [here.turns.take(number) for number in (1, 2, 3)] == [True, True, False]
