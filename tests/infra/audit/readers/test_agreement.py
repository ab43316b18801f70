"""The audit's readers and the engine's decoders, written apart: of any bytes both say the same, or one of them is wrong.

Records are samples of each format, cut, doubled, mixed and overwritten (tests/ingest/formats/fuzzing.py).
"""

import itertools
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firnline_infra.audit.json_values import equal, parse
from firnline_infra.audit.readers.aggregates import user_records
from firnline_infra.audit.readers.json_model import NotIngested, Unreadable
from firnline_infra.audit.readers.rows import UNREAD_RULES, ReadRow, RowReader
from firnline_ingest.config.document import parse as parse_document
from firnline_ingest.config.format import no_registry
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.hash_range import HashRange
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.records.rows import RowMaker
from tests.ingest.formats.fuzzing import SUBJECTS, mutations
from tests.ingest.formats.test_registered import Known
from tests.ingest.transforms.making import NO_METADATA
from tests.ingest.transforms.test_properties import PAYLOADS, TRANSFORMS

SHARD = "shardId-000000000000"
RECORDS = 400


def engines(maker: RowMaker, record: Record, metadata: str = "KINESISMETADATA") -> object:
    made = maker.convert([record])
    if made.rejected:
        return str(made.rejected[0].reason)
    if made.left_out:
        return next(iter(made.left_out)).value
    rows = [parse(bytes(row).decode()) for row in made.rows]
    return [{key: value for key, value in row.items() if key != metadata} for row in rows if isinstance(row, dict)]


def readers(reader: RowReader, record: Record) -> object:
    try:
        rows = reader.rows(record)
    except Unreadable as error:
        return error.reason
    except NotIngested as omitted:
        return omitted.why
    return rows


HASHED = ({"type": "hoist", "field": "a"}, {"type": "mask", "fields": ["a"], "hash": "sha256"})


def agree(engine: object, reader: object) -> bool:
    if isinstance(engine, str) and engine in UNREAD_RULES:
        return True  # the audit takes the engine's word
    if isinstance(engine, str) or isinstance(reader, str):
        return isinstance(engine, str) and isinstance(reader, str)
    assert isinstance(engine, list)
    assert isinstance(reader, list)
    return len(engine) == len(reader) and all(map(same_row, engine, reader))


def same_row(engine: dict[str, object], reader: ReadRow) -> bool:
    """But for what the readers don't say."""
    value = parse(reader.data.decode())
    assert isinstance(value, dict)
    keys = value.keys() | engine.keys()  # a key without a value is as good as none
    return all(key.upper() in reader.unknown or equal(value.get(key), engine.get(key)) for key in keys)


def whole(record: Record) -> tuple[object, ...]:
    more = (
        (record.ExplicitHashKey, record.fault and record.fault.problem)
        if isinstance(record, UserRecord)
        else (None, None)
    )
    return record.position, record.Data, record.PartitionKey, *more


@pytest.mark.parametrize("name", SUBJECTS)
def test_a_record_is_the_same_to_both(name: str) -> None:
    refuse_difference(name, RECORDS, 20261123)


def refuse_difference(name: str, records: int, seed: int) -> None:
    of = SUBJECTS[name]
    document = {"stream": "s", "database": "D", "schema": "R", "format": of.format, **of.options}
    pipeline = parse_document(PipelineConfig, document, "engine.json")
    maker, reader = RowMaker(pipeline, "s", SHARD, Known().of), RowReader(pipeline, "s", SHARD, Known().of)
    seen = Counter[str]()
    changed = mutations(of, random.Random(seed))
    for data in itertools.chain(of.samples, itertools.islice(changed, records)):
        record = Record("100", data, "key", 1.5)
        taken_apart = [each for piece in UserRecords(HashRange).pieces([record]) for each in piece]
        pieces = user_records(record, HashRange())
        assert list(map(whole, taken_apart)) == list(map(whole, pieces)), data
        for each in pieces:
            if each.fault is None:
                engine, found = engines(maker, each), readers(reader, each)
                assert agree(engine, found), (data, engine, found)
                seen["rows" if isinstance(engine, list) else "none"] += 1
    assert seen["rows"], seen


@example(payload=b"{}", transforms=[*HASHED, {"type": "cast", "fields": {"a": "integer"}}], whole=False)
@example(payload=b"{}", transforms=[*HASHED, {"type": "cast", "fields": {"a": "json"}}], whole=False)
@given(payload=PAYLOADS, transforms=st.lists(TRANSFORMS, max_size=4), whole=st.booleans())
def test_a_transformed_record_is_the_same_to_both(
    payload: bytes, transforms: list[dict[str, Any]], whole: bool
) -> None:
    document = {"stream": "s", "database": "D", "schema": "R", "transforms": transforms, "metadata": NO_METADATA}
    pipeline = parse_document(PipelineConfig, document | ({"content_column": "C"} if whole else {}), "engine.json")
    record = Record("100", payload, "key", 1.5)
    engine = engines(RowMaker(pipeline, "s", SHARD), record, metadata="no such key")
    found = readers(RowReader(pipeline, "s", SHARD, no_registry), record)
    assert agree(engine, found), (engine, found)
