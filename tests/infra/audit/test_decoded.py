"""Records of several rows against the rows that are there."""

from typing import Any

import pytest

from firnline_infra.audit.comparison import compare_shard, position_of
from firnline_infra.audit.content_check import ContentComparison, digest_of
from firnline_infra.audit.conversion import decoded_of
from firnline_infra.audit.errors import NotAuditable
from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.mode import refuse_unauditable
from firnline_infra.audit.outcome import AuditOutcome, LetterContent, RecordPlace, StreamRecord
from firnline_infra.audit.window import RetentionCutoff
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.records.rejection import LeftOut

from .configured import pipeline

SHARD = "shardId-000000000000"
LINES = StreamRecord(100, b'{"n":0}\n\n{"n":1}\n{"n":2}', partition_key="key")
BROKEN = StreamRecord(101, b'{"n":3}\n{oops', partition_key="key")


def lines(**more: object) -> PipelineConfig:
    return pipeline(**{"format": {"type": "json_lines"}, **more})


def row(number: int, row_number: int) -> AuditOutcome:
    return AuditOutcome(number, 0, RecordPlace.TABLE, 0, None, row_number)


def letter(record: StreamRecord, row_number: int = 0, reason: str = "not-json") -> AuditOutcome:
    content = LetterContent(digest_of(record.data), reason)
    return AuditOutcome(record.sequence_number, 0, RecordPlace.DEAD_LETTERS, 0, content, row_number)


def compared(*outcomes: AuditOutcome) -> ShardFindings:
    findings = ShardFindings(SHARD)
    compare_shard(
        findings,
        decoded_of(lines())(SHARD)([LINES, BROKEN]),
        sorted(outcomes, key=position_of),
        cutoff=RetentionCutoff(0),
        check=ContentComparison("events", (), evolves=False),
    )
    return findings


def test_each_row_of_a_record_is_looked_for_at_its_own_place() -> None:
    findings = compared(row(100, 0), row(100, 1), row(100, 2), letter(BROKEN))
    assert findings.problems == []
    assert (findings.counts.records, findings.counts.rows, findings.counts.dead_letters) == (4, 3, 1)


def test_a_row_that_is_missing_doubled_or_not_the_records_is_told_by_its_place() -> None:
    findings = compared(row(100, 0), row(100, 2), row(100, 2), row(100, 3), letter(BROKEN))
    assert {(each.kind, each.position) for each in findings.problems} == {
        (ProblemKind.MISSING, "100.0.1"),
        (ProblemKind.DOUBLED, "100.0.2"),
        (ProblemKind.UNEXPECTED, "100.0.3"),
    }


def test_a_letter_from_a_row_on_has_the_rows_behind_it() -> None:
    refused = compared(row(100, 0), letter(LINES, 1, "refused"), letter(BROKEN))
    assert refused.problems == []
    assert (refused.counts.records, refused.counts.dead_letters) == (4, 3)


def test_a_row_that_its_records_letter_has_too_is_doubled() -> None:
    findings = compared(row(100, 0), letter(LINES, 1, "refused"), row(100, 2), letter(BROKEN))
    assert [(each.kind, each.position) for each in findings.problems] == [(ProblemKind.DOUBLED, "100.0.2")]
    counts = findings.counts
    assert (counts.records, counts.rows + counts.dead_letters - counts.doubled) == (4, 4)


def test_a_letter_of_one_user_record_has_no_row_of_the_next() -> None:
    first = StreamRecord(100, b'{"n":0}\n{"n":1}', partition_key="key")
    second = first._replace(data=b'{"n":2}\n{"n":3}', sub_sequence_number=1)
    findings = ShardFindings(SHARD)
    outcomes = [letter(first, 0, "refused"), AuditOutcome(100, 1, RecordPlace.TABLE)]
    compare_shard(findings, decoded_of(lines())(SHARD)([first, second]), outcomes, cutoff=RetentionCutoff(0))
    assert [(each.kind, each.position) for each in findings.problems] == [(ProblemKind.MISSING, "100.1.1")]


def test_a_letter_with_other_bytes_than_its_record_is_changed() -> None:
    (problem,) = compared(row(100, 0), letter(BROKEN._replace(sequence_number=100), 1), letter(BROKEN)).problems
    assert problem.kind is ProblemKind.CHANGED


