"""Clustering keys of standard tables, rows sorted as they come, and Iceberg tables in Snowflake's own storage."""

from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.grants import Securable
from firnline_infra.blueprint.snowflake import IcebergTable, Pipe, Table
from firnline_infra.kinds.snowflake_landing import snowflake_landing
from tests.infra.specifications import one_pipeline, problems, smallest

COLUMNS = [{"name": "ID", "type": "VARCHAR"}, {"name": "BODY", "type": "VARIANT"}]
SELECTS = "$1:KINESISMETADATA, $1:id, $1:body"
OWN_STORAGE = {"table_kind": "iceberg", "external_volume": "SNOWFLAKE_MANAGED"}


def described(kind: str, **changes: Any) -> dict[str, Any]:
    """The arguments of the one resource of a type."""
    blueprint = blueprint_of(smallest(**one_pipeline(**changes)))
    members = snowflake_landing("l", blueprint.landing).members
    (found,) = [
        each for each in members if getattr(each, "type", "") == f"snowflake_{kind}" and hasattr(each, "arguments")
    ]
    return {name: value for name, value in found.arguments.items() if value is not None}  # type: ignore[union-attr]


def test_a_standard_table_is_made_with_its_clustering_key() -> None:
    (table,) = blueprint_of(smallest(**one_pipeline(columns=COLUMNS, cluster_by=["id"]))).landing.tables
    assert isinstance(table, Table)
    assert [str(each) for each in table.cluster_by] == ["ID"]
    assert described("table", columns=COLUMNS, cluster_by=["id"])["cluster_by"] == ["ID"]
    assert "cluster_by" not in described("table", columns=COLUMNS)


def test_a_pipe_sorts_rows_as_they_come_where_that_is_asked_for() -> None:
    pipe = {"name": "P", "select": SELECTS}
    given = {"columns": COLUMNS, "cluster_by": ["ID"], "schema_evolution": False}
    for sorts in (True, False):
        spec = smallest(**one_pipeline(**given, pipe={**pipe, "cluster_at_ingest_time": sorts}))
        (made,) = blueprint_of(spec).landing.pipes
        assert isinstance(made, Pipe)
        assert made.copy_statement.endswith(") CLUSTER_AT_INGEST_TIME = TRUE") is sorts


def test_an_iceberg_table_in_snowflakes_storage_needs_no_volume_and_no_grant_on_one() -> None:
    landing = blueprint_of(smallest(**one_pipeline(columns=COLUMNS, **OWN_STORAGE))).landing
    (table,) = landing.tables
    assert isinstance(table, IcebergTable)
    assert table.create == (
        'CREATE ICEBERG TABLE IF NOT EXISTS "LAKE"."RAW"."ORDERS" ("KINESISMETADATA" VARIANT, "ID" VARCHAR, "BODY" VARIANT) '
        "EXTERNAL_VOLUME = 'SNOWFLAKE_MANAGED' CATALOG = 'SNOWFLAKE' ICEBERG_VERSION = 3 ERROR_LOGGING = TRUE "
        f"COMMENT = '{table.comment}'"
    )
    assert [grant for grant in landing.grants if grant.on is Securable.EXTERNAL_VOLUME] == []
    made = described("iceberg_table", columns=COLUMNS, **OWN_STORAGE)
    assert (made["external_volume"], "base_location" in made) == ("SNOWFLAKE_MANAGED", False)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cluster_by": ["ODD"], "columns": COLUMNS}, "pipelines[0].cluster_by: ODD is not among the declared columns"),
        ({"cluster_by": ["BODY"], "columns": COLUMNS}, "pipelines[0].cluster_by: BODY is VARIANT, which can't be"),
        (
            {"cluster_by": ["ID"], "columns": COLUMNS, **OWN_STORAGE},
            "give cluster_by with table_kind: standard or interactive",
        ),
        (
            {
                "pipe": {"name": "P", "select": SELECTS, "cluster_at_ingest_time": True},
                "columns": COLUMNS,
                "schema_evolution": False,
            },
            "pipe.cluster_at_ingest_time: there is no clustering key",
        ),
        (
            {
                "pipe": {"name": "P", "origin": "adopt", "cluster_at_ingest_time": True},
                "cluster_by": ["ID"],
                "columns": COLUMNS,
            },
            "cluster_at_ingest_time: its owner creates the pipe",
        ),
        (
            {"pipe": {"name": "P", "select": SELECTS, "rows": "some"}, "columns": COLUMNS, "schema_evolution": False},
            "rows: some belongs to a pipe that exists",
        ),
        (
            {
                "pipe": {"name": "P", "origin": "adopt", "rows": "some"},
                "routes": {"key": "k", "tables": [{"table": "T", "values": ["t"]}]},
            },
            "pipe.rows: some does not go with routes",
        ),
        (
            {**OWN_STORAGE, "base_location": "a/b"},
            "base_location: SNOWFLAKE_MANAGED is Snowflake's own storage, which has none",
        ),
        ({**OWN_STORAGE, "external_volume": "SNOWFLAKE_MANAGE"}, "did you mean 'SNOWFLAKE_MANAGED'?"),
    ],
)
def test_what_has_no_sense_is_told(changes: dict[str, Any], said: str) -> None:
    assert said in "\n".join(problems(**one_pipeline(**changes)))
