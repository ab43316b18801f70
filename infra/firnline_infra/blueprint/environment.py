"""Everything that must exist for an environment, in the order in which it can be made.

A pure function of the specification: Pulumi, CDKTF, the embedded environment and drift all read this list.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firnline_infra.blueprint.ledger_table import LedgerTable
from firnline_infra.blueprint.snowflake.container import Database, Schema
from firnline_infra.blueprint.snowflake.grant import PrivilegeGrant, RoleGrant, Securable
from firnline_infra.blueprint.snowflake.pipeline import containers, grants
from firnline_infra.blueprint.snowflake.principal import Role, User
from firnline_infra.blueprint.snowflake.table import Table
from firnline_infra.blueprint.stream import Stream
from firnline_infra.blueprint.tags import tags
from firnline_infra.spec.identifier import Identifier, QualifiedName
from firnline_infra.spec.model import EnvironmentSpec, ServiceUser
from firnline_infra.spec.names import Names, Principal

Definition = Stream | LedgerTable | Database | Schema | Table | Role | User | PrivilegeGrant | RoleGrant


@dataclass(frozen=True, kw_only=True)
class Blueprint:
    names: Names
    definitions: tuple[Definition, ...]
    """Each once, each after what it depends on."""


def blueprint_of(spec: EnvironmentSpec) -> Blueprint:
    """The same specification always gives the same blueprint."""
    names = Names.of(spec)
    definitions = [*_aws(spec, names), *_snowflake(spec, names)]
    return Blueprint(names=names, definitions=tuple(_each_once(definitions)))


def _aws(spec: EnvironmentSpec, names: Names) -> Iterator[Definition]:
    for stream in spec.streams:
        yield Stream(
            name=stream.name,
            shards=stream.shards,
            retention_hours=stream.retention_hours,
            tags=tags(spec, component="stream"),
        )
    yield LedgerTable(name=names.ledger_table, tags=tags(spec, component="ledger"))


def _snowflake(spec: EnvironmentSpec, names: Names) -> Iterator[Definition]:
    for pipeline in spec.pipelines:
        yield from containers(pipeline)
    warehouse = Identifier.parse(spec.snowflake.reader_warehouse) if spec.snowflake.reader_warehouse else None
    yield from _principal(spec.snowflake.ingest, names.ingest)
    yield from _principal(spec.snowflake.reader, names.reader, warehouse)
    if warehouse is not None:
        on, name = Securable.WAREHOUSE, QualifiedName((warehouse,))
        yield PrivilegeGrant(privileges=("USAGE",), on=on, name=name, role=names.reader.role)
    for pipeline in spec.pipelines:
        yield from grants(pipeline, ingest=names.ingest, reader=names.reader)


def _principal(
    service_user: ServiceUser, principal: Principal, warehouse: Identifier | None = None
) -> Iterator[Definition]:
    yield Role(name=principal.role)
    yield User(
        name=principal.user,
        default_role=principal.role,
        default_warehouse=warehouse,
        public_key=service_user.public_keys.slot_1,
        public_key_2=service_user.public_keys.slot_2,
    )
    yield RoleGrant(role=principal.role, user=principal.user)


def _each_once(definitions: list[Definition]) -> Iterator[Definition]:
    """Two pipelines share a database, a schema, or a whole table."""
    seen: list[Definition] = []
    for definition in definitions:
        if definition not in seen:
            seen.append(definition)
            yield definition
