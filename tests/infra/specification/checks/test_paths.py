"""The paths of a SELECT against the metadata and keys that rows have: one that is NULL in every row is named."""

from typing import Any

import pytest

from firnline_infra.specification.query_columns import columns_of_query
from firnline_ingest.config.pipe_select import paths_in
from firnline_ingest.config.query import PipelineQuery
from tests.infra.specifications import one_pipeline, problems


def told(*expressions: str, **changes: Any) -> str:
    select = ", ".join(["$1:KINESISMETADATA", *expressions])
    columns = [{"name": f"C{number}", "type": "VARCHAR"} for number, _ in enumerate(expressions)]
    given = {"schema_evolution": False, "columns": columns, "pipe": {"name": "P", "select": select}}
    return "\n".join(each for each in problems(**one_pipeline(**{**given, **changes})) if "is in no row" in each)


CSV: dict[str, Any] = {"format": {"type": "csv", "columns": ["id", "price"]}}
LOGS: dict[str, Any] = {"format": {"type": "cloudwatch_logs"}}


def after(*transforms: dict[str, Any]) -> dict[str, Any]:
    return {"transforms": list(transforms)}


def query(sql: str) -> dict[str, Any]:
    return {"query": {"schema": "id STRING", "sql": sql}}


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
        (
            "$1:record_content",
            {"content_column": "RECORD_CONTENT"},
            "keys keep their case, and it is called RECORD_CONTENT",
        ),
        ("$1:RECORD_METADATA.topic", {"metadata": {"form": "none"}}, "metadata.column says what a row has of that"),
        ("$1:RECORD_CONTENT", {}, "content_column says what a row has of that"),
        ("$1:id", {"content_column": "RECORD_CONTENT"}, "records are whole in RECORD_CONTENT"),
        (
            "$1:kinesismetadata.shardId",
            {},
            '$1:"kinesismetadata"."shardId" is in no row: keys keep their case, and it is ',
        ),
        ("$1:id", CSV, "keys keep their case, and it is called ID."),
        ("$1:nonsense", CSV, "format says which keys there are; expected one of: ID, PRICE."),
        ("$1:PRIC", CSV, "did you mean 'PRICE'?"),
        ("$1:record_content", {"format": {"type": "text"}}, "keys keep their case, and it is called RECORD_CONTENT."),
        ("$1:x", {"format": {"type": "bytes", "column": "B"}}, "expected one of: B."),
        ("$1:loggroup", LOGS, "it is called logGroup."),
        ("$1:logEvents", LOGS, "logEvents belongs to the envelope, and a row is one of its events."),
        ("$1:a", after({"type": "exclude", "fields": ["a", "b.c"]}), "transforms[0] excludes it."),
        ("$1:a.x", after({"type": "rename", "fields": {"a": "b"}}), "transforms[0] renames it, and it is called b."),
        ("$1:a.b", after({"type": "flatten"}), "transforms[0] flattens records, and it is called a_b."),
        (
            "$1:id",
            after({"type": "hoist", "field": "all"}),
            "transforms[0] says which keys there are; expected one of: all.",
        ),
        ("$1:Source", after({"type": "insert", "field": "source", "value": "x"}), "it is called source."),
        ("$1:ID", {**CSV, **after({"type": "rename", "fields": {"ID": "KEY"}})}, "renames it, and it is called KEY."),
        (
            "$1:C.a",
            {"content_column": "C", **after({"type": "exclude", "fields": ["a"]})},
            "transforms[0] excludes it.",
        ),
        (
            "$1:id",
            query("SELECT _position, id AS OID FROM rows"),
            "query.sql says which keys there are; expected one of: OID.",
        ),
        ("$1:price", query("SELECT * FROM rows"), "query.sql says which keys there are; expected one of: id."),
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


@pytest.mark.parametrize(
    ("expression", "changes"),
    [
        ("$1:ID", CSV),
        ("$1:id", {"format": {"type": "csv", "header": True}}),
        ("$1:logGroup", LOGS),
        ("$1:policyLevel", LOGS),
        ("$1:b", after({"type": "rename", "fields": {"a": "b"}})),
        ("$1:a", after({"type": "rename", "fields": {"a": "b", "b": "a"}})),
        ("$1:B", after({"type": "rename", "fields": {"a": "b"}})),
        ("$1:a", after({"type": "exclude", "fields": ["a"]}, {"type": "insert", "field": "a", "value": 1})),
        ("$1:a.b", after({"type": "exclude", "fields": ["a.c"]})),
        ("$1:a_b", after({"type": "exclude", "fields": ["a_b"]}, {"type": "flatten"})),
        ("$1:a.b", after({"type": "flatten"}, {"type": "insert", "field": "a.b", "value": 1})),
        ("$1:a.b", after({"type": "flatten"}, {"type": "cast", "fields": {"a": "json"}})),
        ("$1:x", after({"type": "hoist", "field": "a"}, {"type": "extract", "field": "a"})),
        ("$1:x", after({"type": "exclude", "fields": ["x"]}, {"type": "callable", "callable": "acme:changed"})),
        ("$1:ID", {**CSV, **after({"type": "mask", "fields": ["ID"]})}),
        ("$1:C.a", {"content_column": "C"}),
        ("$1:OID", query("SELECT _position, id AS OID FROM rows")),
        ("$1:anything", query("SELECT _position, upper(id) FROM rows")),
        ("$1:id", query("SELECT * FROM rows WHERE id <> 'x'")),
        ("$1:anything", {"query": {"schema": "id STRING", "function": "acme:large"}}),
    ],
)
def test_a_key_that_rows_may_have_is_taken(expression: str, changes: dict[str, Any]) -> None:
    assert told(expression, **changes) == ""


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        (
            "SELECT _position, order_id, amount, upper(c) AS country, date(placed) it FROM rows",
            "order_id amount country it",
        ),
        ("select *, `a b`.c AS `x y` from rows", "order_id amount x y"),
        ("SELECT _position, r.Order_ID FROM rows r", "Order_ID order_id"),
        ("SELECT _position, CASE WHEN amount > 0 THEN 1 END AS f, amount IS DISTINCT FROM 2 AS g FROM rows", "f g"),
        ("SELECT _position, amount + 1 FROM rows", None),
        ("SELECT _position, CASE WHEN amount > 0 THEN 1 END FROM rows", None),
        ("SELECT _position, NOT amount FROM rows", None),
        ("WITH x AS (SELECT * FROM rows) SELECT * FROM x", None),
        ("SELECT * FROM rows |> DROP amount", None),
        ("SELECT * EXCEPT (amount) FROM rows", None),
    ],
)
def test_the_columns_of_a_query_are_read_where_they_have_names(sql: str, columns: str | None) -> None:
    query = PipelineQuery.model_validate({"schema": "order_id STRING, amount DECIMAL(10, 2)", "sql": sql})
    expected = None if columns is None else set(columns.replace("x y", "x_y").split())
    found = columns_of_query(query)
    assert (found and {name.replace(" ", "_") for name in found}) == expected
