"""User records of aggregates, as the audit counts them: the stream's side, its rows, and what is rightly no row."""

import pytest

from firnline_infra.audit.comparison import compare_shard
from firnline_infra.audit.content_check import ContentComparison, RowContent, digest_of
from firnline_infra.audit.conversion import user_records_of
from firnline_infra.audit.errors import NotAuditable
from firnline_infra.audit.findings import Counts, ProblemKind, ShardFindings
from firnline_infra.audit.outcome import AuditOutcome, LetterContent, RecordPlace
from firnline_infra.audit.window import AuditWindow, RetentionCutoff
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.hash_range import HashRange
from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.page import Record
from tests.fakes.kpl_packing import KPL_PARTITION_KEY, Packed, pack

from .configured import pipeline

SHARD = "shardId-000000000000"
LOWER = 1 << 126
"""The shard's last hash key."""


def packed(*hash_keys: int) -> bytes:
    return pack(Packed(b'{"n":%d}' % n, "k", str(key)) for n, key in enumerate(hash_keys))


STREAM = [Record("5", b'{"n":0}', "k", 1.0), Record("6", packed(1, 2, LOWER + 1), KPL_PARTITION_KEY, 1.0)]


def audit(outcomes: list[AuditOutcome], config: PipelineConfig | None = None) -> ShardFindings:
    lineage = Lineage("orders", 1, 24, {SHARD: ListedShard(SHARD, hash_range=HashRange(0, LOWER))})
    findings = ShardFindings(SHARD)
    records = AuditWindow(None, 10_000).records(user_records_of(config or pipeline(), lineage, SHARD, STREAM))
    check = ContentComparison("orders", (), evolves=False)
    compare_shard(findings, records, outcomes, cutoff=RetentionCutoff(0), check=check)
    return findings


def row(number: int, sub: int = 0) -> AuditOutcome:
    return AuditOutcome(number, sub, RecordPlace.TABLE, 1000, RowContent({}, ()))


def letter(number: int, sub: int, data: bytes, reason: str = "misplaced") -> AuditOutcome:
    return AuditOutcome(number, sub, RecordPlace.DEAD_LETTERS, 1000, LetterContent(digest_of(data), reason))


def told(findings: ShardFindings) -> list[tuple[ProblemKind, str]]:
    return [(each.kind, each.position) for each in findings.problems]


def test_each_user_record_has_its_row_or_its_letter() -> None:
    findings = audit([row(5), row(6), row(6, 1), letter(6, 2, b'{"n":2}')])
    assert not findings.problems
    assert (findings.counts.records, findings.counts.rows, findings.counts.dead_letters) == (4, 3, 1)


def test_a_user_record_that_is_nowhere_is_missing_by_its_own_place() -> None:
    findings = audit([row(5), row(6), letter(6, 2, b'{"n":2}')])
    assert findings.counts.missing == 1
    assert told(findings) == [(ProblemKind.MISSING, "6.1")]


def test_a_user_record_that_is_there_twice_is_doubled_and_one_too_many_is_foreign() -> None:
    counts = audit([row(5), row(6), row(6), row(6, 1), letter(6, 2, b'{"n":2}'), row(6, 3)]).counts
    assert (counts.doubled, counts.unexpected, counts.missing) == (1, 1, 0)


@pytest.mark.parametrize(
    ("second", "third", "position"),
    [
        pytest.param(row(6, 1), row(6, 2), "6.2", id="a row of a record that belongs to another shard"),
        pytest.param(
            letter(6, 1, b'{"n":1}'), letter(6, 2, b'{"n":2}'), "6.1", id="a letter of a record in its own shard"
        ),
    ],
)
def test_what_is_in_the_wrong_place_is_misrouted(second: AuditOutcome, third: AuditOutcome, position: str) -> None:
    assert told(audit([row(5), row(6), second, third])) == [(ProblemKind.MISROUTED, position)]


def test_switched_off_an_aggregate_is_one_record() -> None:
    findings = audit([row(5), letter(6, 0, STREAM[1].Data, "not-json")], pipeline(aggregation="off"))
    assert findings.counts == Counts(records=2, rows=1, dead_letters=1, values_without_column=1)


def test_rows_that_do_not_say_their_place_in_an_aggregate_are_not_auditable() -> None:
    with pytest.raises(NotAuditable, match="sub_sequence_number"):
        audit([row(5)], pipeline(metadata={"sub_sequence_number": False}))
