from typing import Any

import pytest

from firnline_ingest.config.rows import PARTS
from firnline_local.snowflake.catalog import Column, DataType
from firnline_local.snowflake.sql.statements.columns import iceberg_column
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


ICEBERG = {"table_kind": "iceberg", "external_volume": "V"}


@pytest.mark.parametrize(
    ("type_", "version", "said"),
    [
        ("OBJECT", 3, "an Iceberg table has no OBJECT without its types; expected OBJECT(key TYPE, …)"),
        ("ARRAY", 2, "an Iceberg table has no ARRAY without its types; expected ARRAY(TYPE)."),
        ("VARIANT", 2, "version 2 of the Iceberg format has no VARIANT; expected iceberg_version: 3, a structured type"),
        ("OBJECT(a VARIANT)", 3, "no VARIANT inside of another type"),
        ("ARRAY(OBJECT)", 3, "has no OBJECT without its types"),
        ("TIMESTAMP_TZ", 3, "expected TIMESTAMP_LTZ"),
        ("TIMESTAMP_NTZ(9)", 2, "version 2 of the Iceberg format has no TIMESTAMP_NTZ(9); expected TIMESTAMP_NTZ(6)."),
        ("TIMESTAMP_LTZ(3)", 3, "expected TIMESTAMP_LTZ(6) or TIMESTAMP_LTZ(9)."),
        ("TIME(9)", 3, "expected TIME."),
        ("ARRAY(VARCHAR(10))", 2, "expected VARCHAR."),
        (f"OBJECT({', '.join(f'k{n} FLOAT' for n in range(1001))})", 3, "1000 sub-columns at most, and this type has 1001"),
    ],
)  # fmt: skip # a type with what is said of it
def test_a_type_that_the_format_lacks_is_refused_with_one_that_it_has(
    problems: Problems, pipeline: Any, snowflake: Any, type_: str, version: int, said: str
) -> None:
    columns = [{"name": "A", "type": type_}]
    (problem,) = problems(
        snowflake=snowflake(external_volumes=[{"name": "V"}]),
        pipelines=[pipeline(columns=columns, iceberg_version=version, **ICEBERG)],
    )
    assert problem.startswith("pipelines[0].columns[0].type: ")
    assert said in problem


@pytest.mark.parametrize(
    ("type_", "version"),
    [
        ("VARIANT", 3), ("int", 2), ("LONG", 2), ("array(string)", 3),
        ("TIMESTAMP_NTZ(9)", 3), ("TIMESTAMP_NTZ", 2), ("TIMESTAMP_LTZ(6)", 2), ("BINARY(16)", 2),
        ("OBJECT(a VARCHAR, b ARRAY(NUMBER(38, 0) NOT NULL), m MAP(VARCHAR, OBJECT(x DATE)))", 2),
    ],
)  # fmt: skip # a paragraph, not a column
def test_the_embedded_snowflake_takes_what_the_specification_takes(
    problems: Problems, pipeline: Any, snowflake: Any, type_: str, version: int
) -> None:
    columns = [{"name": "A", "type": type_}]
    pipelines = [pipeline(columns=columns, iceberg_version=version, **ICEBERG)]
    assert problems(snowflake=snowflake(external_volumes=[{"name": "V"}]), pipelines=pipelines) == []
    iceberg_column(Column(name="A", type=DataType.parse(type_)), version)


def test_other_tables_have_no_structured_types(problems: Problems, pipeline: Any, snowflake: Any) -> None:
    columns = [*COLUMNS, {"name": "O", "type": "MAP(VARCHAR, FLOAT)"}]
    warehouse = snowflake(interactive_warehouse={"name": "FAST"})
    (problem,) = problems(snowflake=warehouse, **interactive(pipeline, columns=columns))
    assert problem.endswith("structured types are of Iceberg tables alone; expected OBJECT, or table_kind: iceberg.")
    (problem,) = problems(pipelines=[pipeline(columns=columns)])
    assert problem.startswith("pipelines[0].columns[2].type: structured types are")
    assert problems(pipelines=[pipeline(columns=[{"name": "O", "type": "OBJECT"}])]) == []


