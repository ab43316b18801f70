"""Tests of what routes make: a table, its rights, and the engine's configuration that leads there."""

import pytest
import yaml

from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.engine_config import engine_config
from firnline_infra.blueprint.grants import PrivilegeGrant
from firnline_infra.blueprint.snowflake import IcebergTable, InteractiveTable, Table
from firnline_infra.environment import Environment
from firnline_infra.kinds.storage import external_volumes
from firnline_infra.specification import parse_spec
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.routes import Unmatched

SPECIFICATION = """
version: 1
name: shop
aws: {region: eu-central-1, account: "123456789012"}
snowflake:
  account: ORG-ACCOUNT
  warehouse: SMALL
  external_volumes: [{name: LAKE}]
  interactive_warehouse: {name: FAST}
streams: [{name: shop}]
pipelines:
  - stream: shop
    database: LAKE
    schema: RAW
    error_logging: false
    columns: [{name: ID, type: VARCHAR}]
    routes:
      key: kind
      unmatched: own_table
      tables:
        - {table: ORDERS, values: [order, again], columns: [{name: TOTAL, type: "NUMBER(18, 2)"}]}
        - {table: '"Refunds"', values: [refund], table_kind: iceberg, external_volume: LAKE, error_logging: true}
        - {table: CLICKS, values: [click], table_kind: interactive, cluster_by: [ID],
           columns: [{name: ID, type: VARCHAR}, {name: URL, type: VARCHAR}]}
        - {table: OWNED, values: [own], table_privilege: ownership, schema_evolution: false, row_timestamp: false}
        - {table: PIPED, values: [pipe], schema_evolution: false, columns: [{name: ID, type: "NUMBER(38, 0)"}],
           pipe: {name: PIPED, select: "$1:KINESISMETADATA, $1:id::NUMBER"}}
"""


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return blueprint_of(parse_spec(SPECIFICATION, "shop.yaml"))


def test_each_table_is_made_as_its_route_says(blueprint: Blueprint) -> None:
    own, orders, refunds, clicks, owned, piped = blueprint.landing.tables
    assert [str(table.name) for table in blueprint.landing.tables] == [
        "LAKE.RAW.SHOP",
        "LAKE.RAW.ORDERS",
        'LAKE.RAW."Refunds"',
        "LAKE.RAW.CLICKS",
        "LAKE.RAW.OWNED",
        "LAKE.RAW.PIPED",
    ]
    assert isinstance(orders, Table)
    assert [column.sql for column in orders.columns] == ['"TOTAL" NUMBER(18, 2)']
    assert (orders.error_logging, orders.row_timestamp, orders.schema_evolution) == (False, True, True)
    assert isinstance(refunds, IcebergTable)
    assert (refunds.volume.name, refunds.error_logging, refunds.columns) == ("LAKE", True, ())
    assert isinstance(clicks, InteractiveTable)
    assert [column.name.name for column in clicks.columns] == ["ID", "URL"]
    assert isinstance(owned, Table)
    assert not owned.row_timestamp
    assert all(table.metadata for table in (own, orders, refunds, clicks, owned, piped))


def test_rights_are_those_of_each_tables_kind_and_no_others(blueprint: Blueprint) -> None:
    def of(role: str) -> dict[str, set[str]]:
        given: dict[str, set[str]] = {}
        for grant in blueprint.landing.grants:
            assert isinstance(grant, PrivilegeGrant)
            if str(grant.role) == role and len(grant.name.parts) == 3:
                given.setdefault(str(grant.name), set()).update(grant.privileges)
        return given

    assert of("FIRNLINE_SHOP_INGEST") == {
        "LAKE.RAW.SHOP": {"INSERT", "EVOLVE SCHEMA"},
        "LAKE.RAW.ORDERS": {"INSERT", "EVOLVE SCHEMA"},
        'LAKE.RAW."Refunds"': {"INSERT", "EVOLVE SCHEMA"},
        "LAKE.RAW.CLICKS": {"INSERT"},
        "LAKE.RAW.PIPED": {"INSERT", "OPERATE"},
    }
    assert [str(each.name) for each in blueprint.landing.ownerships] == ["LAKE.RAW.OWNED"]
    reader = of("FIRNLINE_SHOP_READER")
    assert reader.pop('LAKE.RAW."Refunds"') == {"SELECT", "SELECT ERROR TABLE"}
    assert set(map(frozenset, reader.values())) == {frozenset({"SELECT"})}
    assert set(of("FIRNLINE_SHOP_PREVIEW")) == {str(table.name) for table in blueprint.landing.tables}
    volume = [grant for grant in blueprint.landing.grants if str(grant.name) == "LAKE" and "VOLUME" in grant.on]
    assert {str(grant.role) for grant in volume} == {"FIRNLINE_SHOP_INGEST", "FIRNLINE_SHOP_PREVIEW"}


