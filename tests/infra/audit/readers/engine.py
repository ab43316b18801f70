"""Rows that the engine makes of records, as the audit finds it in a table of VARIANT columns; and the audit of it."""

import json
from collections.abc import Sequence
from typing import Any

from firnline_infra.audit.columns import AuditedColumn
from firnline_infra.audit.comparison import compare_shard, position_of
from firnline_infra.audit.content_check import ContentComparison, RowContent, digest_of
from firnline_infra.audit.conversion import decoded_of, not_ingested_of, user_records_of
from firnline_infra.audit.findings import ShardFindings
from firnline_infra.audit.outcome import AuditOutcome, LetterContent, RecordPlace
from firnline_infra.audit.window import AuditWindow, RetentionCutoff
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.hash_range import HashRange
from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker
from tests.infra.audit.configured import config_of, pipeline
from tests.ingest.formats.test_registered import Known

STREAM, SHARD, METADATA = "s", "shardId-000000000000", "KINESISMETADATA"


def pipeline_of(format_: dict[str, Any], **more: Any) -> PipelineConfig:
    return pipeline(stream=STREAM, format=format_, **more)


def records_of(*payloads: bytes) -> list[Record]:
    return [Record(str(100 + number), data, "key", 1.5) for number, data in enumerate(payloads)]


def by_engine(of: PipelineConfig, records: Sequence[Record]) -> list[AuditOutcome]:
    """Rows with their values by columns, and dead letters where they are kept."""
    maker = RowMaker(of, STREAM, SHARD, Known().of)
    found: list[AuditOutcome] = []
    for each in (each for piece in UserRecords(HashRange).pieces(records) for each in piece):
        made = maker.convert([each])
        found += [_row(json.loads(bytes(row)), bytes(row)) for row in made.rows]
        for rejected in made.rejected if of.on_error == "dead_letter" else ():
            content, place = LetterContent(digest_of(each.Data), str(rejected.reason)), each.position
            number, within = place.sequence_number, place.sub_sequence_number
            found.append(AuditOutcome(number, within, RecordPlace.DEAD_LETTERS, 1500, content))
    return found


def _row(row: dict[str, Any], written: bytes) -> AuditOutcome:
    metadata = row.pop(METADATA)
    place = int(metadata["sequenceNumber"]), metadata["subSequenceNumber"], RecordPlace.TABLE
    return AuditOutcome(*place, 1500, (metadata, row, written), metadata.get("row", 0))


def audited(of: PipelineConfig, records: Sequence[Record], outcomes: Sequence[AuditOutcome]) -> ShardFindings:
    """With the values compared. Every column of a row is a VARIANT, whose text is the value as it was sent."""
    keys = sorted({key for each in outcomes if isinstance(each.content, tuple) for key in _values(each)})
    columns = [AuditedColumn(key, "VARIANT") for key in keys]
    kept = [each._replace(content=_content(each, keys)) for each in outcomes]
    config = config_of(of)
    lineage = Lineage(STREAM, 1, 24, {SHARD: ListedShard(SHARD)})
    taken_apart = user_records_of(of, lineage, SHARD, records)
    findings = ShardFindings(SHARD)
    compare_shard(
        findings,
        decoded_of(of, Known().of)(SHARD)(AuditWindow(None, 10_000).records(taken_apart, SHARD)),
        sorted(kept, key=position_of),
        cutoff=RetentionCutoff(0),
        check=ContentComparison(STREAM, columns, evolves=True, is_transformed=bool(of.transforms)),
        not_ingested=not_ingested_of(config, of, Known().of)(SHARD),
    )
    return findings


def _values(outcome: AuditOutcome) -> dict[str, Any]:
    content = outcome.content
    return content[1] if isinstance(content, tuple) and len(content) == 3 else {}


def _content(outcome: AuditOutcome, keys: Sequence[str]) -> object:
    if isinstance(outcome.content, LetterContent):
        return outcome.content
    assert isinstance(outcome.content, tuple), "a row"
    metadata, _, written = outcome.content
    texts = _texts(written)
    return RowContent({METADATA: json.dumps(metadata)}, [texts.get(key) for key in keys])


def _texts(written: bytes) -> dict[str, str]:
    """The text of each key's own value, as a VARIANT keeps it."""
    import msgspec

    raw = msgspec.json.decode(written, type=dict[str, msgspec.Raw])
    return {key: bytes(value).decode() for key, value in raw.items() if bytes(value) != b"null"}
