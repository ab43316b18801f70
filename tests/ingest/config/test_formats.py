"""The format of a pipeline's records, as a document says it."""

from typing import Any

import pytest

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.errors import ConfigError
from firnline_ingest.formats.json import JsonFormat
from firnline_ingest.formats.text import TextFormat


def pipeline(**more: Any) -> PipelineConfig:
    return parse(PipelineConfig, {"stream": "s", "database": "D", "schema": "R", **more}, "engine.json")


def test_records_are_json_where_nothing_is_said() -> None:
    assert pipeline().format == JsonFormat()
    assert pipeline(format={"type": "text"}).format == TextFormat(type="text")


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"type": "xml"}, "format.type: input should be one of 'json', 'json_lines', "),
        ({"column": "A"}, "format.type: is required"),
        ({"type": "cloudwatch_logs", "compression": "gzip"}, "format.compression: does not go with the type"),
        ({"type": "text", "colunm": "A"}, "format.colunm: unknown name; did you mean 'column'"),
        ({"type": "text", "column": 1}, "format.column: "),
        ({"type": "text", "column": "kinesisMetadata"}, "is the metadata column"),
        ({"type": "bytes", "column": '"KINESISMETADATA"'}, "is the metadata column"),
        ({"type": "csv", "columns": ["A", "kinesismetadata"]}, "is the metadata column"),
        ({"type": "avro", "framing": "none", "avro_schema": "[" * 100_000}, "nested too deeply"),
        ({"type": "avro", "framing": "none", "avro_schema": '"int"'}, "format.avro_schema: it must be an Avro record"),
        (
            {"type": "avro", "framing": "none", "avro_schema": '{"type": "record", "name": "R"}'},
            "it must be an Avro record",
        ),
        (
            {
                "type": "avro",
                "framing": "none",
                "avro_schema": '{"type": "record", "name": "R", "fields": [{"name": "a", "type": "inte"}]}',
            },
            "it is not a schema of Avro's: UnknownType: inte",
        ),
    ],
)
def test_what_is_wrong_with_a_format_is_said_at_its_place_in_the_document(section: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        pipeline(format=section)
    assert said in str(caught.value)


def test_the_format_decides_which_rows_a_record_becomes() -> None:
    assert pipeline(format={"type": "text"}).conversion_hash != pipeline().conversion_hash


def test_how_a_registry_is_reached_decides_no_row_and_which_one_it_is_does() -> None:
    def of(**registry: Any) -> str:
        registry = {"url": "https://registry", **registry}
        return pipeline(format={"type": "avro", "framing": "confluent", "registry": registry}).conversion_hash

    login = {"username_env": "U", "password_env": "P"}
    assert of() == of(login=login, ca_file="/ca.pem", timeout_seconds=9)
    assert of() != of(url="https://elsewhere")
    assert pipeline(format={"type": "json", "framing": "glue"}).conversion_hash != pipeline().conversion_hash


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (
            "poling",
            "reader: input should be 'polling', or a mapping with fan_out (got 'poling'); did you mean 'polling'?",
        ),
        ({"fanout": {}}, "reader.fanout: unknown name; did you mean 'fan_out'?"),
        ({"fan_out": None}, "reader.fan_out: is empty"),
    ],
)
def test_a_reader_is_told_of_as_what_it_was_meant_to_be(reader: object, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        pipeline(reader=reader)
    assert said in caught.value.problems
    assert not [each for each in caught.value.problems if "literal" in each or "FanOutReader" in each]
