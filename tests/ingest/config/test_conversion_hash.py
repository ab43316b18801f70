"""Tests of what decides which rows a record becomes: an engine that runs on must find the hash that it left in the ledger."""

import json
from typing import Any

import pytest

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.pipeline import CONVERSION_VERSION

SCHEMA = '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}'
REGISTRY = {"url": "https://registry", "timeout_seconds": 9}
EVERY: list[tuple[dict[str, Any], str]] = [
    ({}, "dd8d739f68f01b4d"),
    ({"format": {"type": "json"}}, "dd8d739f68f01b4d"),
    ({"format": {"type": "json", "compression": "gzip"}}, "6877b177051e7ae5"),
    ({"format": {"type": "json", "framing": "confluent"}}, "64d68f3f01917843"),
    ({"format": {"type": "json_lines"}}, "c7cfda19f018cded"),
    ({"format": {"type": "json_lines", "compression": "zstd"}}, "e6904342ed0c2030"),
    ({"format": {"type": "text"}}, "42b087fd864ae26f"),
    ({"format": {"type": "text", "column": "line"}}, "10b4f087563b712a"),
    ({"format": {"type": "bytes"}}, "335e75a62847bd83"),
    ({"format": {"type": "bytes", "column": "b", "encoding": "hex"}}, "293ff859a6965c53"),
    ({"format": {"type": "csv", "columns": ["a", "b"]}}, "3df5c353b9593a86"),
    ({"format": {"type": "csv", "header": True, "delimiter": ";", "quote": None}}, "3b3769ba40806d0c"),
    ({"format": {"type": "cloudwatch_logs"}}, "8772f404343c8936"),
    ({"format": {"type": "avro"}}, "d17fc68f1075e440"),
    ({"format": {"type": "avro", "framing": "single_object", "avro_schema": SCHEMA}}, "753043188ecd250e"),
    ({"format": {"type": "avro", "framing": "confluent", "registry": REGISTRY}}, "016166b00e28406e"),
    ({"format": {"type": "avro", "framing": "glue", "compression": "gzip"}}, "cbcdcc31d799d300"),
    ({"format": {"type": "protobuf", "framing": "confluent", "registry": REGISTRY}}, "a406f499f1b30993"),
    ({"format": {"type": "protobuf", "framing": "glue", "ignores_unknown_fields": True}}, "50447a1640c29f85"),
    ({"format": {"type": "json", "framing": "glue", "types_from_glue": True}}, "4936e834efa1c4fa"),
    ({"format": {"type": "json", "framing": "glue"}}, "4936e834efa1c4fa"),
    ({"transforms": [{"type": "hoist", "field": "C"}]}, "d9842d75b44dfb2c"),
    ({"transforms": [{"type": "extract", "field": "a.b", "missing": "filter"}]}, "6dc7e8ec4618a414"),
    ({"transforms": [{"type": "insert", "field": "a", "value": None}]}, "c62020cf7b6cdf90"),
    ({"transforms": [{"type": "insert", "field": "a", "value": {"b": [1.5]}}]}, "d19254863f64a4bf"),
    ({"transforms": [{"type": "insert", "field": "a", "metadata": "stream"}]}, "23e30f30d6bdbe6b"),
    ({"transforms": [{"type": "mask", "fields": ["a[].b"]}]}, "0e714a6e8f849dfd"),
    ({"transforms": [{"type": "mask", "fields": ["a"], "hash": "sha256"}]}, "8b0eb8fa223709f1"),
    ({"transforms": [{"type": "rename", "fields": {"a": "b"}}]}, "20498be557e01ad1"),
    ({"transforms": [{"type": "exclude", "fields": ["a"]}]}, "261b8b4ea652f85e"),
    ({"transforms": [{"type": "cast", "fields": {"a": "text"}}]}, "4594d433cf5bb264"),
    ({"transforms": [{"type": "flatten"}]}, "d6749e88d0273f5e"),
    (
        {"transforms": [{"type": "timestamp", "fields": ["a"], "read": "seconds", "write": "yyyy-MM-dd"}]},
        "8420402135407019",
    ),
    ({"transforms": [{"type": "filter", "field": "a", "one_of": [1, "x", None]}]}, "44acd2f5583a44e7"),
    ({"transforms": [{"type": "callable", "callable": "acme.orders:f", "version": "1"}]}, "574e1ffe821d5851"),
]


def pipeline(**declared: Any) -> PipelineConfig:
    return parse(PipelineConfig, {"stream": "s", "database": "D", "schema": "R", **declared}, "engine.json")


@pytest.mark.parametrize(("declared", "expected"), EVERY, ids=[json.dumps(each) for each, _ in EVERY])
def test_a_configuration_has_the_hash_that_it_always_had(declared: dict[str, Any], expected: str) -> None:
    """Also after the way to a task. A line that changes here makes every running engine count its rows in flight anew."""
    before = pipeline(**declared)
    after = parse(PipelineConfig, json.loads(before.model_dump_json(by_alias=True)), "engine.json")
    assert (before.conversion_hash, after.conversion_hash) == (expected, expected)
    assert after == before


@pytest.mark.parametrize(
    "declared", [{}, {"format": {"type": "csv", "header": True}}, {"transforms": [{"type": "flatten"}]}]
)
def test_the_version_of_the_conversion_decides(declared: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    before = pipeline(**declared).conversion_hash
    monkeypatch.setattr("firnline_ingest.config.pipeline.CONVERSION_VERSION", CONVERSION_VERSION + 1)
    assert pipeline(**declared).conversion_hash != before


def test_all_transforms_together() -> None:
    together = [each for declared, _ in EVERY for each in declared.get("transforms", ())]
    assert pipeline(transforms=together).conversion_hash == "1b73b3a065a3fe9a"
