"""Objects of a pipeline in Snowflake: its table and what is around it, and the least that its two roles need there.

The ingest role's privileges are those of Snowflake's own page (`snowpipe-streaming-access-control`). It needs nothing
more to see the identity of its table and pipe: SHOW lists whatever a role has any privilege on.
"""

from collections.abc import Iterator

from firnline_infra.blueprint.grants import OwnershipGrant, PrivilegeGrant, Securable
from firnline_infra.blueprint.snowflake import (
    Column,
    DeadLetterPipe,
    DeadLetterStage,
    IcebergTable,
    InteractiveTable,
    Pipe,
    Table,
)
from firnline_infra.blueprint.table_properties import values_of
from firnline_infra.specification.column_type import ColumnType
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.metadata_type import metadata_columns
from firnline_infra.specification.model import Durability
from firnline_infra.specification.names import Principal, latest_name, table_of
from firnline_infra.specification.pipeline import Pipeline, content_column
from firnline_infra.specification.table import SNOWFLAKE_STORAGE, TableKind, TablePrivilege
from firnline_ingest.identifiers import dead_letters_name

SECURABLES = {
    TableKind.STANDARD: Securable.TABLE,
    TableKind.ICEBERG: Securable.ICEBERG_TABLE,
    TableKind.INTERACTIVE: Securable.INTERACTIVE_TABLE,
}


def schema_of(pipeline: Pipeline) -> QualifiedName:
    return QualifiedName.of(pipeline.database, pipeline.schema_)


def table(pipeline: Pipeline, durability: Durability, comment: str) -> Table | IcebergTable | InteractiveTable:
    name = table_of(pipeline)
    metadata = tuple(Column(name=Identifier(each), type=type_) for each, type_ in metadata_columns(pipeline).items())
    columns = _columns(pipeline)
    if pipeline.external_volume is not None:
        return IcebergTable(
            name=name,
            metadata=metadata,
            columns=columns,
            volume=Identifier.parse(pipeline.external_volume),
            base_location=_base_location(pipeline),
            format_version=pipeline.iceberg_version,
            durability=durability,
            comment=comment,
            **values_of(TableKind.ICEBERG, pipeline),
        )
    if pipeline.table_kind is TableKind.INTERACTIVE:
        sorting = tuple(Identifier.parse(each) for each in pipeline.cluster_by)
        return InteractiveTable(
            name=name, metadata=metadata, columns=columns, cluster_by=sorting, durability=durability
        )
    return Table(
        name=name,
        metadata=metadata,
        columns=columns,
        cluster_by=tuple(map(Identifier.parse, pipeline.cluster_by)),
        change_tracking=pipeline.keeps_latest,
        durability=durability,
        comment=comment,
        **values_of(TableKind.STANDARD, pipeline),
    )


def _base_location(pipeline: Pipeline) -> str:
    """Empty in Snowflake's own storage, which has none."""
    if pipeline.external_volume == SNOWFLAKE_STORAGE:
        return ""
    return pipeline.base_location or "/".join(part.name.lower() for part in table_of(pipeline).parts)


def _columns(pipeline: Pipeline) -> tuple[Column, ...]:
    is_iceberg = pipeline.table_kind is TableKind.ICEBERG
    declared = tuple(
        Column(
            name=Identifier.parse(each.name),
            type=str(ColumnType.parse(each.type).of_table(is_iceberg=is_iceberg)),
            nullable=each.nullable,
            select=each.select,
        )
        for each in pipeline.columns
    )
    content = content_column(pipeline)
    if content is None:
        return declared
    name, type_ = Identifier(content[0]), content[1]
    select = f"$1:{name.sql}::{type_}" if any(each.select for each in declared) else None
    return (Column(name=name, type=type_, select=select), *declared)


def pipe(pipeline: Pipeline, durability: Durability, comment: str) -> Pipe | None:
    if pipeline.pipe is None or pipeline.pipe.select is None:
        return None
    name = QualifiedName((*schema_of(pipeline).parts, Identifier.parse(pipeline.pipe.name)))
    return Pipe(
        name=name,
        table=table_of(pipeline),
        select=pipeline.pipe.select,
        cluster_at_ingest_time=pipeline.pipe.cluster_at_ingest_time,
        durability=durability,
        comment=comment,
    )


