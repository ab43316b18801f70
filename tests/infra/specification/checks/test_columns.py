from typing import Any

import pytest

from tests.infra.specification.checks.conftest import COLUMNS, Problems


def interactive(pipeline: Any, **changes: Any) -> dict[str, Any]:
    return {"pipelines": [pipeline(table_kind="interactive", **{"cluster_by": ["ID"], **changes})]}


@pytest.mark.parametrize("columns", [[], [{"name": "id", "type": "VARCHAR"}]])
def test_an_interactive_table_that_would_drop_every_value_but_its_key_is_refused(
    problems: Problems, pipeline: Any, snowflake: Any, columns: list[Any]
) -> None:
    warehouse = snowflake(interactive_warehouse={"name": "FAST"})
    (problem,) = problems(snowflake=warehouse, **interactive(pipeline, columns=columns))
    assert problem.startswith("pipelines[0].columns: an interactive table never gets another column")
    assert problems(snowflake=warehouse, **interactive(pipeline, columns=COLUMNS)) == []


def test_what_sorts_an_interactive_table_is_declared(problems: Problems, pipeline: Any, snowflake: Any) -> None:
    warehouse = snowflake(interactive_warehouse={"name": "FAST"})
    found = problems(snowflake=warehouse, **interactive(pipeline, columns=COLUMNS, cluster_by=["IDD"]))
    assert found == ["pipelines[0].cluster_by: IDD is not among the declared columns; did you mean 'ID'?"]


def test_a_column_is_declared_once_whatever_its_case(problems: Problems, pipeline: Any) -> None:
    twice = [
        {"name": "A", "type": "FLOAT"},
        {"name": '"a"', "type": "FLOAT"},
        {"name": "KinesisMetadata", "type": "VARIANT"},
    ]
    found = problems(pipelines=[pipeline(columns=twice)])
    assert [each.partition(":")[0] for each in found] == [
        "pipelines[0].columns[1].name",
        "pipelines[0].columns[2].name",
    ]


def test_what_is_loose_in_an_iceberg_table_is_a_variant(problems: Problems, pipeline: Any, snowflake: Any) -> None:
    volumes = snowflake(external_volumes=[{"name": "V"}])

    def declared(type_: str, **kind: Any) -> list[str]:
        return problems(snowflake=volumes, pipelines=[pipeline(columns=[{"name": "A", "type": type_}], **kind)])

    iceberg = {"table_kind": "iceberg", "external_volume": "V"}
    assert declared("OBJECT", **iceberg) == [
        "pipelines[0].columns[0].type: an Iceberg table has no OBJECT; expected VARIANT."
    ]
    assert declared("VARIANT", **iceberg) == []
    assert declared("OBJECT") == []


@pytest.mark.parametrize("type_", ["INT", "STRING", "NUMBER(", "FLOAT; DROP TABLE T", "TIMESTAMP", "OBJECT(A FLOAT)"])
def test_a_type_is_written_as_snowflake_describes_it(problems: Problems, pipeline: Any, type_: str) -> None:
    (problem,) = problems(pipelines=[pipeline(columns=[{"name": "A", "type": type_}])])
    assert "a type as DESCRIBE TABLE writes it" in problem


def test_two_pipelines_into_one_table_declare_the_same(problems: Problems, pipeline: Any) -> None:
    streams = [{"name": "orders"}, {"name": "more"}]
    first = pipeline(table="T", shares_table=True, columns=COLUMNS)
    second = pipeline("more", table="T", shares_table=True)
    (problem,) = problems(streams=streams, pipelines=[first, second])
    assert problem.startswith("pipelines[1].columns: differs from pipelines[0]")


def test_a_select_is_of_an_interactive_table_and_of_all_its_columns(
    problems: Problems, pipeline: Any, snowflake: Any
) -> None:
    warehouse = snowflake(interactive_warehouse={"name": "FAST"})
    selected = [{**each, "select": f"$1:{each['name']}::{each['type']}"} for each in COLUMNS]

    def found(columns: list[Any], **more: Any) -> list[str]:
        return problems(snowflake=warehouse, **interactive(pipeline, columns=columns, **more))

    assert found(selected) == []
    (problem,) = found([selected[0], *COLUMNS[1:]])
    assert problem.startswith("pipelines[0].columns[1].select: ")
    assert "needs one too" in problem
    (problem,) = found(selected, pipe={"name": "P", "select": "$1:a"})
    assert "give one of the two" in problem
    (problem,) = problems(pipelines=[pipeline(columns=selected)])
    assert "only an interactive table is made with a SELECT" in problem
