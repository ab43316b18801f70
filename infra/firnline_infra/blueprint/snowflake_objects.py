"""The Snowflake side of an environment, from its specification: what two pipelines share is made once."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from firnline_infra.blueprint import pipeline as of_pipeline
from firnline_infra.blueprint.grants import APPLY_AUTHENTICATION_POLICY, PrivilegeGrant, RoleGrant, Securable
from firnline_infra.blueprint.latest import latest_table
from firnline_infra.blueprint.snowflake import (
    AuthenticationPolicy,
    Database,
    InteractiveTable,
    InteractiveWarehouse,
    NetworkPolicy,
    Schema,
    SnowflakeObjects,
    SnowflakeRole,
    SnowflakeUser,
)
from firnline_infra.environment import comment_of
from firnline_infra.specification.adopted import adopted_databases, adopted_schemas
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.service_users import NamedUser, service_users
from firnline_infra.specification.target_tables import target_tables

Thing = TypeVar("Thing")


def snowflake_objects(spec: EnvironmentSpec, names: Names) -> SnowflakeObjects:
    comment, users = comment_of(spec), service_users(spec)
    pipelines = [each.pipeline for each in target_tables(spec)]
    policy, methods = _network_policy(spec, names), _authentication_policy(spec, names)
    made = [each for each in pipelines if each.table_origin is ObjectOrigin.CREATE]
    adopted = [each for each in pipelines if each.table_origin is ObjectOrigin.ADOPT]
    tables = _once(of_pipeline.table(each, spec.durability, comment) for each in made)
    adopted_tables = _once(of_pipeline.table(each, spec.durability, comment) for each in adopted)
    return SnowflakeObjects(
        databases=_databases(spec, comment),
        schemas=_schemas(spec, comment),
        tables=tables,
        pipes=_once(
            pipe
            for each in pipelines
            for made in (of_pipeline.pipe, of_pipeline.dead_letter_pipe)
            if (pipe := made(each, spec.durability, comment))
        ),
        stages=_once(
            stage for each in pipelines if (stage := of_pipeline.dead_letter_stage(each, spec.durability, comment))
        ),
        latest=_once(
            latest for each in made if (latest := latest_table(each, spec.snowflake.warehouse, comment)) is not None
        ),
        network_policy=policy,
        authentication_policy=methods,
        roles=_once(SnowflakeRole(name=each.principal.role, comment=comment) for each in users if each.is_made),
        users=tuple(_user(spec, each, policy, methods) for each in users if each.is_made),
        adopted_users=tuple(each.principal.user for each in users if not each.is_made),
        role_grants=_once(_role_grants(spec, names)),
        grants=_together(_grants(spec, names)),
        warehouse=_interactive_warehouse(spec, (*tables, *adopted_tables), comment),
        ownerships=_once(
            owned for each in pipelines if (owned := of_pipeline.ownership(each, names.ingest_of[each.stream]))
        ),
        adopted_tables=adopted_tables,
        adopted_pipes=_once(
            QualifiedName((*of_pipeline.schema_of(each).parts, Identifier.parse(each.pipe.name)))
            for each in pipelines
            if each.pipe is not None and each.pipe.origin is ObjectOrigin.ADOPT
        ),
    )


def _databases(spec: EnvironmentSpec, comment: str) -> tuple[Database, ...]:
    adopted = adopted_databases(spec)
    names = _once(Identifier.parse(each.database) for each in spec.pipelines)
    return tuple(
        Database(name=name, durability=spec.durability, comment=comment) for name in names if name not in adopted
    )


def _schemas(spec: EnvironmentSpec, comment: str) -> tuple[Schema, ...]:
    adopted = adopted_schemas(spec)
    names = _once(of_pipeline.schema_of(each) for each in spec.pipelines)
    return tuple(
        Schema(name=name, durability=spec.durability, comment=comment) for name in names if name not in adopted
    )


def _role_grants(spec: EnvironmentSpec, names: Names) -> Iterable[RoleGrant]:
    for each in service_users(spec):
        if each.is_made:
            yield RoleGrant(role=each.principal.role, user=each.principal.user)
    for role in spec.snowflake.reader.granted_to:
        yield RoleGrant(role=names.reader.role, to_role=Identifier.parse(role))
    for target in target_tables(spec):
        # Who deploys goes on to manage what the engine owns.
        if owned := of_pipeline.ownership(target.pipeline, names.ingest_of[target.pipeline.stream]):
            yield RoleGrant(role=owned.role, to_role=names.deploy_role)


def _grants(spec: EnvironmentSpec, names: Names) -> Iterable[PrivilegeGrant]:
    warehouses = (spec.snowflake.warehouse, _interactive_name(spec))
    for warehouse in filter(None, warehouses):
        name = QualifiedName.of(warehouse)
        yield PrivilegeGrant(privileges=("USAGE",), on=Securable.WAREHOUSE, name=name, role=names.reader.role)
    for user in service_users(spec) if spec.snowflake.key_pair_only else ():
        if user.is_made:
            on, privileges = QualifiedName((user.principal.user,)), (APPLY_AUTHENTICATION_POLICY,)
            yield PrivilegeGrant(privileges=privileges, on=Securable.USER, name=on, role=names.deploy_role)
    for each in target_tables(spec):
        yield from of_pipeline.grants(each.pipeline, ingest=names.ingest_of[each.pipeline.stream], reader=names.reader)


def _together(grants: Iterable[PrivilegeGrant]) -> tuple[PrivilegeGrant, ...]:
    """One of each role on an object, with what all pipelines need that fill it."""
    found: dict[tuple[Identifier, Securable, QualifiedName], PrivilegeGrant] = {}
    for each in grants:
        place = each.role, each.on, each.name
        other = found.setdefault(place, each)
        found[place] = replace(other, privileges=_once((*other.privileges, *each.privileges)))
    return tuple(found.values())


def _user(
    spec: EnvironmentSpec,
    user: NamedUser,
    policy: NetworkPolicy | None,
    methods: AuthenticationPolicy | None,
) -> SnowflakeUser:
    adopted, keys = spec.snowflake.network_policy, user.options.public_keys
    return SnowflakeUser(
        name=user.principal.user,
        default_role=user.principal.role,
        default_warehouse=None if user.writes else _warehouse(spec),
        public_key=keys.slot_1,
        public_key_2=keys.slot_2,
        network_policy=policy.name if policy else None,
        adopted_network_policy=Identifier.parse(adopted.name)
        if adopted.name and adopted.origin is ObjectOrigin.ADOPT
        else None,
        authentication_policy=methods.name if methods else None,
        comment=comment_of(spec),
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
    """The policy has to lie in a schema: the first pipeline's."""
    if not spec.snowflake.key_pair_only:
        return None
    schema = of_pipeline.schema_of(spec.pipelines[0])
    name = QualifiedName((*schema.parts, names.authentication_policy))
    return AuthenticationPolicy(name=name, comment=comment_of(spec))


def _interactive_warehouse(
    spec: EnvironmentSpec, tables: Iterable[object], comment: str
) -> InteractiveWarehouse | None:
    warehouse = spec.snowflake.interactive_warehouse
    if warehouse is None or warehouse.origin is ObjectOrigin.ADOPT:
        return None
    served = tuple(table.name for table in tables if isinstance(table, InteractiveTable))
    return InteractiveWarehouse(
        name=Identifier.parse(warehouse.name), size=warehouse.size, tables=served, comment=comment
    )


def _once(things: Iterable[Thing]) -> tuple[Thing, ...]:
    """Two pipelines share a database, a schema, or a whole table."""
    return tuple(dict.fromkeys(things))
