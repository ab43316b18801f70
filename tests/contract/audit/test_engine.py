"""Tests of what the real engine makes of a stream, audited."""

import pytest

from firnline_infra.audit import AuditReport
from firnline_infra.audit.findings import Counts, ProblemKind
from firnline_infra.audit.report_text import report_text
from firnline_ingest.values import Position

from .conftest import Lane, records_of

pytestmark = pytest.mark.contract
GOOD, BAD = 20, 3  # records of the stream


def test_the_engine_itself_is_proven(engines_lane: Lane) -> None:
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} DROP COLUMN BODY")  # it comes back by evolution
    assert {receipt["state"] for receipt in engines_lane.run_engine()} == {"done"}
    report = engines_lane.audit()
    assert report.is_proven, report.shards
    assert report.totals == Counts(records=GOOD + BAD, rows=GOOD, dead_letters=BAD)


def test_rows_that_the_table_rejects_are_found_in_its_error_table(engines_lane: Lane) -> None:
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} DROP COLUMN NAME")
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} ADD COLUMN NAME NUMBER")  # it takes none of the names
    engines_lane.run_engine()
    report = engines_lane.audit(counters=True)
    assert report.is_proven, report.shards
    assert report.totals == Counts(records=GOOD + BAD, error_rows=GOOD, dead_letters=BAD)
    ((reason, rejected),) = report.rejections.by_reason.items()
    assert (reason.column, rejected.rows) == ("NAME", GOOD)
    assert "is not recognized" in rejected.first[0].message
    places = {(each.shard_id, each.position) for each in rejected.first}
    assert places <= {
        (shard, each.SequenceNumber) for shard, found in records_of(engines_lane).items() for each in found
    }

    engines_lane.sql(f"TRUNCATE ERROR_TABLE({engines_lane.name})")
    assert engines_lane.audit().found == {ProblemKind.MISSING: GOOD}


def test_rows_that_were_rejected_while_the_table_kept_none_are_found(engines_lane: Lane) -> None:
    """Error logging is on again when anybody looks, and the engine has proven all: the server counts what it rejects."""
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} DROP COLUMN NAME")
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} ADD COLUMN NAME NUMBER")
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} SET ERROR_LOGGING = FALSE")
    receipts = engines_lane.run_engine()
    assert {receipt["state"] for receipt in receipts} == {"done"}
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} SET ERROR_LOGGING = TRUE")
    report = engines_lane.audit(counters=True)
    assert report.found == {ProblemKind.MISSING: GOOD, ProblemKind.NOT_STORED: GOOD}
    found = {(each.shard_id, each.position) for each in report.problems(ProblemKind.NOT_STORED)}
    proven = {
        (receipt["shard_id"], str(Position.from_token(receipt["proven"]).sequence_number)) for receipt in receipts
    }
    assert found == proven, "up to where it is"
    assert engines_lane.audit().found == {ProblemKind.MISSING: GOOD}, "each by its place, also without the counters"


def test_metadata_in_columns_of_their_own_proves_as_much(columns_lane: Lane) -> None:
    columns_lane.run_engine()
    report = columns_lane.audit()
    assert report.is_proven, report.shards
    assert report.totals == Counts(records=GOOD + BAD, rows=GOOD, dead_letters=BAD)
    ((pushed,),) = columns_lane.sql(
        f"SELECT COUNT(*) FROM {columns_lane.name} WHERE KINESIS_PUSH_TIME >= KINESIS_APPROXIMATE_ARRIVAL"
    )
    assert pushed == GOOD

    columns_lane.sql(f"UPDATE {columns_lane.name} SET KINESIS_PARTITION_KEY = 'x' WHERE ID = 1")
    columns_lane.sql(f"UPDATE {columns_lane.name} SET KINESIS_SEQUENCE_NUMBER = NULL WHERE ID = 2")
    columns_lane.sql(f"DELETE FROM {columns_lane.name} WHERE ID = 3")
    found = {ProblemKind.CHANGED: 1, ProblemKind.UNEXPECTED: 1, ProblemKind.MISSING: 2}
    assert columns_lane.audit().found == found


def test_a_column_that_a_person_added_later_refutes_nothing(engines_lane: Lane) -> None:
    """The driver's looks at the table, as TableWatch has them, before the rows and behind the ALTER."""
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} SET ENABLE_SCHEMA_EVOLUTION = FALSE")
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} DROP COLUMN NAME")
    engines_lane.look_at_the_table()
    engines_lane.run_engine()
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} ADD COLUMN NAME VARCHAR")
    assert engines_lane.audit().found == {ProblemKind.CHANGED: GOOD}, "nobody has seen when it came"
    engines_lane.look_at_the_table()
    report = engines_lane.audit()
    assert report.is_proven, report.shards
    assert report.totals.values_before_column == GOOD
    assert f"{GOOD} values are older than their column" in report_text(AuditReport([report]))

    engines_lane.sql(f"UPDATE {engines_lane.name} SET PRICE = NULL WHERE ID = 1")
    assert engines_lane.audit().found == {ProblemKind.CHANGED: 1}, "that one was there from the beginning"
