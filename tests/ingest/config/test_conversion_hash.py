"""What decides which rows a record becomes: an engine that runs on must find the hash that it left in the ledger."""

import json
from typing import Any

import pytest

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import PipelineConfig

SCHEMA = '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}'
REGISTRY = {"url": "https://registry", "timeout_seconds": 9}
EVERY: list[tuple[dict[str, Any], str]] = [
    ({}, "b53d365e02396423"),
    ({"format": {"type": "json"}}, "b53d365e02396423"),
    ({"format": {"type": "json", "compression": "gzip"}}, "4f8da972714ac1cd"),
    ({"format": {"type": "json", "framing": "confluent"}}, "7e216136b1817798"),
    ({"format": {"type": "json_lines"}}, "b5b278d9331759f7"),
    ({"format": {"type": "json_lines", "compression": "zstd"}}, "7e799036f45529c5"),
    ({"format": {"type": "text"}}, "e4b828f5f468d8c2"),
    ({"format": {"type": "text", "column": "line"}}, "50be553e6dae4ec2"),
    ({"format": {"type": "bytes"}}, "1858177a7840e330"),
    ({"format": {"type": "bytes", "column": "b", "encoding": "hex"}}, "991f40f1aa357bf7"),
    ({"format": {"type": "csv", "columns": ["a", "b"]}}, "327da568312293b4"),
    ({"format": {"type": "csv", "header": True, "delimiter": ";", "quote": None}}, "df9edc15a9d73d07"),
    ({"format": {"type": "cloudwatch_logs"}}, "5e4f22a35df57918"),
    ({"format": {"type": "avro"}}, "4bbbf76aba1f14f2"),
    ({"format": {"type": "avro", "framing": "single_object", "avro_schema": SCHEMA}}, "bb55dd7dd764a514"),
    ({"format": {"type": "avro", "framing": "confluent", "registry": REGISTRY}}, "ff7ee5705a44aeaf"),
    ({"format": {"type": "avro", "framing": "glue", "compression": "gzip"}}, "bdd186a16df5777e"),
    ({"transforms": [{"type": "hoist", "field": "C"}]}, "22481f1d6e55490c"),
    ({"transforms": [{"type": "extract", "field": "a.b", "missing": "filter"}]}, "e19115c72905d74c"),
    ({"transforms": [{"type": "insert", "field": "a", "value": None}]}, "353d26d15a8ecb91"),
    ({"transforms": [{"type": "insert", "field": "a", "value": {"b": [1.5]}}]}, "e0f91c0c090c1f51"),
    ({"transforms": [{"type": "insert", "field": "a", "metadata": "stream"}]}, "30d72f2ad0550f64"),
    ({"transforms": [{"type": "mask", "fields": ["a[].b"]}]}, "96ddb64a11ee3974"),
    ({"transforms": [{"type": "mask", "fields": ["a"], "hash": "sha256"}]}, "a59ac53a8ed80d1b"),
    ({"transforms": [{"type": "rename", "fields": {"a": "b"}}]}, "2eb59f760c906fbc"),
    ({"transforms": [{"type": "exclude", "fields": ["a"]}]}, "27f2bca1f6e7cdea"),
    ({"transforms": [{"type": "cast", "fields": {"a": "text"}}]}, "f9ca93c1cbf2d7fa"),
    ({"transforms": [{"type": "flatten"}]}, "e19582f4bd90ae31"),
    (
        {"transforms": [{"type": "timestamp", "fields": ["a"], "read": "seconds", "write": "yyyy-MM-dd"}]},
        "bb230a77435fe373",
    ),
    ({"transforms": [{"type": "filter", "field": "a", "one_of": [1, "x", None]}]}, "5619c1d5174cb529"),
    ({"transforms": [{"type": "callable", "callable": "acme.orders:f", "version": "1"}]}, "1c708814125a81a4"),
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


def test_all_transforms_together() -> None:
    together = [each for declared, _ in EVERY for each in declared.get("transforms", ())]
    assert pipeline(transforms=together).conversion_hash == "d5ac88ac2c710c6e"
