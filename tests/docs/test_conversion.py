"""The golden tables of docs/conversion.md, as far as the engine decides; contract tests ask the SDK and the server."""

import json
from pathlib import Path

import pytest

from firnline_ingest.identifiers import InvalidIdentifier, stored_name, table_name
from tests.ingest.formats.making import convert

from .conversion_page import lines

METADATA = {"metadata": {"form": "none"}}


def outcome(format_: dict[str, object], payload: bytes, **more: object) -> str:
    """The row, or what the page says of a record that is none."""
    made = convert(format_, payload, **METADATA, **more)
    if made.rejected:
        return f"dead letter `{made.rejected[0].reason}`"
    if made.left_out:
        return f"skipped, counted in `{next(iter(made.left_out))}`"
    (row,) = made.rows
    return bytes(row).decode()


@pytest.mark.parametrize("line", lines("schema"), ids=lambda line: "-".join(line[:2]))
def test_avro(line: tuple[str, ...]) -> None:
    kind, data, becomes, _ = line
    schema = {"type": "record", "name": "R", "fields": [{"name": "f", "type": json.loads(kind)}]}
    format_ = {"type": "avro", "framing": "none", "avro_schema": json.dumps(schema)}
    found = outcome(format_, bytes.fromhex(data))
    assert found == (becomes if becomes.startswith("dead") else f'{{"f":{becomes}}}')


@pytest.mark.parametrize(("record", "empty", "becomes", "_"), lines("a record of"))
def test_records_without_content(record: str, empty: str, becomes: str, _: str) -> None:
    payload = {"no byte": b"", "a blank": b" "}.get(record, record.encode())
    found = outcome({"type": "json"}, payload, empty_records=empty)
    assert found == {"a row of its metadata alone": "{}", "a row": record}.get(becomes, becomes)


@pytest.mark.parametrize(("stream", "table", "_"), lines("stream"))
def test_names_of_tables(stream: str, table: str, _: str) -> None:
    assert table_name(stream) == table


@pytest.mark.parametrize(("written", "name", "_"), lines("written"))
def test_names_as_they_are_written(written: str, name: str, _: str) -> None:
    if name == "refused":
        with pytest.raises(InvalidIdentifier):
            stored_name(written)
    else:
        assert stored_name(written) == name


def test_every_line_names_its_source() -> None:
    known = {line[0] for line in lines("source")}
    for first in ("in the record", "a record", "a record of", "schema", "stream", "written"):
        for line in lines(first):
            for source in line[-1].partition(":")[0].split(", "):
                assert source in known or (source[0] == "B" and f"| {source} |" in BELIEFS), line


BELIEFS = (Path(__file__).parents[2] / "docs" / "design" / "beliefs.md").read_text(encoding="utf-8")
