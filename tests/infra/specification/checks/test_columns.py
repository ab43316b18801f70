from typing import Any

import pytest

from firnline_ingest.config.rows import PARTS
from firnline_local.snowflake.catalog import Column, DataType
from firnline_local.snowflake.sql.statements.columns import iceberg_column
from tests.infra.specification.checks.tables import COLUMNS, FAST, ICEBERG, VOLUME, interactive
from tests.infra.specifications import one_pipeline, pipeline, problems, told


@pytest.mark.parametrize("columns", [[], [{"name": "id", "type": "VARCHAR"}]])
def test_an_interactive_table_that_would_drop_every_value_but_its_key_is_refused(columns: list[Any]) -> None:
    assert problems(snowflake=FAST, pipelines=[interactive(columns=columns)]) == told(
        "pipelines[0].columns: an interactive table never gets another column…"
    )
    assert problems(snowflake=FAST, pipelines=[interactive(columns=COLUMNS)]) == []


def test_what_sorts_an_interactive_table_is_declared() -> None:
    assert problems(snowflake=FAST, pipelines=[interactive(columns=COLUMNS, cluster_by=["IDD"])]) == [
        "pipelines[0].cluster_by: IDD is not among the declared columns; did you mean 'ID'?"
    ]


def test_a_column_is_declared_once_whatever_its_case() -> None:
    twice = [{"name": name, "type": "VARIANT"} for name in ("A", '"a"', "KinesisMetadata")]
    assert problems(**one_pipeline(columns=twice)) == told(
        "pipelines[0].columns[1].name:…", "pipelines[0].columns[2].name:…"
    )


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
def test_a_type_that_the_format_lacks_is_refused_with_one_that_it_has(type_: str, version: int, said: str) -> None:
    table = one_pipeline(columns=[{"name": "A", "type": type_}], iceberg_version=version, **ICEBERG)
    assert problems(snowflake=VOLUME, **table) == told(f"pipelines[0].columns[0].type: …{said}…")


@pytest.mark.parametrize(
    ("type_", "version"),
    [
        ("VARIANT", 3), ("int", 2), ("LONG", 2), ("array(string)", 3),
        ("TIMESTAMP_NTZ(9)", 3), ("TIMESTAMP_NTZ", 2), ("TIMESTAMP_LTZ(6)", 2), ("BINARY(16)", 2),
        ("OBJECT(a VARCHAR, b ARRAY(NUMBER(38, 0) NOT NULL), m MAP(VARCHAR, OBJECT(x DATE)))", 2),
    ],
)  # fmt: skip # a paragraph, not a column
def test_the_embedded_snowflake_takes_what_the_specification_takes(type_: str, version: int) -> None:
    table = one_pipeline(columns=[{"name": "A", "type": type_}], iceberg_version=version, **ICEBERG)
    assert problems(snowflake=VOLUME, **table) == []
    iceberg_column(Column(name="A", type=DataType.parse(type_)), version)


def test_other_tables_have_no_structured_types() -> None:
    columns = [*COLUMNS, {"name": "O", "type": "MAP(VARCHAR, FLOAT)"}]
    assert problems(snowflake=FAST, pipelines=[interactive(columns=columns)]) == told(
        "…structured types are taken for Iceberg tables alone; expected OBJECT, or table_kind: iceberg."
    )
    assert problems(**one_pipeline(columns=columns)) == told("pipelines[0].columns[2].type: structured types are…")
    assert problems(**one_pipeline(columns=[{"name": "O", "type": "OBJECT"}])) == []


def test_the_version_and_structured_metadata_are_an_iceberg_tables() -> None:
    assert problems(**one_pipeline(iceberg_version=2, structured_metadata=True)) == told(
        "…iceberg_version and structured_metadata: only of table_kind: iceberg; remove it…"
    )


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, []),
        ({"structured_metadata": False}, ["…iceberg_version: 2 has no VARIANT…"]),
        (
            {"metadata": dict.fromkeys(PARTS, False), "audit": False},
            ["pipelines[0].metadata: every part is off…"],
        ),
    ],
)
def test_metadata_of_version_2_is_structured_and_has_a_key(more: dict[str, Any], expected: list[str]) -> None:
    assert problems(snowflake=VOLUME, **one_pipeline(iceberg_version=2, **ICEBERG, **more)) == told(*expected)


