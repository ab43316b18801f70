"""Tests of what routes add to a stack: a table each, behind its schema, and grants behind their table and role."""

from firnline_infra.blueprint import blueprint_of
from firnline_infra.pulumi.snowflake import SnowflakeLanding
from firnline_infra.specification import parse_spec
from tests.infra.blueprint.test_routes import SPECIFICATION
from tests.infra.pulumi.conftest import Deploy


def test_each_routes_table_is_a_resource_of_its_kind_with_its_grants(deploy: Deploy) -> None:
    landing = blueprint_of(parse_spec(SPECIFICATION, "shop.yaml")).landing
    landed = deploy(lambda: SnowflakeLanding("l", landing))
    assert {each.name for kind in ("Table", "IcebergTable") for each in landed.of(kind)} == {
        "l-table-LAKE.RAW.SHOP",
        "l-table-LAKE.RAW.ORDERS",
        'l-table-LAKE.RAW."Refunds"',
        "l-table-LAKE.RAW.OWNED",
        "l-table-LAKE.RAW.PIPED",
    }
    statements = {each.name: each.inputs for each in landed.of("Execute")}
    assert statements["l-table-LAKE.RAW.CLICKS"]["execute"].startswith("CREATE INTERACTIVE TABLE IF NOT EXISTS")
    assert "l-table-LAKE.RAW.OWNED-enable_schema_evolution" not in statements
    for table in landing.tables:
        assert "l-schema-LAKE.RAW" in landed[f"l-table-{table.name}"].after
    grants = landed.of("GrantPrivilegesToAccountRole")
    (grant,) = [each for each in grants if "INGEST" in each.name and each.name.endswith('LAKE.RAW."Refunds"')]
    assert {'l-table-LAKE.RAW."Refunds"', "l-role-FIRNLINE_SHOP_INGEST"} <= grant.after
    assert sorted(grant.inputs["privileges"]) == ["EVOLVE SCHEMA", "INSERT"]
