"""A pipe's SELECT against the table that it fills."""

from typing import Any

import pytest

from tests.infra.specifications import one_pipeline, pipeline, problems, told

ORDERS = {
    "columns": [{"name": "ORDER_ID", "type": "NUMBER"}, {"name": "TOTAL", "type": "FLOAT"}],
    "schema_evolution": False,
}
KEPT = "$1:KINESISMETADATA"
BOTH = f"{KEPT}, $1:a, $1:b"
TWO = [{"name": "orders"}, {"name": "more"}]
MEANT = "pipelines[0].audit: rows have their records' positions; remove it."


def found(select: str, **more: Any) -> list[str]:
    return problems(**one_pipeline(pipe={"name": "P", "select": select}, **{**ORDERS, **more}))


@pytest.mark.parametrize(
    "select",
    [
        f"{KEPT}, $1:order_id::NUMBER, $1:total::FLOAT",
        f'{KEPT}::OBJECT AS kinesismetadata, $1:order_id AS "ORDER_ID", $1:price.sum * 1.2 AS total',
    ],
)
def test_a_select_has_an_expression_for_each_column_in_their_order(select: str) -> None:
    assert found(select) == []


@pytest.mark.parametrize(
    ("select", "problem"),
    [
        (f"{KEPT}, $1:order_id",
         "has 2 expressions, and the table LAKE.RAW.ORDERS has 3 columns: KINESISMETADATA, ORDER_ID, TOTAL; give one for each, "
         "in that order."),
        (f"{KEPT}, $1:total AS TOTAL, $1:order_id AS ORDER_ID",
         "TOTAL stands at the place of the column ORDER_ID: COPY goes by the order, KINESISMETADATA, ORDER_ID, TOTAL, and by no "
         "alias."),
        ("f($1:a, ", "can't be read: a ( is not closed."),
        ("$1:kinesisMetadata, $1:order_id, $1:total",
         'does not put $1:"KINESISMETADATA" at the place of that column, so that no row says which record it is, and nothing can '
         "prove that all are there (keys behind $1 keep their case); select it, or set audit: false if that is meant."),
    ],
)  # fmt: skip # a paragraph, not a column
def test_one_that_fills_the_table_otherwise_is_told(select: str, problem: str) -> None:
    assert found(select) == [f"pipelines[0].pipe.select: {problem}"]


def test_a_table_without_the_place_of_its_records_is_meant() -> None:
    lost = "NULL, $1:order_id, $1:total"
    assert len(found(lost)) == 1
    assert found(lost, audit=False) == []
    assert found(BOTH, audit=False) == [MEANT]
    assert found("$1:order_id, $1:total", metadata={"form": "none"}, audit=False) == []


def test_keys_become_no_columns_behind_a_select() -> None:
    assert found(BOTH, schema_evolution=True) == [
        "pipelines[0].schema_evolution: a table does not evolve behind a pipe that selects: what no expression names is not "
        "kept. Say schema_evolution: false, or remove the pipe."
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"pipe": {"name": "P", "origin": "adopt"}}, []),
        ({"pipe": {"name": "P", "origin": "adopt"}, "audit": False}, []),
        ({"schema_evolution": False, "pipe": {"name": "P", "select": f"$1:a, {KEPT}"}}, []),
        (
            {"schema_evolution": False, "pipe": {"name": "P", "select": "$1:a"}},
            ["…select it, or set audit: false…"],
        ),
    ],
)
def test_nobody_knows_the_pipe_or_the_table_of_somebody_else(changes: dict[str, Any], expected: list[str]) -> None:
    lake = {"name": "LAKE", "origin": "adopt", "schemas": [{"name": "RAW", "origin": "adopt"}]}
    adopting = one_pipeline(table_origin="adopt", **changes)
    assert problems(snowflake={"databases": [lake]}, **adopting) == told(*expected)


@pytest.mark.parametrize("other", [{}, {"routes": {"key": "kind", "tables": [{"table": "p", "values": ["x"]}]}}])
def test_a_pipe_with_the_name_of_another_table_would_be_that_ones(other: dict[str, Any]) -> None:
    """The engine takes the pipe with a table's name where none is given."""
    own = pipeline(**ORDERS, pipe={"name": "P", "select": BOTH})
    of_another = pipeline("more", table="MORE" if other else "P", **other)
    where = "pipelines[1].routes.tables[0]" if other else "pipelines[1]"
    assert problems(streams=TWO, pipelines=[own, of_another]) == [
        f"pipelines[0].pipe.name: LAKE.RAW.P is also the name of the table of {where}, which would be filled through this pipe; "
        f"name another pipe."
    ]


def test_a_pipe_is_none_of_those_that_letters_take() -> None:
    own = pipeline(**ORDERS, pipe={"name": "MORE_DEAD_LETTERS", "select": BOTH})
    assert problems(streams=TWO, pipelines=[own, pipeline("more", file_replay=True)]) == [
        "pipelines[0].pipe.name: LAKE.RAW.MORE_DEAD_LETTERS is also the pipe that pipelines[1].file_replay makes; "
        "name another pipe."
    ]
