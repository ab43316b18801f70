"""Objects of a pipeline in Snowflake: its table and what is around it, and the least that its two roles need there.

The ingest role's privileges are those of Snowflake's own page (`snowpipe-streaming-access-control`). It needs nothing
more to see the identity of its table and pipe: SHOW lists whatever a role has any privilege on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from firnline_infra.blueprint.grants import OwnershipGrant, PrivilegeGrant, Securable
from firnline_infra.blueprint.latest import LatestTable, latest_table
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
from firnline_infra.environment import Environment
from firnline_infra.specification.column_type import ColumnType
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.metadata_type import metadata_columns
from firnline_infra.specification.model import Durability
from firnline_infra.specification.names import Principal
from firnline_infra.specification.pipeline import Pipeline, content_column
from firnline_infra.specification.table import TableKind, TablePrivilege
from firnline_infra.specification.target_tables import TargetTable

Thing = TypeVar("Thing")
SECURABLES = {
    TableKind.STANDARD: Securable.TABLE,
    TableKind.ICEBERG: Securable.ICEBERG_TABLE,
    TableKind.INTERACTIVE: Securable.INTERACTIVE_TABLE,
}


@dataclass(frozen=True, kw_only=True)
class TargetObjects:
    """The objects of a target table in Snowflake. Two pipelines may fill one table: what is equal is made once."""

    table: Table | IcebergTable | InteractiveTable
    is_adopted: bool
    pipes: tuple[Pipe | DeadLetterPipe, ...]
    stages: tuple[DeadLetterStage, ...]
    latest: tuple[LatestTable, ...]
    grants: tuple[PrivilegeGrant, ...]
    ownerships: tuple[OwnershipGrant, ...]
    adopted_pipes: tuple[QualifiedName, ...]


def objects_of(target: TargetTable, environment: Environment) -> TargetObjects:
    """Returns the table, the objects around it, and what the roles of its pipeline need there."""
    durability, comment, names = environment.durability, environment.comment, environment.names
    is_adopted, pipe_options = target.pipeline.table_origin is ObjectOrigin.ADOPT, target.pipeline.pipe
    ingest = names.ingest_of[target.pipeline.stream]
    latest = None if is_adopted else latest_table(target, names.warehouse, comment)
    pipes = _pipe(target, durability, comment), _dead_letter_pipe(target, durability, comment)
    pipe_is_adopted = pipe_options is not None and pipe_options.origin is ObjectOrigin.ADOPT
    return TargetObjects(
        table=table(target, durability, comment),
        is_adopted=is_adopted,
        pipes=tuple(each for each in pipes if each is not None),
        stages=_some(_dead_letter_stage(target, durability, comment)),
        latest=_some(latest),
        grants=tuple(grants(target, ingest=ingest, reader=names.reader)),
        ownerships=_some(_ownership(target, ingest)),
        adopted_pipes=_some(target.pipe) if pipe_is_adopted else (),
    )


def _some(thing: Thing | None) -> tuple[Thing, ...]:
    return () if thing is None else (thing,)


def table(target: TargetTable, durability: Durability, comment: str) -> Table | IcebergTable | InteractiveTable:
    name, pipeline = target.name, target.pipeline
    metadata = tuple(Column(name=Identifier(each), type=type_) for each, type_ in metadata_columns(pipeline).items())
    columns = _columns(pipeline)
    if pipeline.external_volume is not None:
        return IcebergTable(
            name=name,
            metadata=metadata,
            columns=columns,
            volume=Identifier.parse(pipeline.external_volume),
            base_location=_base_location(target),
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


def _base_location(target: TargetTable) -> str:
    """Empty in Snowflake's own storage, which has none."""
    if target.volume is None:
        return ""
    return target.pipeline.base_location or "/".join(part.name.lower() for part in target.name.parts)


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


def _pipe(target: TargetTable, durability: Durability, comment: str) -> Pipe | None:
    options = target.pipeline.pipe
    if target.pipe is None or options is None or options.select is None:
        return None
    return Pipe(
        name=target.pipe,
        table=target.name,
        select=options.select,
        cluster_at_ingest_time=options.cluster_at_ingest_time,
        durability=durability,
        comment=comment,
    )


def _dead_letter_stage(target: TargetTable, durability: Durability, comment: str) -> DeadLetterStage | None:
    if target.letters is None:
        return None
    return DeadLetterStage(name=target.letters, durability=durability, comment=comment)


def _dead_letter_pipe(target: TargetTable, durability: Durability, comment: str) -> DeadLetterPipe | None:
    if target.letters is None:
        return None
    return DeadLetterPipe(name=target.letters, table=target.name, durability=durability, comment=comment)


def grants(target: TargetTable, *, ingest: Principal, reader: Principal) -> Iterator[PrivilegeGrant]:
    database, kind = QualifiedName((target.database,)), SECURABLES[target.pipeline.table_kind]
    for role, privileges in ((ingest.role, _to_insert(target.pipeline)), (reader.role, _to_select(target.pipeline))):
        yield PrivilegeGrant(privileges=("USAGE",), on=Securable.DATABASE, name=database, role=role)
        yield PrivilegeGrant(privileges=("USAGE",), on=Securable.SCHEMA, name=target.schema, role=role)
        if privileges:
            yield PrivilegeGrant(privileges=privileges, on=kind, name=target.name, role=role)
    around: tuple[tuple[Identifier, Securable, QualifiedName | None, tuple[str, ...]], ...] = (
        (reader.role, Securable.DYNAMIC_TABLE, target.latest, ("SELECT", "MONITOR")),
        (ingest.role, Securable.EXTERNAL_VOLUME, target.volume, ("USAGE",)),
        (ingest.role, Securable.PIPE, target.pipe, ("OPERATE",)),
        (ingest.role, Securable.STAGE, target.letters, ("READ", "WRITE")),
        (ingest.role, Securable.PIPE, target.letters, ("OPERATE", "MONITOR")),
    )
    for role, kind, name, privileges in around:
        if name is not None:
            yield PrivilegeGrant(privileges=privileges, on=kind, name=name, role=role)


def _ownership(target: TargetTable, ingest: Principal) -> OwnershipGrant | None:
    if target.pipeline.table_privilege is not TablePrivilege.OWNERSHIP:
        return None
    return OwnershipGrant(on=SECURABLES[target.pipeline.table_kind], name=target.name, role=ingest.role)


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
