"""Names in a configuration: what Snowflake would not take is refused when the configuration is read, with how to write it."""

from typing import Any

import pytest

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import PatternConfig, PipelineConfig
from firnline_ingest.errors import ConfigError


def pipeline(**more: Any) -> PipelineConfig:
    return parse(PipelineConfig, {"stream": "s", "database": "D", "schema": "R", **more}, "engine.json")


LONG = "x" * 256


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"database": "my db"}, "database: 'my db' is not a valid Snowflake identifier"),
        ({"schema": ""}, "schema: '' is not a valid Snowflake identifier: it is empty"),
        ({"table": "a.b"}, "table: 'a.b' is not a valid Snowflake identifier: it has a dot"),
        ({"pipe": '"x'}, "its double quotes don't pair"),
        ({"metadata": {"column": "my col"}}, "metadata.column: 'my col' is not a valid Snowflake identifier"),
        ({"metadata": {"column": "order"}}, "metadata.column: 'order' is a reserved word"),
        ({"metadata": {"form": "columns", "names": {"row": "row"}}}, "metadata: names.row: 'row' is a reserved word"),
        (
            {"metadata": {"names": {"row": "my row"}}},
            "metadata: names.row: 'my row' is not a valid Snowflake identifier",
        ),
        (
            {"content_column": "Select"},
            "content_column: 'Select' is a reserved word of Snowflake, and no column's name by itself",
        ),
        ({"format": {"type": "text", "column": "from"}}, "format.column: 'from' is a reserved word"),
        (
            {"transforms": [{"type": "hoist", "field": LONG}]},
            "transforms[0]: the key 'xxxxxxxxxxxxxxxxxxxx'… can't be a column",
        ),
        ({"transforms": [{"type": "hoist", "field": "a\0"}]}, "can't be a column, so no record would be a row"),
        ({"transforms": [{"type": "insert", "field": f"{LONG}.a", "value": 1}]}, "can't be a column"),
        ({"transforms": [{"type": "rename", "fields": {"a": LONG}}]}, "can't be a column"),
    ],
)
def test_a_name_that_snowflake_would_not_take_is_refused_where_it_stands(section: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        pipeline(**section)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "section",
    [
        {"database": '"my db"', "schema": '"a.b"', "table": '"x""y"', "pipe": '"p q"'},
        {"table": "order"},
        {"metadata": {"column": '"ORDER"'}},
        {"metadata": {"names": {"row": "row"}}},
        {"metadata": {"form": "columns", "names": {"row": '"ROW"'}}},
        {"format": {"type": "csv", "columns": ["order", "from"]}},
        {"transforms": [{"type": "rename", "fields": {"a.b": LONG}}]},
        {"transforms": [{"type": "hoist", "field": LONG}, {"type": "extract", "field": LONG}]},
        {"transforms": [{"type": "hoist", "field": LONG}], "content_column": "C"},
        {"transforms": [{"type": "hoist", "field": "x" * 255}]},
    ],
)
def test_what_it_would_take_is_not(section: dict[str, Any]) -> None:
    pipeline(**section)


def test_the_table_of_a_pattern_is_a_template() -> None:
    document = {"streams": "raw-(.*)", "database": "D", "schema": "R", "table": "RAW_{1}"}
    assert parse(PatternConfig, document, "engine.json").table == "RAW_{1}"
