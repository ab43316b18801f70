import json
from typing import Any

import pytest

from firnline_infra.audit.outcome import AuditOutcome, RecordPlace
from firnline_infra.audit.rejected import read_error_rows
from firnline_infra.audit.rejections import LONGEST_MESSAGE, SHOWN, Reason, Rejection, Rejections
from firnline_ingest.config.rows import Metadata

from .conftest import Shard

NOT_A_NUMBER = {"error_code": 100038, "error_source": "PRICE", "error_message": "Numeric value 'x' is not recognized"}
WHOLE = {
    **NOT_A_NUMBER,
    "sql_state": "22018",
    "details": {"channel_name": "app~orders~7~s", "offset_token_upper_bound": "9"},
}


def test_an_error_row_says_why_and_through_which_channel() -> None:
    assert Rejection.of(WHOLE) == Rejection("100038", "PRICE", "Numeric value 'x' is not recognized", "app~orders~7~s")


@pytest.mark.parametrize("metadata", [{}, {"details": None}, {"details": "text", "error_code": None}], ids=str)
def test_an_error_row_need_not_say_anything(metadata: dict[str, Any]) -> None:
    assert Rejection.of(metadata) == Rejection()


def test_a_long_message_is_cut() -> None:
    assert len(Rejection.of({"error_message": "x" * 10_000}).message) == LONGEST_MESSAGE


def row(number: int, *, row: int = 0, message: str = "no number", column: str = "PRICE") -> AuditOutcome:
    rejection = Rejection("100038", column, message)
    return AuditOutcome(number, 0, RecordPlace.ERROR_TABLE, content=rejection, row=row)


def test_each_rejected_record_is_told_by_its_place_under_its_reason(shard: Shard) -> None:
    shard.remove(103, 104, 107)
    shard.outcomes += [
        row(103, message="'a' is not a number"),
        row(104, message="'b' is not a number"),
        row(107, column="AT"),
    ]
    findings = shard.compared()
    assert (findings.counts.problems, findings.counts.rows, findings.counts.error_rows) == (0, 7, 3)
    price, at = findings.rejections.as_document()
    assert (price["code"], price["column"], price["rows"], at["column"], at["rows"]) == ("100038", "PRICE", 2, "AT", 1)
    assert [(each["position"], each["message"]) for each in price["first"]] == [
        ("103", "'a' is not a number"),
        ("104", "'b' is not a number"),
    ]


def test_several_rows_of_one_record_are_told_one_by_one(shard: Shard) -> None:
    whole = shard.records[3]
    shard.records[3:4] = [whole, whole._replace(row=1), whole._replace(row=2)]
    shard.outcomes += [row(103, row=1), row(103, row=2)]
    findings = shard.compared()
    assert (findings.counts.problems, findings.counts.rows, findings.counts.error_rows) == (0, 10, 2)
    (found,) = findings.rejections.by_reason.values()
    assert [each.position for each in found.first] == ["103.0.1", "103.0.2"]


def test_an_error_row_without_a_record_is_no_rejected_record(shard: Shard) -> None:
    shard.outcomes.append(row(999))
    findings = shard.compared()
    assert findings.counts.unexpected == 1
    assert not findings.rejections.by_reason


def test_the_commonest_reason_comes_first_and_each_shard_shows_a_few() -> None:
    left, right = Rejections(), Rejections()
    left.add(Rejection("1", "A"), "left", "1")
    for number in range(10):
        left.add(Rejection("2", "A"), "left", str(number))
        right.add(Rejection("2", "A"), "right", str(number))
    together = Rejections.together([left, right])
    assert list(together.by_reason) == [Reason("2", "A"), Reason("1", "A")]
    assert together.by_reason[Reason("2", "A")].rows == 20
    assert len(together.by_reason[Reason("2", "A")].first) == 2 * SHOWN
    assert left.by_reason[Reason("2", "A")].rows == 10, "adding them up changes none"


def test_error_rows_are_counted_by_channel_whichever_stream_they_are_of() -> None:
    metadata = {"stream": "other", "shardId": "s", "sequenceNumber": "1"}
    rows = [
        (json.dumps({"$1": {"KINESISMETADATA": metadata}}), json.dumps(WHOLE)),
        (json.dumps({"$1": "{}"}), json.dumps({**WHOLE, "details": {"channel_name": "somebody's"}})),
    ]
    found = read_error_rows(rows, stream="orders", metadata=Metadata(column="KinesisMetadata"))
    assert found.by_channel == {"app~orders~7~s": 1, "somebody's": 1}
    assert (found.by_shard, found.without_position) == ({}, {"somebody's": 1})
