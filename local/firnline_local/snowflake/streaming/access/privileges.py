"""Who may ingest through which pipe (documentation, `snowpipe-streaming-access-control`).

USAGE on the database and the schema, INSERT on the table, OPERATE on a pipe that somebody made; nothing on a default pipe.
USAGE on the volume that an Iceberg table is on.
What is missing and what may not be seen get the same answer: a default pipe speaks of its table, any other of itself.
"""

from firnline_local.snowflake.catalog import Catalog, CatalogObject, Pipe, Table
from firnline_local.snowflake.catalog.errors import DoesNotExist
from firnline_local.snowflake.catalog.names import read_path_segment
from firnline_local.snowflake.catalog.pipes import DEFAULT_SUFFIX
from firnline_local.snowflake.streaming.http.address import Address
from firnline_local.snowflake.streaming.refusals import ApiError, PipeMissing, TableMissing


def pipe_for(catalog: Catalog, role: str, address: Address) -> Pipe:
    """The pipe, which may come to exist by this. Raises TableMissing or PipeMissing. The caller holds the lock."""
    table_name = _table_of_default_pipe(address.target)
    if table_name is not None:
        table = catalog.resolve_table(address.database, address.schema, table_name)
        if table is None or not _may_insert(catalog, role, table):
            raise TableMissing
    pipe = catalog.resolve_pipe(address.database, address.schema, address.target)
    if pipe is None:
        raise missing(address)
    if not pipe.is_default and not _may(catalog, role, "OPERATE", pipe):
        raise PipeMissing
    if not _may_insert(catalog, role, pipe.table):
        raise TableMissing
    return pipe


def may_evolve(catalog: Catalog, role: str, table: Table) -> bool:
    """EVOLVE SCHEMA or, as everywhere, OWNERSHIP."""
    return _may(catalog, role, "EVOLVE SCHEMA", table)


def missing(address: Address) -> ApiError:
    return PipeMissing() if _table_of_default_pipe(address.target) is None else TableMissing()


def stored_path(address: Address) -> tuple[str, ...]:
    """The stored names of database, schema and pipe."""
    return tuple(read_path_segment(part) for part in (address.database, address.schema, address.target))


def _may_insert(catalog: Catalog, role: str, table: Table) -> bool:
    schema = table.schema
    return (
        _may(catalog, role, "USAGE", schema.database)
        and _may(catalog, role, "USAGE", schema)
        and _may(catalog, role, "INSERT", table)
        and (table.iceberg is None or _may(catalog, role, "USAGE", table.iceberg.external_volume))
    )


def _may(catalog: Catalog, role: str, privilege: str, on: CatalogObject) -> bool:
    try:
        return catalog.has_privilege(role, privilege, on)
    except DoesNotExist:
        return False  # the role was dropped; its tokens outlive it


def _table_of_default_pipe(pipe: str) -> str | None:
    """The table's name as a path spells it: the suffix is inside the quotes of a quoted one."""
    quote = '"' if pipe.endswith('"') else ""
    body = pipe.removesuffix('"')
    return body[: -len(DEFAULT_SUFFIX)] + quote if body.upper().endswith(DEFAULT_SUFFIX) else None
