"""One stream into several tables: what a specification may say of it, and what is told where it can't be."""

from datetime import date
from typing import Any

import pytest

from tests.infra.specification.checks.tables import COLUMNS, FAST
from tests.infra.specifications import one_pipeline, pipeline, problems, smallest, told

ORDERS, REFUNDS = {"table": "PLACED", "values": ["order", "again"]}, {"table": "REFUNDS", "values": ["refund"]}
X = {"table": "X", "values": ["x"]}
AT = "pipelines[0].routes.tables"
NEEDS_VOLUME = "pipelines[0]: routes.tables[0] (X): give external_volume with table_kind: iceberg, and only then…"
KEPT = {"name": "P", "select": "$1:KINESISMETADATA"}


def routes(*tables: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"key": "kind", "tables": list(tables or (ORDERS, REFUNDS)), **changes}


def routed(*tables: dict[str, Any], **changes: Any) -> list[str]:
    """Returns what is wrong with one pipeline that has these routes."""
    return problems(**one_pipeline(routes=routes(*tables), **changes))


def test_each_route_says_its_table_and_its_values() -> None:
    assert routed() == []
    quoted = {"table": '"Refunds"', "values": ["refund"], "columns": [{"name": "ID", "type": "FLOAT"}]}
    assert routed(ORDERS, quoted) == []


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        (
            [ORDERS, {"table": '"PLACED"', "values": ["x"]}],
            f"{AT}[1].table: LAKE.RAW.PLACED is already the table of {AT}[0]; put its values into that one.…",
        ),
        (
            [ORDERS, {"table": "orders", "values": ["x"]}],
            f"{AT}[1].table: LAKE.RAW.ORDERS is the pipeline's own table; remove the route and say unmatched: own_table, or "
            "name another table.…",
        ),
        (
            [ORDERS, {"table": "REFUNDS", "values": ["refund", "order"]}],
            f"{AT}[1].values: 'order' leads to {AT}[0] already; a record goes to one table.…",
        ),
        ([{"table": "REFUNDS", "values": ["refund", "refund"]}], f"{AT}[0].values: 'refund' is given twice.…"),
        (
            [{**X, "table_kind": "interactive"}],
            "pipelines[0]: routes.tables[0] (X): an interactive table needs cluster_by, unless its columns have a select…",
        ),
        ([{**X, "table_kind": "iceberg"}], NEEDS_VOLUME),
        ([{**X, "external_volume": "V"}], NEEDS_VOLUME),
        (
            [{"table": "ORDER LINES", "values": ["x"]}],
            f"{AT}[0].table: 'ORDER LINES' is not a valid Snowflake identifier…",
        ),
        (
            [{**X, "table_kind": "hybrid"}],
            f"{AT}[0].table_kind: input should be 'standard', 'iceberg' or 'interactive' (got 'hybrid')…",
        ),
        (
            [{**X, "pipe": KEPT, "schema_evolution": False}],
            f"{AT}[0].pipe.name: the engine takes the pipe that has the table's name; expected X.…",
        ),
        (
            [{**X, "columns": [{"name": "ID", "type": "MAP(VARCHAR, FLOAT)"}]}],
            f"{AT}[0].columns[0].type: structured types are taken for Iceberg tables alone…",
        ),
    ],
)
def test_what_can_not_be_is_told_with_the_next_step(tables: list[dict[str, Any]], expected: str) -> None:
    assert routed(*tables) == told(expected)


def test_what_does_not_go_with_routes_is_told() -> None:
    assert routed(stream_pattern="orders-.*") == told("pipelines[0].stream_pattern: …routes…")


def test_an_engine_that_adds_columns_owns_the_tables_of_its_routes_or_they_evolve() -> None:
    adding = {"adds_columns": True, "schema_evolution": False, "table_privilege": "ownership"}
    assert routed({**X, "schema_evolution": True, "table_privilege": "insert"}, **adding) == []
    assert routed(X, **adding) == []
    assert routed({**X, "table_privilege": "insert"}, **adding) == told(f"{AT}[0].table_privilege: …owner…")