def test_the_version_and_structured_metadata_are_an_iceberg_tables(problems: Problems, pipeline: Any) -> None:
    (problem,) = problems(pipelines=[pipeline(iceberg_version=2, structured_metadata=True)])
    assert "iceberg_version and structured_metadata: only of table_kind: iceberg; remove it" in problem


def test_metadata_of_version_2_is_structured_and_has_a_key(problems: Problems, pipeline: Any, snowflake: Any) -> None:
    volumes = snowflake(external_volumes=[{"name": "V"}])
    parts = dict.fromkeys(PARTS, False)

    def found(**more: Any) -> list[str]:
        return problems(snowflake=volumes, pipelines=[pipeline(iceberg_version=2, **ICEBERG, **more)])

    assert found() == []
    (problem,) = found(structured_metadata=False)
    assert "iceberg_version: 2 has no VARIANT" in problem
    (problem,) = found(metadata=parts, audit=False)
    assert problem.startswith("pipelines[0].metadata: every part is off")


def test_two_formats_into_one_structured_metadata_column_are_refused(
    problems: Problems, pipeline: Any, snowflake: Any
) -> None:
    shared = {"table": "T", "shares_table": True, "iceberg_version": 2, **ICEBERG}
    pipelines = [pipeline(**shared), pipeline("more", format={"type": "json_lines"}, **shared)]
    (problem,) = problems(
        snowflake=snowflake(external_volumes=[{"name": "V"}]),
        streams=[{"name": "orders"}, {"name": "more"}],
        pipelines=pipelines,
    )
    assert problem.startswith("pipelines[1].structured_metadata: differs from pipelines[0]")


@pytest.mark.parametrize(
    ("type_", "said"),
    [
        ("INT(5)", "INT takes no size"),
        ("LONG", "expected NUMBER(19, 0), or table_kind: iceberg"), ("NUMBER(", "a type of Snowflake"),
        ("FLOAT; DROP TABLE T", "a type of Snowflake"), ("TIMESTAMP", "did you mean TIMESTAMP_"), ("MAP", "MAP needs the types"),
        ("VARCHAR(A)", "a number is missing"),
    ],
)  # fmt: skip # a paragraph, not a column
def test_what_is_no_type_of_a_standard_table_is_refused(
    problems: Problems, pipeline: Any, type_: str, said: str
) -> None:
    (problem,) = problems(pipelines=[pipeline(columns=[{"name": "A", "type": type_}])])
    assert said in problem


def test_a_structured_type_that_is_none_is_told(problems: Problems, pipeline: Any) -> None:
    (problem,) = problems(pipelines=[pipeline(columns=[{"name": "A", "type": "ARRAY(OBJECT(a FLOAT)"}])])
    assert problem.startswith("pipelines[0].columns[0].type: a comma or a closing parenthesis is missing behind")


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
    for wrong in ("$1:ID::VARCHAR, $1:V", "$1:ID -- the id", "$1:ID) FROM X --", "'x", "$1:ID FROM X"):
        (problem,) = found([{**selected[0], "select": wrong}, *selected[1:]])
        assert problem.startswith("pipelines[0].columns[0].select: "), wrong
    (problem,) = found(selected, pipe={"name": "P", "select": "$1:KINESISMETADATA, $1:a, $1:b"})
    assert "give one of the two" in problem
    (problem,) = problems(pipelines=[pipeline(columns=selected)])
    assert "only an interactive table is made with a SELECT" in problem


def test_who_adds_columns_owns_a_table_that_does_not_evolve(problems: Problems, pipeline: Any) -> None:
    own = {"adds_columns": True, "schema_evolution": False, "table_privilege": "ownership"}
    assert problems(pipelines=[pipeline(**own)]) == []
    for wrong, (value, sentence) in {
        "table_privilege": ("insert", "only the owner of a table may alter it; say table_privilege: ownership."),
        "schema_evolution": (True, "Snowflake adds them where the schema evolves"),
        "content_column": ("C", "keys become no columns behind a pipe of one's own, and with content_column"),
    }.items():
        (problem,) = problems(pipelines=[pipeline(**{**own, wrong: value})])
        assert problem.startswith(f"pipelines[0].adds_columns: {sentence}")
