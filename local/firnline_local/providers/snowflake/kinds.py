"""The rows of pulumi-snowflake that there are."""

from firnline_local.providers.snowflake import (
    containers,
    dynamic,
    execute,
    grants,
    policies,
    principals,
    tables,
    volumes,
    warehouses,
)

FAMILIES = (containers, dynamic, execute, grants, policies, principals, tables, volumes, warehouses)
KINDS = tuple(kind for family in FAMILIES for kind in family.KINDS)