def dead_letter_stage(pipeline: Pipeline, durability: Durability, comment: str) -> DeadLetterStage | None:
    if not pipeline.file_replay:
        return None
    return DeadLetterStage(name=dead_letter_place(pipeline), durability=durability, comment=comment)


def dead_letter_pipe(pipeline: Pipeline, durability: Durability, comment: str) -> DeadLetterPipe | None:
    if not pipeline.file_replay:
        return None
    return DeadLetterPipe(
        name=dead_letter_place(pipeline), table=table_of(pipeline), durability=durability, comment=comment
    )


def dead_letter_place(pipeline: Pipeline) -> QualifiedName:
    """The name that the stage and the pipe for dead letters share."""
    *container, own = table_of(pipeline).parts
    return QualifiedName((*container, Identifier(dead_letters_name(own.name))))


def grants(pipeline: Pipeline, *, ingest: Principal, reader: Principal) -> Iterator[PrivilegeGrant]:
    on_the_table = {ingest: _to_insert(pipeline), reader: _to_select(pipeline)}
    for principal, privileges in on_the_table.items():
        role = principal.role
        database, kind = QualifiedName.of(pipeline.database), SECURABLES[pipeline.table_kind]
        yield PrivilegeGrant(privileges=("USAGE",), on=Securable.DATABASE, name=database, role=role)
        yield PrivilegeGrant(privileges=("USAGE",), on=Securable.SCHEMA, name=schema_of(pipeline), role=role)
        if privileges:
            yield PrivilegeGrant(privileges=privileges, on=kind, name=table_of(pipeline), role=role)
    if pipeline.keeps_latest:
        name, privileges = latest_name(pipeline), ("SELECT", "MONITOR")
        yield PrivilegeGrant(privileges=privileges, on=Securable.DYNAMIC_TABLE, name=name, role=reader.role)
    if pipeline.external_volume not in (None, SNOWFLAKE_STORAGE):
        volume = QualifiedName.of(pipeline.external_volume)
        yield PrivilegeGrant(privileges=("USAGE",), on=Securable.EXTERNAL_VOLUME, name=volume, role=ingest.role)
    if pipeline.pipe is not None:
        name = QualifiedName((*schema_of(pipeline).parts, Identifier.parse(pipeline.pipe.name)))
        yield PrivilegeGrant(privileges=("OPERATE",), on=Securable.PIPE, name=name, role=ingest.role)
    if pipeline.file_replay:
        name = dead_letter_place(pipeline)
        yield PrivilegeGrant(privileges=("READ", "WRITE"), on=Securable.STAGE, name=name, role=ingest.role)
        yield PrivilegeGrant(privileges=("OPERATE", "MONITOR"), on=Securable.PIPE, name=name, role=ingest.role)


def ownership(pipeline: Pipeline, ingest: Principal) -> OwnershipGrant | None:
    if pipeline.table_privilege is not TablePrivilege.OWNERSHIP:
        return None
    return OwnershipGrant(on=SECURABLES[pipeline.table_kind], name=table_of(pipeline), role=ingest.role)


def _to_insert(pipeline: Pipeline) -> tuple[str, ...]:
    """Nothing for an owner, who may all of it."""
    if pipeline.table_privilege is TablePrivilege.OWNERSHIP:
        return ()
    evolves = pipeline.schema_evolution and pipeline.table_kind is not TableKind.INTERACTIVE
    privileges = ("INSERT", "EVOLVE SCHEMA") if evolves else ("INSERT",)
    return (*privileges, "SELECT") if pipeline.file_replay else privileges


def _to_select(pipeline: Pipeline) -> tuple[str, ...]:
    has_errors = pipeline.error_logging and pipeline.table_kind is not TableKind.INTERACTIVE
    return ("SELECT", "SELECT ERROR TABLE") if has_errors else ("SELECT",)