def test_two_formats_into_one_structured_metadata_column_are_refused() -> None:
    shared = {"table": "T", "shared_table": True, "iceberg_version": 2, **ICEBERG}
    pipelines = [pipeline(**shared), pipeline("more", format={"type": "json_lines"}, **shared)]
    found = problems(snowflake=VOLUME, streams=[{"name": "orders"}, {"name": "more"}], pipelines=pipelines)
    assert found == told("pipelines[1].structured_metadata: differs from pipelines[0]…")


@pytest.mark.parametrize(
    ("type_", "said"),
    [
        ("INT(5)", "INT takes no size"),
        ("LONG", "expected NUMBER(19, 0), or table_kind: iceberg"), ("NUMBER(", "a type of Snowflake"),
        ("FLOAT; DROP TABLE T", "a type of Snowflake"), ("TIMESTAMP", "did you mean TIMESTAMP_"), ("MAP", "MAP needs the types"),
        ("VARCHAR(A)", "a number is missing"),
        ("ARRAY(OBJECT(a FLOAT)", "pipelines[0].columns[0].type: a comma or a closing parenthesis is missing behind"),
    ],
)  # fmt: skip # a paragraph, not a column
def test_what_is_no_type_of_a_standard_table_is_refused(type_: str, said: str) -> None:
    assert problems(**one_pipeline(columns=[{"name": "A", "type": type_}])) == told(f"…{said}…")


def test_two_pipelines_into_one_table_declare_the_same() -> None:
    shared = {"table": "T", "shared_table": True}
    pipelines = [pipeline(**shared, columns=COLUMNS), pipeline("more", **shared)]
    found = problems(streams=[{"name": "orders"}, {"name": "more"}], pipelines=pipelines)
    assert found == told("pipelines[1].columns: differs from pipelines[0]…")


SELECTED = [{**each, "select": f"$1:{each['name']}::{each['type']}"} for each in COLUMNS]


def test_a_select_is_of_an_interactive_table_and_of_all_its_columns() -> None:
    assert problems(snowflake=FAST, pipelines=[interactive(columns=SELECTED)]) == []
    found = problems(snowflake=FAST, pipelines=[interactive(columns=[SELECTED[0], *COLUMNS[1:]])])
    assert found == told("pipelines[0].columns[1].select: …needs one too…")
    both = interactive(columns=SELECTED, pipe={"name": "P", "select": "$1:KINESISMETADATA, $1:a, $1:b"})
    assert problems(snowflake=FAST, pipelines=[both]) == told("…give one of the two…")
    found = problems(**one_pipeline(columns=SELECTED))
    assert found == told("…only an interactive table is created with a SELECT…")


@pytest.mark.parametrize("wrong", ["$1:ID::VARCHAR, $1:V", "$1:ID -- the id", "$1:ID) FROM X --", "'x", "$1:ID FROM X"])
def test_a_columns_select_is_one_expression(wrong: str) -> None:
    columns = [{**SELECTED[0], "select": wrong}, *SELECTED[1:]]
    found = problems(snowflake=FAST, pipelines=[interactive(columns=columns)])
    assert found == told("pipelines[0].columns[0].select: …")


OWN = {"adds_columns": True, "schema_evolution": False, "table_privilege": "ownership"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"table_privilege": "insert"},
            "only the owner of a table may alter it; say table_privilege: ownership.",
        ),
        ({"schema_evolution": True}, "Snowflake adds them where the schema evolves"),
        ({"content_column": "C"}, "keys become no columns behind a pipe of one's own, and with content_column"),
    ],
)
def test_who_adds_columns_owns_a_table_that_does_not_evolve(changes: dict[str, Any], expected: str) -> None:
    assert problems(**one_pipeline(**OWN)) == []
    assert problems(**one_pipeline(**{**OWN, **changes})) == told(f"pipelines[0].adds_columns: {expected}…")
