"""What rows say of their records, and where."""

from typing import Any

import pytest

from .conftest import Problems

OFF = "so that nothing can prove that all are there; switch it on, or say audit: off if that is meant."


@pytest.mark.parametrize(
    ("metadata", "more", "what"),
    [
        ({"form": "none"}, {"columns": [{"name": "ID", "type": "VARCHAR"}]}, "form: none"),
        ({"shard_id": False}, {}, "shard_id off"),
        ({"form": "columns", "sequence_number": False}, {}, "sequence_number off"),
        ({"sub_sequence_number": False}, {}, "sub_sequence_number off"),
        ({"row": False}, {"format": {"type": "json_lines"}}, "row off"),
        ({"stream": False, "shard_id": False}, {"also_streams": "clicks-.*"}, "shard_id and stream off"),
    ],
)
def test_a_table_that_the_audit_cant_prove_is_meant(
    problems: Problems, pipeline: Any, metadata: dict[str, Any], more: dict[str, Any], what: str
) -> None:
    (problem,) = problems(pipelines=[pipeline(metadata=metadata, **more)])
    assert problem == f"pipelines[0].metadata: with {what}, rows don't say which record they are, {OFF}"
    assert problems(pipelines=[pipeline(metadata=metadata, audit=False, **more)]) == []


def test_nobody_says_without_need_that_a_table_is_not_audited(problems: Problems, pipeline: Any) -> None:
    whole = [{"stream": False, "row": False, "partition_key": False}, {"form": "columns"}, {"form": "variant"}]
    for metadata in whole:
        assert problems(pipelines=[pipeline(metadata=metadata)]) == []
        (problem,) = problems(pipelines=[pipeline(metadata=metadata, audit=False)])
        assert problem == "pipelines[0].audit: rows have their records' positions; remove it."
    alone = pipeline(metadata={"sub_sequence_number": False}, aggregation="off")
    assert problems(pipelines=[alone]) == []


def test_a_table_has_a_column(problems: Problems, pipeline: Any) -> None:
    (problem,) = problems(pipelines=[pipeline(metadata={"form": "none"}, audit=False)])
    assert problem.startswith("pipelines[0].columns: no table is made without a column")


def test_version_2_of_iceberg_has_no_variant(problems: Problems, pipeline: Any, snowflake: Any) -> None:
    iceberg = {"table_kind": "iceberg", "external_volume": "V", "iceberg_version": 2}
    volumes = snowflake(external_volumes=[{"name": "V"}])
    (problem,) = problems(snowflake=volumes, pipelines=[pipeline(metadata={"form": "variant"}, **iceberg)])
    assert problem == "pipelines[0].metadata.form: iceberg_version: 2 has no VARIANT; expected object or columns."
    assert problems(snowflake=volumes, pipelines=[pipeline(metadata={"form": "columns"}, **iceberg)]) == []
    structured = pipeline(metadata={"form": "columns"}, structured_metadata=True, **iceberg)
    (problem,) = problems(snowflake=volumes, pipelines=[structured])
    assert "structured_metadata: it is of metadata.form: object, not columns; remove it" in problem


def test_all_of_a_row_in_one_column_needs_no_other(problems: Problems, pipeline: Any, snowflake: Any) -> None:
    whole = {"metadata": {"form": "none"}, "audit": False, "content_column": "RECORD_CONTENT"}
    assert problems(pipelines=[pipeline(**whole)]) == []
    iceberg = {"table_kind": "iceberg", "external_volume": "V", "iceberg_version": 2}
    volumes = snowflake(external_volumes=[{"name": "V"}])
    (problem,) = problems(snowflake=volumes, pipelines=[pipeline(**whole, **iceberg)])
    assert problem.startswith("pipelines[0].content_column: iceberg_version: 2 has no VARIANT; declare the column, as")
    declared = [{"name": "RECORD_CONTENT", "type": "VARCHAR"}]
    assert problems(snowflake=volumes, pipelines=[pipeline(**whole, **iceberg, columns=declared)]) == []


def test_a_column_of_the_metadata_is_declared_by_nobody_else(problems: Problems, pipeline: Any) -> None:
    declared = [{"name": "kinesis_shard_id", "type": "VARCHAR"}]
    (problem,) = problems(pipelines=[pipeline(metadata={"form": "columns"}, columns=declared)])
    assert "is also a metadata column" in problem
    assert problems(pipelines=[pipeline(columns=declared)]) == []


def test_names_tell_the_parts_apart(problems: Problems, pipeline: Any) -> None:
    (problem,) = problems(pipelines=[pipeline(metadata={"names": {"shard_id": "Stream"}})])
    assert "names: stream and shard_id are both STREAM, and names match whatever their case" in problem
    (problem,) = problems(pipelines=[pipeline(metadata={"names": {"shard_id": "shard-id"}})])
    assert "names.shard_id: 'shard-id' is no Snowflake identifier" in problem


def test_two_pipelines_of_a_table_agree_about_its_columns(problems: Problems, pipeline: Any) -> None:
    def found(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
        shared = {"table": "T", "shares_table": True}
        pipelines = [pipeline(metadata=one, **shared), pipeline("more", metadata=other, **shared)]
        return problems(streams=[{"name": "orders"}, {"name": "more"}], pipelines=pipelines)

    columns = {"form": "columns"}
    assert found(columns, columns) == []
    (problem,) = found({"form": "variant"}, {})
    assert problem.startswith("pipelines[1].metadata.form: differs from pipelines[0]")
    (problem,) = found(columns, {**columns, "names": {"shard_id": "SHARD"}})
    assert problem.startswith("pipelines[1].metadata.names: differs from pipelines[0]")
