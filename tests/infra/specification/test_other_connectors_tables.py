"""Tests of what the pages of other connectors make by hand, as a specification: types, places and patterns are taken as
they stand.
"""

from dataclasses import asdict
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.snowflake import IcebergTable, InteractiveTable, Table
from firnline_infra.observe.readback import table_findings
from firnline_ingest.config.pipe_select import selected
from tests.infra.specifications import one_pipeline, pipeline, problems, smallest

VOLUME = {"external_volumes": [{"name": "MY_VOLUME"}]}
FAST = {"interactive_warehouse": {"name": "FAST"}}


def columns(**types: str) -> list[dict[str, str]]:
    return [{"name": name, "type": type_} for name, type_ in types.items()]


OPENFLOWS_ICEBERG = {
    "table": "my_iceberg_table",
    "table_kind": "iceberg",
    "external_volume": "MY_VOLUME",
    "base_location": "my_location/my_iceberg_table",
    "structured_metadata": True,
    "schema_evolution": False,
    "columns": columns(
        id="INT",
        name="string",
        body_temperature="float",
        approved_coffee_types="array(string)",
        animals_possessed="variant",
        date_added="date",
        options="object(can_walk boolean, can_talk boolean)",
    ),
}
OPENFLOWS_ORDERS = columns(order_id="NUMBER", customer_name="VARCHAR", order_total="FLOAT", ispaid="BOOLEAN")
KAFKAS_METADATA = {
    "column": "RECORD_METADATA",
    "names": {"stream": '"topic"', "shard_id": '"partition"', "approximate_arrival": '"timestamp"'},
}
KAFKAS_METRICS = {
    "table_kind": "interactive",
    "metadata": KAFKAS_METADATA,
    "columns": [
        {"name": "metric_name", "type": "VARCHAR", "select": "$1:M_NAME::VARCHAR"},
        {"name": "metric_value", "type": "NUMBER", "select": "$1:M_VALUE::NUMBER"},
        {"name": "source_topic", "type": "VARCHAR", "select": "$1:RECORD_METADATA.topic::VARCHAR"},
        {"name": '"TIMESTAMP"', "type": "TIMESTAMP_NTZ", "select": "$1:RECORD_METADATA.timestamp::TIMESTAMP_NTZ"},
    ],
}
KAFKAS_PERSONS = [
    *columns(city="VARCHAR", age="NUMBER", married="BOOLEAN"),
    {"name": '"has cat"', "type": "BOOLEAN"},
    {"name": '"!@&$#* includes special characters"', "type": "BOOLEAN"},
    *columns(skills="VARIANT", family="VARIANT"),
]
KAFKAS_PIPE = """$1:RECORD_METADATA.topic::STRING AS topic, $1:RECORD_METADATA.partition::STRING AS partition,
  $1['order_id']::STRING AS order_id, $1['customer_name']::STRING as customer_name,
  CONCAT($1['order_total']::STRING, ' USD') AS order_total, $1['isPaid']::STRING AS ispaid"""


def table(snowflake: dict[str, Any] = VOLUME, **changes: Any) -> Table | IcebergTable | InteractiveTable:
    (made,) = blueprint_of(smallest(snowflake=snowflake, **one_pipeline(**changes))).landing.tables
    return made


def test_openflows_iceberg_table_is_made_as_it_stands() -> None:
    made = table(**OPENFLOWS_ICEBERG)
    assert isinstance(made, IcebergTable)
    assert made.needs_statement
    written = made.create.replace('"', "")
    assert (
        "ID INT, NAME VARCHAR, BODY_TEMPERATURE FLOAT, APPROVED_COFFEE_TYPES ARRAY(VARCHAR), ANIMALS_POSSESSED VARIANT, "
        "DATE_ADDED DATE, OPTIONS OBJECT(can_walk BOOLEAN, can_talk BOOLEAN))" in written
    )
    assert "BASE_LOCATION = 'my_location/my_iceberg_table' ICEBERG_VERSION = 3" in written


