"""A table that a route leads to is looked at like any other, and named where it holds data."""

from types import SimpleNamespace
from typing import Any, cast

from firnline_infra.blueprint import blueprint_of
from firnline_infra.drift.tables import checks
from firnline_infra.specification import parse_spec
from tests.infra.blueprint.test_routes import SPECIFICATION


def test_drift_checks_the_table_of_each_route() -> None:
    context = SimpleNamespace(blueprint=blueprint_of(parse_spec(SPECIFICATION, "shop.yaml")))
    assert [each.name for each in checks(cast("Any", context))] == [
        "the properties of snowflake table LAKE.RAW.SHOP",
        "the properties of snowflake table LAKE.RAW.ORDERS",
        'the properties of snowflake iceberg table LAKE.RAW."Refunds"',
        "the properties of snowflake interactive table LAKE.RAW.CLICKS",
        "the properties of snowflake table LAKE.RAW.OWNED",
        "the properties of snowflake table LAKE.RAW.PIPED",
    ]
