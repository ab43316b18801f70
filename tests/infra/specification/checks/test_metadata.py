"""Tests of what rows say of their records, and where."""

from typing import Any

import pytest

from tests.infra.specification.checks.tables import ICEBERG, VOLUME
from tests.infra.specifications import one_pipeline, pipeline, problems, told

OFF = "so that nothing can prove that all are there; switch it on, or set audit: false if that is meant."
VERSION_2 = {**ICEBERG, "iceberg_version": 2}


@pytest.mark.parametrize(
    ("metadata", "more", "what"),
    [
        ({"form": "none"}, {"columns": [{"name": "ID", "type": "VARCHAR"}]}, "form: none"),
        ({"shard_id": False}, {}, "shard_id off"),
        ({"form": "columns", "sequence_number": False}, {}, "sequence_number off"),
        ({"sub_sequence_number": False}, {}, "sub_sequence_number off"),
        ({"row": False}, {"format": {"type": "json_lines"}}, "row off"),
        ({"stream": False, "shard_id": False}, {"stream_pattern": "clicks-.*"}, "shard_id and stream off"),
    ],
)
def test_a_table_that_the_audit_cant_prove_is_meant(metadata: dict[str, Any], more: dict[str, Any], what: str) -> None:
    assert problems(**one_pipeline(metadata=metadata, **more)) == [
        f"pipelines[0].metadata: with {what}, rows don't say which record they are, {OFF}"
    ]
    assert problems(**one_pipeline(metadata=metadata, audit=False, **more)) == []


@pytest.mark.parametrize(
    "metadata", [{"stream": False, "row": False, "partition_key": False}, {"form": "columns"}, {"form": "variant"}]
)
def test_nobody_says_without_need_that_a_table_is_not_audited(metadata: dict[str, Any]) -> None:
    assert problems(**one_pipeline(metadata=metadata)) == []
    assert problems(**one_pipeline(metadata=metadata, audit=False)) == [
        "pipelines[0].audit: rows have their records' positions; remove it."
    ]


def test_a_record_that_is_no_aggregate_needs_no_number_within_one() -> None:
    assert problems(**one_pipeline(metadata={"sub_sequence_number": False}, aggregation="off")) == []


def test_a_table_has_a_column() -> None:
    expected = told("pipelines[0].columns: no table is created without a column…")
    assert problems(**one_pipeline(metadata={"form": "none"}, audit=False)) == expected


def test_version_2_of_iceberg_has_no_variant() -> None:
    assert problems(snowflake=VOLUME, **one_pipeline(metadata={"form": "variant"}, **VERSION_2)) == [
        "pipelines[0].metadata.form: iceberg_version: 2 has no VARIANT; expected object or columns."
    ]
    columns = {"metadata": {"form": "columns"}, **VERSION_2}
    assert problems(snowflake=VOLUME, **one_pipeline(**columns)) == []
    assert problems(snowflake=VOLUME, **one_pipeline(**columns, structured_metadata=True)) == told(
        "…structured_metadata: it belongs to metadata.form: object, not columns; remove it…"
    )


def test_all_of_a_row_in_one_column_needs_no_other() -> None:
    whole = {"metadata": {"form": "none"}, "audit": False, "content_column": "RECORD_CONTENT"}
    assert problems(**one_pipeline(**whole)) == []
    assert problems(snowflake=VOLUME, **one_pipeline(**whole, **VERSION_2)) == told(
        "pipelines[0].content_column: iceberg_version: 2 has no VARIANT; declare the column, as…"
    )
    declared = [{"name": "RECORD_CONTENT", "type": "VARCHAR"}]
    assert problems(snowflake=VOLUME, **one_pipeline(**whole, **VERSION_2, columns=declared)) == []


def test_a_column_of_the_metadata_is_declared_by_nobody_else() -> None:
    declared = [{"name": "kinesis_shard_id", "type": "VARCHAR"}]
    in_columns = one_pipeline(metadata={"form": "columns"}, columns=declared)
    assert problems(**in_columns) == told("…is also a metadata column…")
    assert problems(**one_pipeline(columns=declared)) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Stream", "names: stream and shard_id are both STREAM, and names match whatever their case"),
        ("shard-id", "names.shard_id: 'shard-id' is not a valid Snowflake identifier"),
    ],
)
def test_names_tell_the_parts_apart(name: str, expected: str) -> None:
    assert problems(**one_pipeline(metadata={"names": {"shard_id": name}})) == told(f"…{expected}…")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"form": "columns"}, {"form": "columns"}, []),
        ({"form": "variant"}, {}, ["pipelines[1].metadata.form: differs from pipelines[0]…"]),
        (
            {"form": "columns"},
            {"form": "columns", "names": {"shard_id": "SHARD"}},
            ["pipelines[1].metadata.names: differs from pipelines[0]…"],
        ),
    ],
)
def test_two_pipelines_of_a_table_agree_about_its_columns(
    one: dict[str, Any], other: dict[str, Any], expected: list[str]
) -> None:
    shared = {"table": "T", "shared_table": True}
    pipelines = [pipeline(metadata=one, **shared), pipeline("more", metadata=other, **shared)]
    assert problems(streams=[{"name": "orders"}, {"name": "more"}], pipelines=pipelines) == told(*expected)
