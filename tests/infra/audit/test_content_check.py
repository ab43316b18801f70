import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from firnline_infra.audit.columns import AuditedColumn
from firnline_infra.audit.content_check import ContentComparison, RowContent, digest_of
from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.outcome import AuditOutcome, LetterContent, RecordPlace, StreamRecord
from firnline_ingest.config.rows import Metadata, MetadataForm

SHARD = "shardId-000000000000"
COLUMNS = (
    AuditedColumn("ID", "NUMBER(38,0)"),
    AuditedColumn("name", "VARCHAR(16777216)"),
    AuditedColumn("BODY", "VARIANT"),
)
METADATA = {
    "stream": "orders",
    "shardId": SHARD,
    "approximateArrival": "2023-11-14T22:13:20.123Z",
    "partitionKey": "key",
    "sequenceNumber": "100",
    "subSequenceNumber": 0,
    "shardedSequenceNumber": "100" + "0" * 20,
}


def checked(
    payload: object,
    *values: object,
    metadata: dict[str, object] | None = None,
    evolves: bool = True,
    columns: tuple[AuditedColumn, ...] = COLUMNS,
) -> ShardFindings:
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    content = RowContent({"KINESISMETADATA": json.dumps(METADATA | (metadata or {}))}, values)
    findings = ShardFindings(SHARD)
    check = ContentComparison("orders", columns, evolves=evolves)
    record = StreamRecord(100, data, partition_key="key", arrived_ms=1_700_000_000_123)
    check(record, AuditOutcome(100, 0, RecordPlace.TABLE, None, content), findings)
    return findings


def details(findings: ShardFindings) -> list[str]:
    assert all(problem.kind is ProblemKind.CHANGED and problem.position == "100" for problem in findings.problems)
    return [problem.detail for problem in findings.problems]


def test_a_row_that_holds_what_its_record_says_has_no_problem() -> None:
    assert checked({"id": 1, "Name": "x", "BODY": {"a": [1]}}, 1, "x", '{"a":[1]}').counts.problems == 0


def test_every_changed_value_is_told_with_both_values() -> None:
    findings = checked({"id": 1, "name": "x", "body": True}, 2, "y", "false")
    assert findings.counts.changed == 3
    assert details(findings) == [
        "ID NUMBER(38,0): the record has 1, the table 2",
        "name VARCHAR(16777216): the record has 'x', the table 'y'",
        "BODY VARIANT: the record has True, the table 'false'",
    ]


@pytest.mark.parametrize("payload", [{}, {"id": None, "name": None, "body": None}])
@pytest.mark.parametrize("body", [None, "null"])
def test_no_key_null_and_json_null_are_all_no_value(payload: dict[str, object], body: object) -> None:
    assert checked(payload, None, None, body).counts.problems == 0


@pytest.mark.parametrize(
    ("payload", "values", "changes"),
    [
        pytest.param(
            {"id": None},
            (7, "x", None),
            ["ID: the record has no value, the table has 7", "name: the record has no value, the table has 'x'"],
            id="values that no record has",
        ),
        pytest.param(
            {"id": 7}, (None, None, None), ["ID: the record has 7, the table no value"], id="a value that is lost"
        ),
        pytest.param(
            {"more": 7},
            (None, None, None),
            ["MORE: the record has 7, the table no such column"],
            id="a key without a column",
        ),
        pytest.param({"more": None}, (None, None, None), [], id="a null, which needs no column"),
    ],
)
def test_what_the_table_has_otherwise_is_a_change(payload: Any, values: tuple[Any, ...], changes: list[str]) -> None:
    assert details(checked(payload, *values)) == changes


def test_a_columns_default_is_no_change() -> None:
    columns = (AuditedColumn("ID", "NUMBER(38,0)", default="7"),)
    assert checked({}, 7, columns=columns).counts.problems == 0


def test_a_key_without_a_column_is_only_counted_where_it_does_not() -> None:
    counts = checked({"more": 7, "less": None}, None, None, None, evolves=False).counts
    assert (counts.changed, counts.values_without_column) == (0, 1)


def test_a_value_that_cant_be_compared_is_counted() -> None:
    counts = checked({"at": "POINT(0 0)"}, "{}", columns=(AuditedColumn("AT", "GEOGRAPHY"),)).counts
    assert (counts.changed, counts.unchecked_values) == (0, 1)


@pytest.mark.parametrize("data", [b"[1]", b"not json", b'{"a":"\xff"}', b""])
def test_a_row_of_a_record_that_is_no_object_is_a_change(data: bytes) -> None:
    assert details(checked(data, None, None, None)) == ["its record is not a JSON object, and there is a row of it"]


