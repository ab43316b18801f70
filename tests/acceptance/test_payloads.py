"""Tests of what scripts/acceptance puts is what it says: each payload is a row, or is refused for its reason, by the
engine's decoders.
"""

import json
from uuid import UUID

import pytest

from firnline_ingest.config.document import parse
from firnline_ingest.config.format import Format, RegisteredSchema, Schemas
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.hash_range import HashRange
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.records.rows import RowMaker, Rows
from tests.acceptance.orders import PROTO, SCHEMA
from tests.acceptance.payloads import SECOND_SHARD, Put, Registries, Sort, sorts

GLUE = UUID("b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63")
GLUE_PROTO = UUID("0a9a3b6e-5b1d-4a4e-9a52-5c8c2f0f0001")
SORTS = sorts(
    Registries("https://registry.example.com", known=7, no_record=8, glue=GLUE, message=9, glue_message=GLUE_PROTO)
)
KNOWN: dict[int | UUID, RegisteredSchema] = {
    7: RegisteredSchema(json.dumps(SCHEMA)),
    8: RegisteredSchema('{"type": "string"}'),
    9: RegisteredSchema(PROTO, "PROTOBUF"),
    GLUE: RegisteredSchema(json.dumps(SCHEMA)),
    GLUE_PROTO: RegisteredSchema(PROTO, "PROTOBUF"),
}


class Known:
    def __call__(self, schema_id: int | UUID) -> RegisteredSchema | None:
        return KNOWN.get(schema_id)

    def of(self, of: Format) -> Schemas:
        return self


def made(of: Sort, put: Put) -> Rows:
    document = {"stream": "s", "database": "D", "schema": "R", **of.options}
    pipeline = parse(PipelineConfig, document, "engine.json")
    half = 2**127
    own = HashRange(half, 2 * half - 1) if put.hash_key == SECOND_SHARD else HashRange(0, half - 1)
    taken_apart = UserRecords(lambda: own).pieces([Record("100", put.data, put.key or "key", 1.5)])
    (records,) = taken_apart
    return RowMaker(pipeline, "s", "shardId-000000000000", Known().of).convert(records)


@pytest.mark.parametrize("name", SORTS)
def test_each_payload_is_what_it_stands_for(name: str) -> None:
    of = SORTS[name]
    for n in range(4):
        good = made(of, of.good(n))
        assert (len(list(good.rows)), list(good.rejected)) == (of.rows, [])
    refused = {what: [each.reason for each in made(of, bad.put).rejected] for what, bad in of.bad.items()}
    assert refused == {what: [bad.why] for what, bad in of.bad.items()}
    for why, put in of.left_out.items():
        assert made(of, put).left_out == {why: 1}
    if of.empty is not None:
        assert len(list(made(of, of.empty).rows)) == 1


def test_every_reason_is_among_them_but_those_that_only_tables_routes_and_transforms_know() -> None:
    there = {bad.why for of in SORTS.values() for bad in of.bad.values()}
    assert set(RejectReason) - there == {RejectReason.REFUSED, RejectReason.TRANSFORM_FAILED, RejectReason.NO_ROUTE}
