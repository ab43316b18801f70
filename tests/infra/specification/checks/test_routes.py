"""One stream into several tables: what a specification may say of it, and what is told where it can't be."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from firnline_infra.specification import EnvironmentSpec

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]
ORDERS, REFUNDS = {"table": "PLACED", "values": ["order", "again"]}, {"table": "REFUNDS", "values": ["refund"]}


def routes(*tables: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"key": "kind", "tables": list(tables or (ORDERS, REFUNDS)), **changes}


@pytest.fixture
def routed(problems: Problems, pipeline: Part) -> Callable[..., list[str]]:
    """What is wrong with one pipeline that has these routes."""

    def routed(*tables: dict[str, Any], **changes: Any) -> list[str]:
        return problems(pipelines=[pipeline(routes=routes(*tables), **changes)])

    return routed


def test_each_route_says_its_table_and_its_values(routed: Callable[..., list[str]]) -> None:
    assert routed() == []
    assert (
        routed(ORDERS, {"table": '"Refunds"', "values": ["refund"], "columns": [{"name": "ID", "type": "FLOAT"}]}) == []
    )


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        (
            [ORDERS, {"table": '"PLACED"', "values": ["x"]}],
            "pipelines[0].routes.tables[1].table: LAKE.RAW.PLACED is already the table of pipelines[0].routes.tables[0]; put "
            "its values into that one.",
        ),
        (
            [ORDERS, {"table": "orders", "values": ["x"]}],
            "pipelines[0].routes.tables[1].table: LAKE.RAW.ORDERS is the pipeline's own table; remove the route and say "
            "unmatched: own_table, or name another table.",
        ),
        (
            [ORDERS, {"table": "REFUNDS", "values": ["refund", "order"]}],
            "pipelines[0].routes.tables[1].values: 'order' leads to pipelines[0].routes.tables[0] already; a record goes to one "
            "table.",
        ),
        (
            [{"table": "REFUNDS", "values": ["refund", "refund"]}],
            "pipelines[0].routes.tables[0].values: 'refund' is given twice.",
        ),
        (
            [{"table": "FAST", "values": ["x"], "table_kind": "interactive"}],
            "pipelines[0]: routes.tables[0] (FAST): an interactive table needs cluster_by, unless its columns have a select",
        ),
        (
            [{"table": "ICE", "values": ["x"], "table_kind": "iceberg"}],
            "pipelines[0]: routes.tables[0] (ICE): give external_volume with table_kind: iceberg, and only then",
        ),
        (
            [{"table": "ICE", "values": ["x"], "external_volume": "V"}],
            "pipelines[0]: routes.tables[0] (ICE): give external_volume with table_kind: iceberg, and only then",
        ),
        (
            [{"table": "ORDER LINES", "values": ["x"]}],
            "pipelines[0].routes.tables[0].table: 'ORDER LINES' is no Snowflake identifier",
        ),
        (
            [{"table": "HYBRID", "values": ["x"], "table_kind": "hybrid"}],
            "pipelines[0].routes.tables[0].table_kind: input should be 'standard', 'iceberg' or 'interactive' (got 'hybrid')",
        ),
        (
            [
                {
                    "table": "X",
                    "values": ["x"],
                    "pipe": {"name": "P", "select": "$1:KINESISMETADATA"},
                    "schema_evolution": False,
                }
            ],
            "pipelines[0].routes.tables[0].pipe.name: the engine takes the pipe that has the table's name; expected X.",
        ),
        (
            [{"table": "X", "values": ["x"], "columns": [{"name": "ID", "type": "MAP(VARCHAR, FLOAT)"}]}],
            "pipelines[0].routes.tables[0].columns[0].type: structured types are of Iceberg tables alone",
        ),
    ],
)
def test_what_can_not_be_is_told_with_the_next_step(
    routed: Callable[..., list[str]], tables: list[dict[str, Any]], told: str
) -> None:
    (problem,) = routed(*tables)
    assert problem.startswith(told)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"also_streams": "orders-.*"}, "pipelines[0].also_streams: "),
        (
            {"adds_columns": True, "schema_evolution": False, "table_privilege": "ownership"},
            "pipelines[0].adds_columns: ",
        ),
    ],
)
def test_what_does_not_go_with_routes_is_told(
    routed: Callable[..., list[str]], changes: dict[str, Any], told: str
) -> None:
    (problem,) = routed(**changes)
    assert problem.startswith(told)
    assert "routes" in problem


def test_tables_whose_channels_would_have_one_name_are_told_before_the_engine_refuses_them(
    routed: Callable[..., list[str]],
) -> None:
    (problem,) = routed({"table": '"Orders"', "values": ["a"]}, {"table": "E283F8D8", "values": ["b"]})
    assert problem == (
        'pipelines[0].routes.tables[1].table: E283F8D8 and "Orders" would have channels of one name; rename one of them.'
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"tables": {"order": "ORDERS"}}, "tables: is no list, such as [{table: …, values: …}]"),
        (
            {"tables": [{"table": "PLACED", "values": "order"}]},
            "tables[0].values: is no list; put it between brackets (got 'order')",
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
def test_a_wrong_value_is_told_in_the_words_of_documents(
    problems: Problems, pipeline: Part, said: dict[str, Any], told: str
) -> None:
    assert problems(pipelines=[pipeline(routes={**routes(), **said})]) == [f"pipelines[0].routes.{told}"]


def test_a_key_that_no_row_has_is_told_as_the_engine_does(routed: Callable[..., list[str]]) -> None:
    (problem,) = routed(format={"type": "csv", "columns": ["kind", "total"]})
    assert problem == (
        "pipelines[0]: routes.key: no record has kind; expected what the format makes, in its case: KIND, TOTAL"
    )
    assert routed(format={"type": "csv", "columns": ['"kind"', "total"]}) == []
    assert routed(format={"type": "text"}, transforms=[{"type": "rename", "fields": {"RECORD_CONTENT": "kind"}}]) == []
    (problem,) = routed(metadata={"column": "KIND"})
    assert problem.startswith("pipelines[0]: routes.key: kind is a metadata column")
    assert routed(metadata={"column": "KIND"}, content_column="CONTENT") == []


def test_a_table_that_another_pipeline_fills_is_shared_on_purpose(problems: Problems, pipeline: Part) -> None:
    two = [{"name": "orders"}, {"name": "returns"}]
    other = pipeline("returns", table="REFUNDS")
    first, second = problems(streams=two, pipelines=[pipeline(routes=routes()), other])
    assert first == (
        "pipelines[0].routes.tables[1].table: LAKE.RAW.REFUNDS is also the table of pipelines[1]; say shares_table: true in "
        "each of them if that is meant, or name another table."
    )
    assert second.startswith("pipelines[1].table: LAKE.RAW.REFUNDS is also the table of pipelines[0].routes.tables[1];")
    said = {"shares_table": True}
    shared = [pipeline(routes=routes(), **said), {**other, **said}]
    assert problems(streams=two, pipelines=shared) == []
    shared[1]["row_timestamp"] = False
    (problem,) = problems(streams=two, pipelines=shared)
    assert problem.startswith(
        "pipelines[1].row_timestamp: differs from pipelines[0].routes.tables[1], which fills the same"
    )


def test_what_a_route_leaves_out_is_as_the_pipeline_has_it(
    spec: Callable[..., EnvironmentSpec], pipeline: Part
) -> None:
    iceberg = {"table_kind": "iceberg", "external_volume": "LAKE", "iceberg_version": 2, "error_logging": False}
    volumes = {"account": "ORG-ACCOUNT", "warehouse": "SMALL", "external_volumes": [{"name": "LAKE"}]}
    tables = (ORDERS, {**REFUNDS, "table_kind": "standard", "error_logging": True})
    (own,) = spec(pipelines=[pipeline(routes=routes(*tables), **iceberg)], snowflake=volumes).pipelines
    same, other = own.routed
    assert (same.table_kind, same.external_volume, same.iceberg_version) == ("iceberg", "LAKE", 2)
    assert (same.error_logging, same.columns, same.routes) == (False, [], None)
    assert (other.table_kind, other.external_volume, other.error_logging) == ("standard", None, True)


def test_each_table_is_looked_at_by_what_looks_at_tables(problems: Problems, pipeline: Part, snowflake: Part) -> None:
    fast = {"table": "FAST", "values": ["x"], "table_kind": "interactive", "cluster_by": ["ID"]}
    columns = [{"name": "ID", "type": "VARCHAR"}, {"name": "V", "type": "FLOAT"}]
    told = problems(
        pipelines=[pipeline(routes=routes({**fast, "columns": columns}), tolerance="all")],
        snowflake={"account": "ORG-ACCOUNT"},
    )
    assert [problem.partition(": ")[0] for problem in told] == [
        "pipelines[0].tolerance",
        "snowflake.interactive_warehouse",
        "snowflake.warehouse",
    ]
    assert "routes.tables[0]" in told[0]
    (problem,) = problems(
        pipelines=[pipeline(routes=routes(fast))], snowflake=snowflake(interactive_warehouse={"name": "W"})
    )
    assert problem.startswith("pipelines[0].routes.tables[0].columns: an interactive table never gets another column")


def test_a_routes_pipe_may_leave_positions_out_where_that_is_said(routed: Callable[..., list[str]]) -> None:
    columns = [{"name": "ID", "type": "VARCHAR"}]
    piped = {"table": "X", "values": ["x"], "schema_evolution": False, "columns": columns}
    piped["pipe"] = {"name": "X", "select": "$1:other::VARCHAR, $1:id::VARCHAR"}
    (problem,) = routed(piped)
    assert problem.startswith("pipelines[0].routes.tables[0].pipe.select: does not put ")
    assert routed(piped, audit=False) == []


def test_twenty_tables_are_the_most(routed: Callable[..., list[str]]) -> None:
    many = [{"table": f"T{number}", "values": [str(number)]} for number in range(21)]
    assert routed(*many[:20]) == []
    (problem,) = routed(*many)
    assert "20" in problem