def test_a_pipe_and_an_interactive_warehouse_serve_the_routes_tables(blueprint: Blueprint) -> None:
    (pipe,) = blueprint.landing.pipes
    assert (str(pipe.name), str(pipe.table)) == ("LAKE.RAW.PIPED", "LAKE.RAW.PIPED")
    assert blueprint.landing.warehouse is not None
    assert list(map(str, blueprint.landing.warehouse.tables)) == ["LAKE.RAW.CLICKS"]
    assert "snowflake_iceberg_table_resource" in blueprint.preview_features
    assert [volume.name.name for volume in external_volumes(blueprint.environment)] == ["LAKE"]


def test_the_engine_is_told_where_each_value_leads(blueprint: Blueprint) -> None:
    document = engine_config(Environment.of(parse_spec(SPECIFICATION, "shop.yaml")), blueprint.outputs)
    (written,) = document["pipelines"]
    assert written["pipe_selects"], "one of the tables has a pipe that does"
    assert written["routes"] == {
        "key": "kind",
        "tables": {
            "order": "ORDERS",
            "again": "ORDERS",
            "refund": '"Refunds"',
            "click": "CLICKS",
            "own": "OWNED",
            "pipe": "PIPED",
        },
        "unmatched": "own_table",
    }
    document["snowflake"]["private_key"], document["dead_letters"] = {"env": "KEY"}, {"folder": "/letters"}
    (read,) = parse(EngineConfig, document, "engine.json").pipelines
    assert read.routes is not None
    assert read.routes.unmatched is Unmatched.OWN_TABLE
    assert list(read.routed) == ["ORDERS", "Refunds", "CLICKS", "OWNED", "PIPED"]


def test_others_are_dead_letters_where_nothing_else_is_said() -> None:
    document = yaml.safe_load(SPECIFICATION)
    document["pipelines"][0]["routes"] = {"key": "kind", "tables": [{"table": "ORDERS", "values": ["order"]}]}
    del document["snowflake"]["interactive_warehouse"]
    spec = parse_spec(yaml.safe_dump(document), "shop.yaml")
    (written,) = engine_config(Environment.of(spec), blueprint_of(spec).outputs)["pipelines"]
    assert written["routes"] == {"key": "kind", "tables": {"order": "ORDERS"}}
    assert "pipe_selects" not in written


def test_what_is_adopted_is_asked_of_its_owner() -> None:
    """The pipeline's own table is made in the adopted schema, and one of the routes' tables is somebody's."""
    document = yaml.safe_load(SPECIFICATION)
    adopted = {"name": "LAKE", "origin": "adopt", "schemas": [{"name": "RAW", "origin": "adopt"}]}
    document["snowflake"]["databases"] = [adopted]
    document["pipelines"][0]["routes"]["tables"][0]["table_origin"] = "adopt"
    blueprint = blueprint_of(parse_spec(yaml.safe_dump(document), "shop.yaml"))
    assert [str(table.name) for table in blueprint.landing.adopted_tables] == ["LAKE.RAW.ORDERS"]
    assert "LAKE.RAW.ORDERS" not in [str(table.name) for table in blueprint.landing.tables]
    asked = {str(grant.name): set(grant.privileges) for grant in blueprint.required_grants if grant.handed_on}
    assert asked["LAKE.RAW.ORDERS"] == {"INSERT", "EVOLVE SCHEMA", "SELECT", "REFERENCES"}
    creates = {each for grant in blueprint.required_grants if not grant.handed_on for each in grant.privileges}
    assert {"CREATE TABLE", "CREATE ICEBERG TABLE", "CREATE INTERACTIVE TABLE", "CREATE PIPE"} <= creates


def test_two_pipelines_give_one_role_its_rights_on_a_table_together() -> None:
    """One grant for each role and table: a second one would be a resource of the same name."""
    document = yaml.safe_load(SPECIFICATION)
    shop = {"stream": "shop", "database": "LAKE", "schema": "RAW", "shared_table": True}
    routes = {"key": "kind", "tables": [{"table": "SHOP", "values": ["order"]}]}
    document |= {
        "snowflake": {"account": "ORG-ACCOUNT"},
        "streams": [{"name": "shop"}, {"name": "more"}],
        "pipelines": [{**shop, "file_replay": True}, {**shop, "file_replay": True, "stream": "more", "routes": routes}],
    }
    grants = blueprint_of(parse_spec(yaml.safe_dump(document), "shop.yaml")).landing.grants
    assert len({(grant.role, grant.on, grant.name) for grant in grants}) == len(grants)
    (engines,) = (one for one in grants if (str(one.name), str(one.role)) == ("LAKE.RAW.SHOP", "FIRNLINE_SHOP_INGEST"))
    assert engines.privileges == ("INSERT", "EVOLVE SCHEMA", "SELECT")