@pytest.mark.parametrize("part", ["approximateArrival", "partitionKey", "subSequenceNumber", "shardedSequenceNumber"])
def test_metadata_is_compared_too(part: str) -> None:
    (detail,) = details(checked({}, None, None, None, metadata={part: "else"}))
    assert detail.startswith(f"metadata {part}: the record has ")


def test_metadata_that_a_row_does_not_have_was_switched_off() -> None:
    findings = ShardFindings(SHARD)
    content = RowContent({"KINESISMETADATA": '{"sequenceNumber":"100"}'}, (None, None, None))
    check = ContentComparison("orders", COLUMNS, evolves=True)
    check(StreamRecord(100, b"{}"), AuditOutcome(100, 0, RecordPlace.TABLE, None, content), findings)
    assert findings.counts.problems == 0


def in_columns(**changes: object) -> list[str]:
    kept: dict[str, object] = {
        "KINESIS_SHARD_ID": SHARD,
        "KINESIS_APPROXIMATE_ARRIVAL": datetime(2023, 11, 14, 23, 13, 20, 123000, tzinfo=timezone(timedelta(hours=1))),
        "KINESIS_SUB_SEQUENCE_NUMBER": 0,
        "KINESIS_PUSH_TIME": "whenever",
        **changes,
    }
    check = ContentComparison("orders", (), evolves=True, metadata=Metadata(form=MetadataForm.COLUMNS, push_time=True))
    findings = ShardFindings(SHARD)
    record = StreamRecord(100, b"{}", partition_key="key", arrived_ms=1_700_000_000_123)
    check(record, AuditOutcome(100, 0, RecordPlace.TABLE, None, RowContent(kept, ())), findings)
    return details(findings)


def test_metadata_in_columns_of_its_own_is_compared_as_the_columns_have_it() -> None:
    assert in_columns() == []
    at = datetime(2023, 11, 14, 22, 13, 21, tzinfo=UTC)
    for name, value in {
        "KINESIS_APPROXIMATE_ARRIVAL": at,
        "KINESIS_PARTITION_KEY": None,
        "KINESIS_STREAM": "x",
    }.items():
        (detail,) = in_columns(**{name: value})
        assert detail.startswith(f"metadata {name}: the record has ")


def test_a_long_value_is_shown_by_its_beginning() -> None:
    (detail,) = details(checked({"name": "x" * 1000}, None, "y", None))
    assert len(detail) < 200
    assert "…" in detail


def letter(data: bytes, *, reason: str, kept: bytes | None = None) -> ShardFindings:
    findings = ShardFindings(SHARD)
    content = LetterContent(digest_of(data if kept is None else kept), reason)
    outcome = AuditOutcome(100, 0, RecordPlace.DEAD_LETTERS, None, content)
    ContentComparison("orders", COLUMNS, evolves=True)(StreamRecord(100, data), outcome, findings)
    return findings


@pytest.mark.parametrize(("kept", "changed"), [(b"nonsense", 0), (b"nonsens", 1)])
def test_a_dead_letter_has_the_records_bytes(kept: bytes, changed: int) -> None:
    counts = letter(b"nonsense", reason="not-json", kept=kept).counts
    assert (counts.changed, counts.problems) == (changed, changed)


@pytest.mark.parametrize("reason", ["empty", "not-json", "not-an-object", "invalid-utf-8"])
def test_an_object_that_is_a_dead_letter_for_being_none_is_misplaced(reason: str) -> None:
    assert letter(b'{"a":1}', reason=reason).counts.misrouted == 1


@pytest.mark.parametrize("reason", ["duplicate-key", "too-large", "some-reason-of-tomorrow"])
def test_other_reasons_are_the_pipelines_own_affair(reason: str) -> None:
    assert letter(b'{"a":1}', reason=reason).counts.problems == 0


@pytest.mark.parametrize("data", [b'{"a":"\\ud800"}', b'{"a":NaN}', b'{"a":"\xff"}', b'\xef\xbb\xbf{"a":1}'])
def test_what_only_some_readers_take_for_json_is_rightly_a_dead_letter(data: bytes) -> None:
    assert letter(data, reason="not-json").counts.problems == 0


def test_an_error_row_has_no_values_to_compare() -> None:
    findings = ShardFindings(SHARD)
    outcome: Any = AuditOutcome(100, 0, RecordPlace.ERROR_TABLE)
    ContentComparison("orders", COLUMNS, evolves=True)(StreamRecord(100, b'{"id":1}'), outcome, findings)
    assert findings.counts.problems == 0