def test_tables_whose_channels_would_have_one_name_are_told_before_the_engine_refuses_them() -> None:
    assert routed({"table": '"Orders"', "values": ["a"]}, {"table": "E283F8D8", "values": ["b"]}) == [
        f'{AT}[1].table: E283F8D8 and "Orders" would have channels of one name; rename one of them.'
    ]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"tables": {"order": "ORDERS"}}, "tables: must be a list, such as [{table: …, values: …}]"),
        (
            {"tables": [{"table": "PLACED", "values": "order"}]},
            "tables[0].values: must be a list; put it between brackets (got 'order')",
        ),
        ({"tables": []}, "tables: list should have at least 1 item, not 0"),
        ({"unmatched": True}, "unmatched: input should be 'dead_letter' or 'own_table' (got true)"),
        (
            {"tables": [{"table": "PLACED", "values": [None]}]},
            "tables[0].values[0]: input should be a valid string (got null)",
        ),
        (
            {"tables": [{"table": "PLACED", "values": [date(2026, 1, 31)]}]},
            "tables[0].values[0]: input should be a valid string; put it between quotes (got 2026-01-31)",
        ),
    ],
)
def test_a_wrong_value_is_told_in_the_words_of_documents(said: dict[str, Any], expected: str) -> None:
    assert problems(**one_pipeline(routes={**routes(), **said})) == [f"pipelines[0].routes.{expected}"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"format": {"type": "csv", "columns": ["kind", "total"]}},
            ["pipelines[0]: routes.key: no record has kind; expected what the format makes, in its case: KIND, TOTAL"],
        ),
        ({"format": {"type": "csv", "columns": ['"kind"', "total"]}}, []),
        (
            {"format": {"type": "text"}, "transforms": [{"type": "rename", "fields": {"RECORD_CONTENT": "kind"}}]},
            [],
        ),
        ({"metadata": {"column": "KIND"}}, ["pipelines[0]: routes.key: kind is a metadata column…"]),
        ({"metadata": {"column": "KIND"}, "content_column": "CONTENT"}, []),
    ],
)
def test_a_key_that_no_row_has_is_told_as_the_engine_does(changes: dict[str, Any], expected: list[str]) -> None:
    assert routed(**changes) == told(*expected)


def test_a_table_that_another_pipeline_fills_is_shared_on_purpose() -> None:
    two = [{"name": "orders"}, {"name": "returns"}]
    pipelines = [pipeline(routes=routes()), pipeline("returns", table="REFUNDS")]
    assert problems(streams=two, pipelines=pipelines) == told(
        f"{AT}[1].table: LAKE.RAW.REFUNDS is also the table of pipelines[1]; say shared_table: true in each of them if that "
        "is meant, or name another table.",
        f"pipelines[1].table: LAKE.RAW.REFUNDS is also the table of {AT}[1];…",
    )
    shared = [{**each, "shared_table": True} for each in pipelines]
    assert problems(streams=two, pipelines=shared) == []
    shared[1]["row_timestamp"] = False
    assert problems(streams=two, pipelines=shared) == told(
        f"pipelines[1].row_timestamp: differs from {AT}[1], which fills the same…"
    )


def test_what_a_route_leaves_out_is_as_the_pipeline_has_it() -> None:
    iceberg = {"table_kind": "iceberg", "external_volume": "LAKE", "iceberg_version": 2, "error_logging": False}
    tables = (ORDERS, {**REFUNDS, "table_kind": "standard", "error_logging": True})
    made = one_pipeline(routes=routes(*tables), **iceberg)
    (own,) = smallest(**made, snowflake={"external_volumes": [{"name": "LAKE"}]}).pipelines
    same, other = own.routed
    assert (same.table_kind, same.external_volume, same.iceberg_version) == ("iceberg", "LAKE", 2)
    assert (same.error_logging, same.columns, same.routes) == (False, [], None)
    assert (other.table_kind, other.external_volume, other.error_logging) == ("standard", None, True)


def test_each_table_is_looked_at_by_what_looks_at_tables() -> None:
    fast = {**X, "table_kind": "interactive", "cluster_by": ["ID"]}
    tolerant = one_pipeline(routes=routes({**fast, "columns": COLUMNS}), tolerance="all")
    assert problems(**tolerant, snowflake={"warehouse": None}) == told(
        "pipelines[0].tolerance: …routes.tables[0]…", "snowflake.interactive_warehouse: …", "snowflake.warehouse: …"
    )
    assert problems(**one_pipeline(routes=routes(fast)), snowflake=FAST) == told(
        f"{AT}[0].columns: an interactive table never gets another column…"
    )


def test_a_routes_pipe_may_leave_positions_out_where_that_is_said() -> None:
    piped = {**X, "schema_evolution": False, "columns": [{"name": "ID", "type": "VARCHAR"}]}
    piped["pipe"] = {"name": "X", "select": "$1:other::VARCHAR, $1:id::VARCHAR"}
    assert routed(piped) == told(f"{AT}[0].pipe.select: does not put …")
    assert routed(piped, audit=False) == []


def test_twenty_tables_are_the_most() -> None:
    many = [{"table": f"T{number}", "values": [str(number)]} for number in range(21)]
    assert routed(*many[:20]) == []
    assert routed(*many) == told("…20…")
