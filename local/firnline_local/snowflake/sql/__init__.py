"""The embedded Snowflake's SQL service: what the drivers speak over HTTP, answered from the catalog and the store."""

from starlette.routing import Route

from firnline_local.faults import FaultPlan
from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.sql.http import SqlService


def sql_routes(catalog: Catalog, faults: FaultPlan) -> list[Route]:
    """Login, sessions and queries. Once a catalog; every call is the endpoint `snowflake:sql` of the fault plan."""
    return SqlService(catalog, faults).routes()


__all__ = ["sql_routes"]
