"""The Snowflake side of an environment, from its specification: what two pipelines share is made once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TypeVar

from firnline_infra.blueprint.grants import APPLY_AUTHENTICATION_POLICY, PrivilegeGrant, RoleGrant, Securable
from firnline_infra.blueprint.pipeline import TargetObjects, objects_of
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
from firnline_infra.environment import Environment
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.service_users import NamedUser

Thing = TypeVar("Thing")


def snowflake_objects(environment: Environment) -> SnowflakeObjects:
    comment, users = environment.comment, environment.users
    policy, methods = _network_policy(environment), _authentication_policy(environment)
    targets = [objects_of(each, environment) for each in environment.targets]
    return SnowflakeObjects(
        databases=_databases(environment),
        schemas=_schemas(environment),
        tables=_once(each.table for each in targets if not each.is_adopted),
        pipes=_once(pipe for each in targets for pipe in each.pipes),
        stages=_once(stage for each in targets for stage in each.stages),
        latest=_once(latest for each in targets for latest in each.latest),
        network_policy=policy,
        authentication_policy=methods,
        roles=_once(SnowflakeRole(name=each.principal.role, comment=comment) for each in users if each.is_made),
        users=tuple(_user(environment, each, policy, methods) for each in users if each.is_made),
        adopted_users=tuple(each.principal.user for each in users if not each.is_made),
        role_grants=_once(_role_grants(environment, targets)),
        grants=_together([*_grants(environment), *(grant for each in targets for grant in each.grants)]),
        warehouse=_interactive_warehouse(environment, targets),
        ownerships=_once(owned for each in targets for owned in each.ownerships),
        adopted_tables=_once(each.table for each in targets if each.is_adopted),
        adopted_pipes=_once(pipe for each in targets for pipe in each.adopted_pipes),
    )


def _databases(environment: Environment) -> tuple[Database, ...]:
    names = _once(each.database for each in environment.targets)
    return tuple(
        Database(name=name, durability=environment.durability, comment=environment.comment)
        for name in names
        if name not in environment.adopted_databases
    )


def _schemas(environment: Environment) -> tuple[Schema, ...]:
    names = _once(each.schema for each in environment.targets)
    return tuple(
        Schema(name=name, durability=environment.durability, comment=environment.comment)
        for name in names
        if name not in environment.adopted_schemas
    )


def _role_grants(environment: Environment, targets: Sequence[TargetObjects]) -> Iterable[RoleGrant]:
    for each in environment.users:
        if each.is_made:
            yield RoleGrant(role=each.principal.role, user=each.principal.user)
    for role in environment.names.readers:
        yield RoleGrant(role=environment.names.reader.role, to_role=role)
    for target in targets:
        for owned in target.ownerships:  # who deploys goes on to manage what the engine owns
            yield RoleGrant(role=owned.role, to_role=environment.names.deploy_role)


def _grants(environment: Environment) -> Iterable[PrivilegeGrant]:
    names = environment.names
    for warehouse in filter(None, (names.warehouse, names.interactive_warehouse)):
        on = QualifiedName((warehouse,))
        yield PrivilegeGrant(privileges=("USAGE",), on=Securable.WAREHOUSE, name=on, role=names.reader.role)
    for user in environment.users if environment.snowflake.key_pair_only else ():
        if user.is_made:
            on, privileges = QualifiedName((user.principal.user,)), (APPLY_AUTHENTICATION_POLICY,)
            yield PrivilegeGrant(privileges=privileges, on=Securable.USER, name=on, role=names.deploy_role)


def _together(grants: Iterable[PrivilegeGrant]) -> tuple[PrivilegeGrant, ...]:
    """One of each role on an object, with what all pipelines need that fill it."""
    found: dict[tuple[Identifier, Securable, QualifiedName], PrivilegeGrant] = {}
    for each in grants:
        place = each.role, each.on, each.name
        other = found.setdefault(place, each)
        found[place] = replace(other, privileges=_once((*other.privileges, *each.privileges)))
    return tuple(found.values())


def _user(
    environment: Environment,
    user: NamedUser,
    policy: NetworkPolicy | None,
    methods: AuthenticationPolicy | None,
) -> SnowflakeUser:
    adopted, keys = environment.snowflake.network_policy, user.options.public_keys
    is_adopted = adopted.name is not None and adopted.origin is ObjectOrigin.ADOPT
    return SnowflakeUser(
        name=user.principal.user,
        default_role=user.principal.role,
        default_warehouse=None if user.writes else environment.names.warehouse,
        public_key=keys.slot_1,
        public_key_2=keys.slot_2,
        network_policy=policy.name if policy else None,
        adopted_network_policy=environment.names.network_policy if is_adopted else None,
        authentication_policy=methods.name if methods else None,
        comment=environment.comment,
    )


def _network_policy(environment: Environment) -> NetworkPolicy | None:
    networks = tuple(environment.snowflake.allowed_networks)
    if not networks:
        return None
    return NetworkPolicy(name=environment.names.network_policy, allowed_networks=networks, comment=environment.comment)


def _authentication_policy(environment: Environment) -> AuthenticationPolicy | None:
    """The policy has to lie in a schema: the first pipeline's."""
    if not environment.snowflake.key_pair_only:
        return None
    name = QualifiedName((*environment.targets[0].schema.parts, environment.names.authentication_policy))
    return AuthenticationPolicy(name=name, comment=environment.comment)


def _interactive_warehouse(environment: Environment, targets: Iterable[TargetObjects]) -> InteractiveWarehouse | None:
    """Returns the warehouse, with the tables that are made here before those that are adopted."""
    warehouse, name = environment.snowflake.interactive_warehouse, environment.names.interactive_warehouse
    if warehouse is None or name is None or warehouse.origin is ObjectOrigin.ADOPT:
        return None
    tables = (each.table for each in sorted(targets, key=attrgetter("is_adopted")))
    served = _once(table.name for table in tables if isinstance(table, InteractiveTable))
    return InteractiveWarehouse(name=name, size=warehouse.size, tables=served, comment=environment.comment)


def _once(things: Iterable[Thing]) -> tuple[Thing, ...]:
    """Two pipelines share a database, a schema, or a whole table."""
    return tuple(dict.fromkeys(things))
