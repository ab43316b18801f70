"""Names that Snowflake takes, and its provider does not, or only when they are written in another way."""

from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.snowflake import DeadLetterPipe, IcebergTable
from firnline_infra.kinds.layers import warehouse
from tests.infra.specifications import one_pipeline, problems, smallest

TWO = [{"name": "ID", "type": "VARCHAR"}, {"name": "order", "type": "VARCHAR"}]
LATEST = {"columns": TWO, "latest_by": ["ID"]}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            one_pipeline(columns=[{"name": '"A,B"', "type": "DATE"}], cluster_by=['"A,B"']),
            "cluster_by[0]: A,B has a comma",
        ),
        (one_pipeline(table='"My Orders"', **LATEST), 'pipelines[0].latest_by: "My Orders_LATEST" has a blank'),
        (one_pipeline(**LATEST, latest={"warehouse": '"My WH"'}), '"My WH" has a blank'),
        (one_pipeline(**LATEST, latest={"name": '"a|b"'}), "pipelines[0].latest.name: a|b holds |"),
        (one_pipeline(columns=[{"name": '"it\'s"', "type": "FLOAT"}]), "pipelines[0].columns[0].name: it's holds '"),
        (one_pipeline(columns=[{"name": '"a\\b"', "type": "FLOAT"}]), "pipelines[0].columns[0].name: a\\b holds \\"),
        (one_pipeline(metadata={"column": '"it\'s"'}), "pipelines[0].metadata: it's holds '"),
        (one_pipeline(table="T" * 243, file_replay=True), "pipelines[0].table: has 243 characters"),
        (
            {**one_pipeline(database='"my.db"'), "snowflake": {"key_pair_only": True}},
            "snowflake.key_pair_only: its policy lies in the first pipeline's schema",
        ),
        (
            one_pipeline(
                table_kind="interactive", cluster_by=["ID"], columns=[{"name": "ID", "type": "VARIANT"}, TWO[1]]
            ),
            "ID is VARIANT, which can't be a clustering key",
        ),
    ],
)
def test_a_name_that_the_provider_would_not_take_is_refused(changes: dict[str, Any], told: str) -> None:
    assert any(told in each for each in problems(**changes)), problems(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        one_pipeline(table="T" * 242, file_replay=True),
        one_pipeline(table='"My Orders"', file_replay=True, columns=TWO),
        one_pipeline(
            table_kind="iceberg", external_volume="SNOWFLAKE_MANAGED", columns=[{"name": '"it\'s"', "type": "STRING"}]
        ),
        {**one_pipeline(database='"my.db"'), "snowflake": {"key_pair_only": False}},
    ],
)
def test_others_are_taken(changes: dict[str, Any]) -> None:
    assert problems(**changes) == []


def test_a_reserved_word_of_a_clustering_key_is_quoted() -> None:
    """The provider puts the key into CLUSTER BY as it is given."""
    spec = smallest(**one_pipeline(columns=TWO, cluster_by=["order", "ID"]))
    rows = [row for each in warehouse(blueprint_of(spec)) for row in each.resources() if row.type == "snowflake_table"]
    assert [row.arguments["cluster_by"] for row in rows] == [['"ORDER"', "ID"]]


def test_a_reserved_word_is_quoted_as_a_key_of_a_structured_type() -> None:
    column = {"name": "T", "type": 'OBJECT("from" VARCHAR, plain NUMBER(38,0), "a b" ARRAY(OBJECT(order INT)))'}
    spec = smallest(**one_pipeline(table_kind="iceberg", external_volume="SNOWFLAKE_MANAGED", columns=[column]))
    (table,) = blueprint_of(spec).landing.tables
    assert isinstance(table, IcebergTable)
    assert 'OBJECT("from" VARCHAR, plain NUMBER(38, 0), "a b" ARRAY(OBJECT("order" INT)))' in table.create


@pytest.mark.parametrize(
    ("table", "location"),
    [
        ('"Orders"', '@"LAKE"."RAW"."Orders_DEAD_LETTERS"'),
        ('"My Orders"', """'@"LAKE"."RAW"."My Orders_DEAD_LETTERS"'"""),
        ('"it\'s"', """'@"LAKE"."RAW"."it\'\'s_DEAD_LETTERS"'"""),
    ],
)
def test_a_stage_with_more_than_letters_is_quoted_as_a_whole(table: str, location: str) -> None:
    spec = smallest(**one_pipeline(table=table, file_replay=True))
    (pipe,) = blueprint_of(spec).landing.pipes
    assert isinstance(pipe, DeadLetterPipe)
    assert f" FROM {location} FILE_FORMAT" in pipe.copy_statement
