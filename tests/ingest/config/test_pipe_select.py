"""Tests of what a pipe's statement says of a record, as Snowflake's own pages write such statements."""

import contextlib
import random

import pytest

from firnline_ingest.config.pipe_select import PipeDefinition, UnreadableSelect, lost_position, selected
from firnline_ingest.config.rows import Metadata

STREAM = "FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING'))"


@pytest.mark.parametrize(
    ("text", "paths", "aliases"),
    [
        ("$1:order_id::STRING, $1:customer_name", [("order_id",), ("customer_name",)], ["", ""]),
        ("$1['has cat'] AS has_cat, $1[' @&$#* has Łułósżź'] weird", [("has cat",), (" @&$#* has Łułósżź",)],
         ["HAS_CAT", "WEIRD"]),
        ("$1:RECORD_METADATA.topic::STRING AS topic", [("RECORD_METADATA", "topic")], ["TOPIC"]),
        ('$1:"a.b".c::NUMBER(18, 0) AS "a b", $1', [("a.b", "c"), ()], ["a b", ""]),
        ("s.$1:parent['child field']::VARIANT", [("parent", "child field")], [""]),
        ("CONCAT($1['order_total']::STRING, ' USD') AS order_total, $1:n + 1", [None, None], ["ORDER_TOTAL", ""]),
        ("$1:m::OBJECT(a VARCHAR, b NUMBER NOT NULL) AS M", [("m",)], ["M"]),
        ("$1:a -- not this, one\n, /* nor, this */ $1:b::STRING", [("a",), ("b",)], ["", ""]),
        ("$1:from, $1:a.select, $1:a IS DISTINCT FROM $1:b, EXTRACT(YEAR FROM $1:t), (SELECT 1) -- closed\n",
         [("from",), ("a", "select"), None, None, None], ["", "", "", "", ""]),
        ("'it''s, one' AS T, $1:tags[0]::VARCHAR", [None, None], ["T", ""]),
    ],
)  # fmt: skip # a paragraph, not a column
def test_a_select_names_paths_into_the_record(text: str, paths: list[object], aliases: list[str]) -> None:
    found = selected(text)
    assert [each.path for each in found] == paths
    assert [each.alias for each in found] == aliases


@pytest.mark.parametrize(
    "text", ["$1:a, ", "f($1:a", "$1:a)", "'open", "", "$1:a, , $1:b", '$1:"open', "$1:a AS größe", "(a]", "$1:a -- last",
     "$1:a, $1:b // last", "$1:a;", "$1:a FROM other", "$1:a, $1:b from other where 1 = 1", "$1:a /* open", "SELECT $1:a"]
)  # fmt: skip # a paragraph, not a column
def test_what_is_no_list_of_expressions_is_told(text: str) -> None:
    with pytest.raises(UnreadableSelect):
        selected(text)


@pytest.mark.parametrize(
    ("behind", "beyond"),
    [
        ("", ""),
        (" s", ""),
        (" AS s", ""),
        (' AS "where"', ""),
        (" WHERE $1:region = 'EU'", "WHERE $1 : region = 'EU'"),
        (" s LEFT OUTER JOIN dim d ON s.$1:k = d.k", "LEFT OUTER JOIN dim d ON s . $1 : k = d . k"),
        (", LATERAL FLATTEN(INPUT => $1:items) f", ", LATERAL FLATTEN ( INPUT => $1 : items ) f"),
    ],
)
def test_what_stands_behind_the_source_of_a_select_is_told(behind: str, beyond: str) -> None:
    found = PipeDefinition.read(f"COPY INTO t FROM (SELECT $1:a {STREAM}{behind})")
    assert found is not None
    assert (found.beyond, found.is_streaming, len(found.selected or ())) == (beyond, True, 1)
    of_files = PipeDefinition.read("COPY INTO t FROM (SELECT $1:a FROM @stage WHERE $1:a > 1)")
    assert of_files is not None
    assert not of_files.is_streaming


def test_a_definition_matches_by_name_or_selects_or_reads_files() -> None:
    by_name = PipeDefinition.read(f'copy into "D"."S"."T" {STREAM} MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE')
    assert by_name == PipeDefinition(("D", "S", "T"))
    listed = PipeDefinition.read(f'COPY INTO t (b, "a b") FROM (SELECT $1:x, $1:y {STREAM})')
    assert listed.columns == ("B", "a b")
    assert [each.path for each in listed.selected or ()] == [("x",), ("y",)]
    files = PipeDefinition.read("COPY INTO t FROM @stage/path FILE_FORMAT = (TYPE = JSON)")
    assert files == PipeDefinition(("T",), is_streaming=False)
    of_files = PipeDefinition.read("COPY INTO t FROM (SELECT $1:a FROM @stage)")
    assert not of_files.is_streaming
    for unknown in ("", "COPY INTO …", "INSERT INTO t SELECT 1"):
        assert PipeDefinition.read(unknown) is None


@pytest.mark.parametrize(
    ("select", "options", "lost"),
    [
        ("$1:KINESISMETADATA, $1:a", {}, []),
        ("$1:KINESISMETADATA::OBJECT AS M, $1:a", {}, []),
        ("$1:a, $1:KINESISMETADATA", {}, ["KINESISMETADATA"]),  # into the other column
        ("$1:kinesisMetadata, $1:a", {}, ["KINESISMETADATA"]),  # keys of a path have a case
        ("$1:a, $1:b", {"form": "none"}, []),
        ("$1:a, $1:b", {}, ["KINESISMETADATA"]),
        ("$1:KINESIS_SHARD_ID, $1:a", {"form": "columns"}, ["KINESIS_SEQUENCE_NUMBER", "KINESIS_SUB_SEQUENCE_NUMBER"]),
        ("$1:META, $1:a", {"column": "meta", "form": "variant"}, ["META"]),
    ],
)
def test_a_select_keeps_the_place_of_a_record_or_loses_it(
    select: str, options: dict[str, object], lost: list[str]
) -> None:
    metadata = Metadata.model_validate(options)
    columns = ["KINESIS_SHARD_ID" if metadata.form == "columns" else "KINESISMETADATA", "A"]
    assert lost_position(selected(select), columns, metadata, are_numbered=False) == lost
    assert lost_position(None, columns, metadata, are_numbered=False) == []


def test_no_text_breaks_the_reading() -> None:
    """Whatever stands in a definition: it is understood, or it is not."""
    words = [
        "$1",
        ":",
        "a",
        '"b"',
        "'c'",
        "(",
        ")",
        "[",
        "]",
        ",",
        "::",
        "AS",
        "SELECT",
        "FROM",
        "COPY",
        "INTO",
        ".",
        "é",
    ]
    dice = random.Random(4)
    for _ in range(3000):
        text = " ".join(dice.choices(words, k=dice.randrange(12)))
        with contextlib.suppress(UnreadableSelect):
            assert len(selected(text)) >= 1
        PipeDefinition.read(f"COPY INTO t FROM ({text}")
        PipeDefinition.read(f"COPY INTO {text}")