class Account:
    """Answers as an account that has one Iceberg table."""

    def __init__(self, types: dict[str, str], **shown: str) -> None:
        self.types, self.shown = types, shown

    def rows(self, statement: str) -> list[dict[str, Any]]:
        if statement.startswith("DESCRIBE"):
            return [{"name": name, "type": type_} for name, type_ in self.types.items()]
        switches = {"enable_schema_evolution": "N", "error_logging": "ON"}
        return [{"name": "T", "iceberg_table_format_version": "3", **switches, **self.shown}]


@pytest.mark.parametrize(
    ("id_", "location", "differs"),
    [
        ("NUMBER(10,0)", "lake/t", []),
        ("NUMBER(10,0)", "lake/t.5Xq2nO8w/", []),
        ("NUMBER(38,0)", "lake/t", ["column ID"]),
        ("NUMBER(10,0)", "lake/other", ["BASE_LOCATION"]),
        ("NUMBER(10,0)", "lake/t2", ["BASE_LOCATION"]),
    ],
)
def test_an_iceberg_table_that_is_another_is_a_finding(
    monkeypatch: pytest.MonkeyPatch, id_: str, location: str, differs: list[str]
) -> None:
    monkeypatch.setattr("firnline_infra.observe.readback.rows_if_there", lambda account, asked: account.rows(asked))
    chosen = {**OPENFLOWS_ICEBERG, "table": "T", "base_location": "lake/t", "columns": columns(ID="int")}
    made = table(**chosen)
    there = Account({**{each.name.name: each.type for each in made.metadata}, "ID": id_}, base_location=location)
    assert [finding.path for finding in table_findings(made, there)] == differs


def test_a_whole_number_is_iceberg_s_own_in_its_tables_alone() -> None:
    types = columns(A="int", B="BIGINT", C="Double", D="STRING")
    standard = table(columns=types)
    assert [each.type for each in standard.columns] == ["NUMBER(38, 0)", "NUMBER", "FLOAT", "VARCHAR"]
    iceberg = {**OPENFLOWS_ICEBERG, "columns": types, "structured_metadata": False}
    assert [each.type for each in table(**iceberg).columns] == ["INT", "NUMBER", "FLOAT", "VARCHAR"]


@pytest.mark.parametrize("declared", [OPENFLOWS_ORDERS, KAFKAS_PERSONS])
def test_tables_of_a_fixed_schema_are_made_as_they_stand(declared: list[dict[str, str]]) -> None:
    made = table(columns=declared, schema_evolution=False)
    assert [each.type for each in made.columns] == [each["type"] for each in declared]


def test_the_kafka_connectors_interactive_table_needs_no_sorting() -> None:
    made = table(FAST, **KAFKAS_METRICS)
    assert isinstance(made, InteractiveTable)
    assert "CLUSTER BY" not in made.create
    assert asdict(table(FAST, **KAFKAS_METRICS, cluster_by=["metric_name"]))["cluster_by"]


def test_streams_are_found_by_how_their_names_end() -> None:
    cats, dogs = (pipeline(f"a_{kind}", stream_pattern=f".*_{kind}", table=f"{kind}_TABLE") for kind in ("cat", "dog"))
    made = blueprint_of(smallest(streams=[{"name": "a_cat"}, {"name": "a_dog"}], pipelines=[cats, dogs]))
    said = str(made)
    assert "stream/*_cat" in said
    assert "stream/*_dog" in said


def test_the_kafka_connectors_pipe_fills_its_table() -> None:
    names = ("topic", "partition", "order_id", "customer_name", "order_total", "ispaid")
    given = {"columns": columns(**dict.fromkeys(names, "VARCHAR")), "schema_evolution": False}
    pipe = {"name": "ORDERS", "select": f"$1:RECORD_METADATA, {KAFKAS_PIPE}"}
    made = table(**given, metadata=KAFKAS_METADATA, pipe=pipe)
    without = {**given, "metadata": {"form": "none"}, "audit": False, "pipe": {"name": "ORDERS", "select": KAFKAS_PIPE}}
    assert ["is in no row" in each for each in problems(**one_pipeline(**without))] == [True, True]
    assert [each.path and each.path[-1] for each in selected(KAFKAS_PIPE)] == [
        "topic", "partition", "order_id", "customer_name", None, "isPaid",
    ]  # fmt: skip # a line
    assert len(made.columns) == len(names)
