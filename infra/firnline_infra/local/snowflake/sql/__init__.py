"""The embedded Snowflake's SQL face: what the drivers speak over HTTP, answered from the catalog and the store."""

from starlette.routing import Route

from firnline_infra.local.snowflake.catalog import Catalog
from firnline_infra.local.snowflake.sql.http.routes import SqlFace
from firnline_ingest.testing.faults import FaultPlan


def sql_routes(catalog: Catalog, faults: FaultPlan) -> list[Route]:
    """Login, sessions and queries. Once a catalog; every call is the endpoint `snowflake:sql` of the fault plan."""
    return SqlFace(catalog, faults).routes()


__all__ = ["sql_routes"]
