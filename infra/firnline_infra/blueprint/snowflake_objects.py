"""The Snowflake side of an environment, from its specification: what two pipelines share is made once."""

from collections.abc import Iterable
from typing import TypeVar

from firnline_infra.blueprint import pipeline as of_pipeline
from firnline_infra.blueprint.marks import comment_of
from firnline_infra.blueprint.snowflake import (
    AuthenticationPolicy,
    Database,
    InteractiveTable,
    InteractiveWarehouse,
    NetworkPolicy,
    PrivilegeGrant,
    Role,
    RoleGrant,
    Schema,
    Securable,
    SnowflakeObjects,
    User,
)
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, Principal
from firnline_infra.specification.snowflake import ServiceUser

Thing = TypeVar("Thing")


def snowflake_objects(spec: EnvironmentSpec, names: Names) -> SnowflakeObjects:
    comment, pipelines = comment_of(spec), spec.pipelines
    policy, methods = _network_policy(spec, names), _authentication_policy(spec, names)
    tables = _once(of_pipeline.table(each, spec.durability, comment) for each in pipelines)
    return SnowflakeObjects(
        databases=_once(
            Database(name=Identifier.parse(each.database), durability=spec.durability, comment=comment)
            for each in pipelines
        ),
        schemas=_once(
            Schema(name=of_pipeline.schema_of(each), durability=spec.durability, comment=comment) for each in pipelines
        ),
        tables=tables,
        pipes=_once(pipe for each in pipelines if (pipe := of_pipeline.pipe(each, spec.durability, comment))),
        network_policy=policy,
        authentication_policy=methods,
        roles=_once(Role(name=each.role, comment=comment) for each in (names.ingest, names.reader)),
        users=(
            _user(spec.snowflake.ingest, names.ingest, policy, methods, comment),
            _user(spec.snowflake.reader, names.reader, policy, methods, comment, warehouse=_warehouse(spec)),
        ),
        role_grants=_once(_role_grants(spec, names)),
        grants=_once(_grants(spec, names)),
        warehouse=_interactive_warehouse(spec, tables, comment),
        ownerships=_once(owned for each in pipelines if (owned := of_pipeline.ownership(each, names.ingest))),
    )


def _role_grants(spec: EnvironmentSpec, names: Names) -> Iterable[RoleGrant]:
    for principal in (names.ingest, names.reader):
        yield RoleGrant(role=principal.role, user=principal.user)
    for role in spec.snowflake.reader.granted_to:
        yield RoleGrant(role=names.reader.role, to_role=Identifier.parse(role))
    if any(of_pipeline.ownership(each, names.ingest) for each in spec.pipelines):
        # Who deploys goes on to manage what the engine owns.
        yield RoleGrant(role=names.ingest.role, to_role=names.deploy_role)


def _grants(spec: EnvironmentSpec, names: Names) -> Iterable[PrivilegeGrant]:
    warehouses = (spec.snowflake.warehouse, _interactive_name(spec))
    for warehouse in filter(None, warehouses):
        name = QualifiedName.of(warehouse)
        yield PrivilegeGrant(privileges=("USAGE",), on=Securable.WAREHOUSE, name=name, role=names.reader.role)
    for pipeline in spec.pipelines:
        yield from of_pipeline.grants(pipeline, ingest=names.ingest, reader=names.reader)


def _user(
    service_user: ServiceUser,
    principal: Principal,
    policy: NetworkPolicy | None,
    methods: AuthenticationPolicy | None,
    comment: str,
    *,
    warehouse: Identifier | None = None,
) -> User:
    return User(
        name=principal.user,
        default_role=principal.role,
        default_warehouse=warehouse,
        public_key=service_user.public_keys.slot_1,
        public_key_2=service_user.public_keys.slot_2,
        network_policy=policy.name if policy else None,
        authentication_policy=methods.name if methods else None,
        comment=comment,
    )


def _warehouse(spec: EnvironmentSpec) -> Identifier | None:
    name = spec.snowflake.warehouse
    return Identifier.parse(name) if name else None


def _interactive_name(spec: EnvironmentSpec) -> str | None:
    return spec.snowflake.interactive_warehouse.name if spec.snowflake.interactive_warehouse else None


def _network_policy(spec: EnvironmentSpec, names: Names) -> NetworkPolicy | None:
    networks = tuple(spec.snowflake.allowed_networks)
    if not networks:
        return None
    return NetworkPolicy(name=names.network_policy, allowed_networks=networks, comment=comment_of(spec))


def _authentication_policy(spec: EnvironmentSpec, names: Names) -> AuthenticationPolicy | None:
    """It has to lie in a schema: the first pipeline's."""
    if not spec.snowflake.key_pair_only:
        return None
    schema = of_pipeline.schema_of(spec.pipelines[0])
    name = QualifiedName((*schema.parts, names.authentication_policy))
    return AuthenticationPolicy(name=name, comment=comment_of(spec))


def _interactive_warehouse(
    spec: EnvironmentSpec, tables: Iterable[object], comment: str
) -> InteractiveWarehouse | None:
    warehouse = spec.snowflake.interactive_warehouse
    if warehouse is None:
        return None
    served = tuple(table.name for table in tables if isinstance(table, InteractiveTable))
    return InteractiveWarehouse(
        name=Identifier.parse(warehouse.name), size=warehouse.size, tables=served, comment=comment
    )


def _once(things: Iterable[Thing]) -> tuple[Thing, ...]:
    """Two pipelines share a database, a schema, or a whole table."""
    return tuple(dict.fromkeys(things))
