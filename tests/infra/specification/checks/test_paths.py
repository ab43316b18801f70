"""The paths of a SELECT against the metadata and keys that rows have: one that is NULL in every row is named."""

from typing import Any

import pytest

from firnline_ingest.config.pipe_select import paths_in
from tests.infra.specifications import one_pipeline, problems


def told(*expressions: str, **changes: Any) -> str:
    select = ", ".join(["$1:KINESISMETADATA", *expressions])
    columns = [{"name": f"C{number}", "type": "VARCHAR"} for number, _ in enumerate(expressions)]
    given = {"schema_evolution": False, "columns": columns, "pipe": {"name": "P", "select": select}}
    return "\n".join(each for each in problems(**one_pipeline(**{**given, **changes})) if "is in no row" in each)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("$1:a.b::VARCHAR", [("a", "b")]),
        ("CONCAT($1:a, ' $1:x ', r.$1['b c'])", [("a",), ("b c",)]),
        ('$1:"A.b"[0]."c"', [("A.b",)]),
        ("COALESCE($1:a.b, $1)", [("a", "b"), ()]),
        ("-- $1:no\n1", []),
    ],
)
def test_each_path_is_found_wherever_it_stands(text: str, paths: list[tuple[str, ...]]) -> None:
    assert list(paths_in(text)) == paths


@pytest.mark.parametrize(
    "expression",
    ["$1:id", "$1:KINESISMETADATA.shardId", "CONCAT($1:a, $1:b.c)", "$1", "$1:KINESISMETADATA['sequenceNumber']"],
)
def test_what_a_row_may_have_is_taken(expression: str) -> None:
    assert told(expression) == ""


@pytest.mark.parametrize(
    ("expression", "changes", "said"),
    [
        ("$1:KINESISMETADATA.topic", {}, "the metadata has no topic"),
        ("$1:KINESISMETADATA.shardid", {}, "the metadata has no shardid; did you mean 'shardId'?"),
        (
            "CONCAT($1:KINESISMETADATA.partitionKey, 'x')",
            {"metadata": {"partition_key": False}},
            "metadata.partition_key is off",
        ),
        ("$1:KINESISMETADATA.row", {}, "rows of this format have no number"),
        ("$1:record_content", {"content_column": "RECORD_CONTENT"}, "records are whole in RECORD_CONTENT"),
        ("$1:RECORD_METADATA.topic", {"metadata": {"form": "none"}}, "metadata.column says what a row has of that"),
        ("$1:RECORD_CONTENT", {}, "content_column says what a row has of that"),
        ("$1:id", {"content_column": "RECORD_CONTENT"}, "records are whole in RECORD_CONTENT"),
    ],
)
def test_what_no_row_has_is_named(expression: str, changes: dict[str, Any], said: str) -> None:
    assert said in told(expression, **changes)


def test_the_select_of_a_column_is_held_against_the_same() -> None:
    columns = [{"name": "A", "type": "VARCHAR", "select": "$1:KINESISMETADATA.topic::VARCHAR"}]
    changes = {"table_kind": "interactive", "columns": columns, "cluster_by": ["A"], "audit": False}
    found = "\n".join(problems(**one_pipeline(**changes)))
    assert "pipelines[0].columns[0].select: $1:" in found
    assert "the metadata has no topic" in found
