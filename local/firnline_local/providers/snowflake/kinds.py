"""The rows of pulumi-snowflake that there are."""

from firnline_local.providers.snowflake import (
    containers,
    execute,
    grants,
    policies,
    principals,
    tables,
    volumes,
    warehouses,
)

FAMILIES = (containers, execute, grants, policies, principals, tables, volumes, warehouses)
KINDS = tuple(kind for family in FAMILIES for kind in family.KINDS)
