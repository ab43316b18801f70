"""The column for all of a row's content has a type that takes what the format makes."""

from typing import Any

import pytest

from firnline_infra.blueprint.pipeline import table
from firnline_infra.specification.model import Durability
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.target_tables import TargetTable

INTERACTIVE = {"table_kind": "interactive", "cluster_by": ["ID"]}


def columns(**pipeline: Any) -> list[str]:
    document = {"stream": "s", "database": "D", "schema": "S", "metadata": {"form": "none"}, **pipeline}
    return [
        each.sql for each in table(TargetTable(Pipeline.model_validate(document)), Durability.PROTECTED, "").columns
    ]


@pytest.mark.parametrize(
    ("format_", "type_"),
    [
        ({"type": "json"}, "VARIANT"),
        ({"type": "csv", "header": True}, "VARIANT"),
        ({"type": "text"}, "VARCHAR"),
        ({"type": "bytes"}, "BINARY"),
        ({"type": "bytes", "encoding": "hex"}, "VARCHAR"),
    ],
)
def test_a_table_is_made_with_the_column(format_: dict[str, Any], type_: str) -> None:
    assert columns(format=format_, content_column="record_content") == [f'"RECORD_CONTENT" {type_}']
    declared = [{"name": "Record_Content", "type": "VARCHAR"}]
    assert columns(format=format_, content_column="record_content", columns=declared) == ['"RECORD_CONTENT" VARCHAR']
    assert columns(format=format_) == []


def test_a_table_that_is_made_with_a_select_takes_it_from_there() -> None:
    declared = [{"name": "ID", "type": "VARCHAR", "select": "$1:RECORD_CONTENT.id::VARCHAR"}]
    document = {"stream": "s", "database": "D", "schema": "S", "content_column": "RECORD_CONTENT", "columns": declared}
    made = table(TargetTable(Pipeline.model_validate({**document, **INTERACTIVE})), Durability.PROTECTED, "")
    assert (
        'SELECT $1:"KINESISMETADATA"::OBJECT, $1:"RECORD_CONTENT"::VARIANT, $1:RECORD_CONTENT.id::VARCHAR'
        in made.create
    )