def test_what_transforms_make_no_object_of_may_have_been_one() -> None:
    outcome = AuditOutcome(
        100, 0, RecordPlace.DEAD_LETTERS, None, LetterContent(digest_of(b'{"a":[]}'), "not-an-object")
    )
    for is_transformed, problems in ((False, 1), (True, 0)):
        findings = ShardFindings(SHARD)
        check = ContentComparison("orders", COLUMNS, evolves=True, is_transformed=is_transformed)
        check(StreamRecord(100, b'{"a":[]}'), outcome, findings)
        assert findings.counts.problems == problems


def of_shard(*rows: tuple[int, object], since_ms: int, kept: str = "ID", default: str = "") -> ShardFindings:
    """Rows of {"id": 7}, each by its arrival and by what the table has, in their order."""
    columns = (AuditedColumn("ID", "NUMBER(38,0)", default=default),)
    check = ContentComparison("orders", columns, evolves=False, since_ms={kept: since_ms})
    findings = ShardFindings(SHARD)
    for number, (arrived_ms, value) in enumerate(rows):
        record = StreamRecord(100 + number, b'{"id":7}', partition_key="key", arrived_ms=arrived_ms)
        check(record, AuditOutcome(100 + number, 0, RecordPlace.TABLE, None, RowContent({}, [value])), findings)
    return findings


@pytest.mark.parametrize(
    ("rows", "since_ms", "before", "changed"),
    [
        pytest.param([(1_000, None), (2_000, None), (3_000, 7)], 2_500, 2, 0, id="before the column"),
        pytest.param([(1_000, None), (900_000, None)], 2_500, 1, 1, id="long after it was there"),
        pytest.param([(1_000, 7), (2_000, None)], 2_500, 0, 1, id="behind a row that has a value in it"),
        pytest.param([(1_000, None)], 0, 0, 1, id="a column that was there from the beginning"),
        pytest.param([(1_000, 8)], 2_500, 0, 1, id="another value"),
    ],
)
def test_a_value_from_before_its_column_is_counted_and_refutes_nothing(
    rows: list[tuple[int, object]], since_ms: int, before: int, changed: int
) -> None:
    counts = of_shard(*rows, since_ms=since_ms).counts
    assert (counts.values_before_column, counts.changed) == (before, changed)


@pytest.mark.parametrize(
    ("default", "rows", "before", "changed"),
    [
        pytest.param("0", [(1_000, 0), (2_000, 0), (900_000, 7)], 2, 0, id="what filled the older rows"),
        pytest.param("0", [(1_000, None), (2_000, 0)], 2, 0, id="a default that came after its column"),
        pytest.param("7", [(1_000, 7), (2_000, None)], 1, 0, id="a default says nothing of when its column came"),
        pytest.param("0", [(1_000, 7), (2_000, 0)], 0, 1, id="behind a row that has its record's value"),
        pytest.param("0", [(1_000, 8)], 0, 1, id="another value than the default"),
        pytest.param("0", [(900_000, 0)], 0, 1, id="long after the column was there"),
        pytest.param("5 + 4", [(1_000, 9), (2_000, 9), (3_000, 8)], 2, 1, id="an expression filled them all alike"),
    ],
)
def test_a_default_that_filled_older_rows_refutes_nothing(
    default: str, rows: list[tuple[int, object]], before: int, changed: int
) -> None:
    counts = of_shard(*rows, since_ms=2_500, default=default).counts
    assert (counts.values_before_column, counts.changed) == (before, changed)


@pytest.mark.parametrize(
    ("of", "default", "kept", "expected"),
    [
        ("VARCHAR(10)", "'it''s'", "it's", True),
        ("VARCHAR(10)", "'0'", "1", False),
        ("VARCHAR(10)", "'7'", "7", True),
        ("NUMBER(38,0)", "0", 0, True),
        ("NUMBER(10,2)", "-1.50", Decimal("-1.50"), True),
        ("BOOLEAN", "FALSE", False, True),
        ("BOOLEAN", "TRUE", False, False),
        ("NUMBER(38,0)", "", 0, False),
        ("DATE", "CAST('2026-01-01' AS DATE)", date(2026, 1, 1), None),
    ],
)
def test_a_columns_default_is_told_from_other_values(
    of: str, default: str, kept: object, expected: bool | None
) -> None:
    assert AuditedColumn("C", of, default=default).is_default(kept) is expected