def test_rows_without_their_number_can_t_be_told_apart() -> None:
    with pytest.raises(NotAuditable, match="row"):
        refuse_unauditable(lines(metadata={"row": False}), set())


def test_what_is_rightly_no_row_is_told_by_its_reason() -> None:
    findings = ShardFindings(SHARD)
    records = [StreamRecord(100, b""), StreamRecord(101, b"text")]
    decoded = decoded_of(lines(format={"type": "text"}, empty_records="ignore"))(SHARD)(records)
    compare_shard(findings, decoded, [row(101, 0)], cutoff=RetentionCutoff(0))
    assert findings.problems == []
    assert (findings.counts.records, findings.counts.rows, findings.counts.tombstones) == (2, 1, 1)


def test_records_are_compared_as_transforms_leave_them() -> None:
    transforms = [
        {"type": "filter", "field": "kind", "one_of": ["heartbeat"]},
        {"type": "insert", "field": "by", "metadata": "partition_key"},
    ]
    plain = lines(format={"type": "json"}, transforms=transforms)
    records = [
        StreamRecord(number, data, partition_key="key")
        for number, data in enumerate([b'{"n":0}', b'{"kind":"heartbeat"}', b'{"by":"me"}'], 100)
    ]
    seen = list(decoded_of(plain)(SHARD)(records))
    assert [(each.data, each.not_ingested) for each in seen] == [
        (b'{"n":0,"by":"key"}', None),
        (b'{"kind":"heartbeat"}', LeftOut.FILTERED),
        (b'{"by":"me"}', None),  # a dead letter has it
    ]
    findings = ShardFindings(SHARD)
    there = [row(100, 0), letter(records[2], reason="transform-failed")]
    compare_shard(findings, seen, there, cutoff=RetentionCutoff(0))
    counts = findings.counts
    assert (counts.records, counts.rows, counts.dead_letters, counts.filtered, counts.missing) == (3, 1, 1, 1, 0)


def test_a_record_in_one_column_is_audited_as_its_value() -> None:
    whole = lines(content_column="RECORD_CONTENT", format={"type": "json"})
    (found,) = decoded_of(whole)("shardId-0")([StreamRecord(5, b'[1,\n {"a": 2}]')])
    assert (found.data, found.whole) == (b'{"RECORD_CONTENT":[1,{"a":2}]}', b'[1,\n {"a": 2}]')


@pytest.mark.parametrize(
    ("more", "data", "reason"),
    [
        ({"format": {"type": "json_lines"}}, b'{\n "a": 18\n}\n', "not-json"),
        ({"format": {"type": "json", "framing": "confluent"}}, b'{"a": 1}', "malformed"),
        ({"format": {"type": "csv", "columns": ["a", "b"]}}, b'{"a": 1}', "malformed"),
        ({"format": {"type": "cloudwatch_logs"}}, b'{"a": 1}', "not-packed"),
        ({"format": {"type": "json", "compression": "gzip"}}, b'{"a": 1}', "not-packed"),
        ({"format": {"type": "avro"}}, b'{"a": 1}', "malformed"),
        (
            {"format": {"type": "json"}, "transforms": [{"type": "extract", "field": "a"}]},
            b'{"a": 1}',
            "not-an-object",
        ),
    ],
)
def test_an_object_that_is_no_record_of_the_format_is_rightly_a_dead_letter(
    more: dict[str, Any], data: bytes, reason: str
) -> None:
    findings, record = ShardFindings(SHARD), StreamRecord(100, data, partition_key="key")
    compare_shard(
        findings,
        decoded_of(pipeline(**more))(SHARD)([record]),
        [letter(record, reason=reason)],
        cutoff=RetentionCutoff(0),
        check=ContentComparison("events", (), evolves=False),
    )
    assert findings.problems == []


def test_a_good_record_of_the_format_among_the_dead_letters_is_told() -> None:
    findings, record = ShardFindings(SHARD), StreamRecord(100, b'{"a": 1}', partition_key="key")
    compare_shard(
        findings,
        decoded_of(lines())(SHARD)([record]),
        [letter(record, reason="not-json")],
        cutoff=RetentionCutoff(0),
        check=ContentComparison("events", (), evolves=False),
    )
    assert [each.kind for each in findings.problems] == [ProblemKind.MISROUTED]
