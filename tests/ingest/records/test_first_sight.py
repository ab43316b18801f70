"""The record that brought a key first: found exactly, told once, whatever the format."""

from typing import Any

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.key_shape import MOST_NAMES
from firnline_ingest.records.rows import RowMaker


def maker(**more: Any) -> RowMaker:
    document = {"stream": "orders", "database": "DB", "schema": "RAW", **more}
    return RowMaker(PipelineConfig.model_validate(document), "orders", "shardId-000000000000")


def sights(made: RowMaker, *payloads: bytes) -> dict[str, tuple[int, str]]:
    records = [Record(SequenceNumber=str(n), Data=each, PartitionKey="k") for n, each in enumerate(payloads)]
    return {
        key: (index, kind.value) for key, (index, kind) in made.first_sights(records, made.convert(records)).items()
    }


def test_each_key_is_told_once_with_the_first_record_that_has_it() -> None:
    made = maker()
    first = sights(made, b'{"a":1}', b'{"a":2}', b'{"b":"x","a":null}', b'{"b":[]}')
    assert first == {"a": (0, "integer"), "b": (2, "text")}
    assert sights(made, b'{"a":1}', b'{"b":1}', b'{"a":1,"b":1}') == {}
    assert sights(made, b'{"a":1}', b'{"a":1,"c":{"d":1}}') == {"c": (1, "object")}


def test_a_key_is_found_though_other_keys_are_expected_by_now() -> None:
    made = maker()
    assert sights(made, *[b'{"a":1}'] * 50) == {"a": (0, "integer")}
    assert sights(made, *[b'{"a":1}'] * 50, b'{"a":1,"late":true}', *[b'{"a":1}'] * 50) == {"late": (50, "boolean")}


def test_what_is_no_row_brings_no_key() -> None:
    made = maker(max_row_bytes=1024)
    too_large = b'{"big":"%b"}' % (b"x" * 2000)
    assert sights(made, b"no", b'{"KinesisMetadata":1}', too_large, b'{"a":1}') == {"a": (3, "integer")}


@pytest.mark.parametrize(
    ("format_", "payload"),
    [({"type": "json_lines"}, b'{"a":1}\n{"b":2}'), ({"type": "csv", "header": True}, b"a,b\n1,2\n")],
)
def test_rows_of_every_format_bring_their_keys(format_: dict[str, Any], payload: bytes) -> None:
    assert {key: index for key, (index, _) in sights(maker(format=format_), payload).items()} == {"a": 0, "b": 0}


def test_a_stream_whose_keys_are_data_is_told_in_bounds() -> None:
    made, told = maker(), 0
    for page in range(5):
        told += len(sights(made, *[b'{"k%d_%d":1}' % (page, n) for n in range(100)]))
    assert told == MOST_NAMES
