"""What a pipeline needs in Snowflake: its table and what is around it, and the least that its two roles need there.

The ingest role's privileges are those of Snowflake's own page (`snowpipe-streaming-access-control`). It needs nothing
more to see the identity of its table and pipe: SHOW lists whatever a role has any privilege on.
"""

from collections.abc import Iterator

from firnline_infra.blueprint.snowflake.container import Database, Schema
from firnline_infra.blueprint.snowflake.grant import PrivilegeGrant, Securable
from firnline_infra.blueprint.snowflake.table import Table
from firnline_infra.spec.identifier import Identifier, QualifiedName
from firnline_infra.spec.model import Pipeline
from firnline_infra.spec.names import Principal, table_of


def containers(pipeline: Pipeline) -> Iterator[Database | Schema | Table]:
    yield Database(name=Identifier.parse(pipeline.database))
    yield Schema(name=QualifiedName.of(pipeline.database, pipeline.schema_))
    yield Table(
        name=table_of(pipeline),
        metadata_column=Identifier.parse(pipeline.metadata.column),
        schema_evolution=pipeline.schema_evolution,
        error_logging=pipeline.error_logging,
        row_timestamp=pipeline.row_timestamp,
    )


def grants(pipeline: Pipeline, *, ingest: Principal, reader: Principal) -> Iterator[PrivilegeGrant]:
    for principal, on_the_table in ((ingest, _to_insert(pipeline)), (reader, _to_select(pipeline))):
        yield PrivilegeGrant(
            privileges=("USAGE",),
            on=Securable.DATABASE,
            name=QualifiedName.of(pipeline.database),
            role=principal.role,
        )
        yield PrivilegeGrant(
            privileges=("USAGE",),
            on=Securable.SCHEMA,
            name=QualifiedName.of(pipeline.database, pipeline.schema_),
            role=principal.role,
        )
        yield PrivilegeGrant(privileges=on_the_table, on=Securable.TABLE, name=table_of(pipeline), role=principal.role)


def _to_insert(pipeline: Pipeline) -> tuple[str, ...]:
    return ("INSERT", "EVOLVE SCHEMA") if pipeline.schema_evolution else ("INSERT",)


def _to_select(pipeline: Pipeline) -> tuple[str, ...]:
    return ("SELECT", "SELECT ERROR TABLE") if pipeline.error_logging else ("SELECT",)
