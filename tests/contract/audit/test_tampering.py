"""Tests of what is right is proven, and what was tampered with is found: in real tables, through real clients."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from firnline_infra.audit.findings import Counts, ProblemKind

from .conftest import Lane

pytestmark = pytest.mark.contract
GOOD, BAD = 20, 3  # records of the stream


def test_what_the_engine_wrote_is_proven(lane: Lane) -> None:
    report = lane.audit()
    assert report.is_proven, report.shards
    assert report.totals == Counts(records=GOOD + BAD, rows=GOOD, dead_letters=BAD)
    assert len(report.shards) == 2


def test_without_content_only_positions_are_compared(lane: Lane) -> None:
    lane.sql(f"UPDATE {lane.name} SET NAME = 'other' WHERE ID = 5")
    assert lane.audit(content=False).is_proven
    assert lane.audit().found == {ProblemKind.CHANGED: 1}


def test_a_row_that_was_deleted_is_missing(lane: Lane) -> None:
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 5")
    assert lane.audit().found == {ProblemKind.MISSING: 1}


def test_a_row_that_is_there_twice_is_doubled(lane: Lane) -> None:
    lane.sql(f"INSERT INTO {lane.name} SELECT * FROM {lane.name} WHERE ID = 5")
    assert lane.audit().found == {ProblemKind.DOUBLED: 1}


def test_every_value_that_was_changed_is_found(lane: Lane) -> None:
    changes = {
        5: "ID = 9007199254740993",
        6: "NAME = NULL",
        7: "PRICE = 1.7500001",
        8: "BODY = PARSE_JSON('{\"n\":[8]}')",
        9: "AT = '2026-01-31 12:00:09.500001'",
    }
    positions = {lane.metadata_of(number)["sequenceNumber"] for number in changes}
    for number, change in changes.items():
        lane.sql(f"UPDATE {lane.name} SET {change} WHERE ID = {number}")
    report = lane.audit()
    assert report.found == {ProblemKind.CHANGED: 5}
    assert {problem.position for problem in report.problems(ProblemKind.CHANGED)} == positions


def test_a_column_that_somebody_filled_is_found(lane: Lane) -> None:
    lane.sql(f"ALTER TABLE {lane.name} ADD COLUMN NOTE VARCHAR")
    assert lane.audit().is_proven
    lane.sql(f"UPDATE {lane.name} SET NOTE = 'x' WHERE ID < 3")
    assert lane.audit().found == {ProblemKind.CHANGED: 3}


def test_a_dead_letter_that_was_removed_is_missing(lane: Lane) -> None:
    next(lane.folder.rglob("*.json")).unlink()
    assert lane.audit().found == {ProblemKind.MISSING: 1}


def test_a_dead_letter_that_was_changed_is_found(lane: Lane) -> None:
    place = next(lane.folder.rglob("*.json"))
    place.write_text(json.dumps(json.loads(place.read_text()) | {"data": "eA=="}))
    assert lane.audit().found == {ProblemKind.CHANGED: 1}


SAYS_NOTHING: tuple[dict[str, Any] | None, ...] = (None, {}, {"note": "by hand"})
NO_RECORD_OF_ITS_OWN: tuple[dict[str, Any], ...] = (
    {"sequenceNumber": "12"},
    {"sequenceNumber": "9" * 57},
    {"sequenceNumber": "twelve"},
    {"sequenceNumber": None},
    {"subSequenceNumber": 1},
    {"shardId": "shardId-000000000099"},
    {"stream": "another"},
)


def test_each_row_that_names_no_record_is_foreign(lane: Lane) -> None:
    metadata = lane.metadata_of(5)
    foreign = (*SAYS_NOTHING, *({**metadata, **change} for change in NO_RECORD_OF_ITS_OWN))
    for number, said in enumerate(foreign):
        lane.copy(number, said)
    report = lane.audit()
    assert report.found == {ProblemKind.UNEXPECTED: len(foreign)}
    assert report.totals.rows == GOOD


def test_a_row_that_says_another_shard_is_missing_in_its_own(lane: Lane) -> None:
    metadata = lane.metadata_of(5)
    (other,) = set(lane.lineage.shards) - {metadata["shardId"]}
    lane.copy(5, metadata | {"shardId": other})
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 5 AND KINESISMETADATA:shardId::VARCHAR = '{metadata['shardId']}'")
    assert lane.audit(content=False).found == {ProblemKind.MISSING: 1, ProblemKind.UNEXPECTED: 1}


def test_a_row_from_before_the_streams_oldest_record_is_older_and_no_problem(lane: Lane) -> None:
    lane.copy(5, lane.metadata_of(5) | {"sequenceNumber": "12", "approximateArrival": "2020-01-31T12:00:00.000Z"})
    report = lane.audit()
    assert report.is_proven
    assert report.totals.older == 1


def test_rows_of_another_stream_are_welcome_where_they_are_named(lane: Lane) -> None:
    lane.copy(5, lane.metadata_of(5) | {"stream": "another"})
    assert lane.audit().found == {ProblemKind.UNEXPECTED: 1}
    assert lane.audit(also_holds=["another"]).is_proven


def test_a_shard_of_many_rows_is_read_in_parts(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_infra.audit.table.PART_ROWS_WITH_CONTENT", 3)
    assert lane.audit().totals == Counts(records=GOOD + BAD, rows=GOOD, dead_letters=BAD)
    metadata = lane.metadata_of(6)
    for other in range(5):  # more than a part has
        lane.copy(other, metadata)
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 7")
    lane.copy(8, lane.metadata_of(8) | {"sequenceNumber": "9" * 57})
    assert lane.audit().found == {
        ProblemKind.MISSING: 1,
        ProblemKind.DOUBLED: 5,
        ProblemKind.UNEXPECTED: 1,
        ProblemKind.CHANGED: 5 * 5,
    }


def test_records_that_arrived_after_the_end_are_left_out(lane: Lane) -> None:
    before = datetime.now(UTC) - timedelta(hours=1)
    assert lane.audit(until=before).totals == Counts(later=GOOD + BAD)


def test_records_from_before_the_beginning_may_be_absent(new_lane: Callable[[], Lane]) -> None:
    lane = new_lane()
    report = lane.audit(since=datetime.now(UTC) + timedelta(hours=1))
    assert report.is_proven
    assert report.totals == Counts(before_start=GOOD + BAD)
