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
from firnline_infra.environment import Environment
from firnline_infra.specification.adopted import adopted_databases, adopted_schemas
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.service_users import NamedUser

Thing = TypeVar("Thing")


def snowflake_objects(environment: Environment) -> SnowflakeObjects:
    comment, users = environment.comment, environment.users
    targets = environment.targets
    policy, methods = _network_policy(environment), _authentication_policy(environment)
    made = [each for each in targets if each.pipeline.table_origin is ObjectOrigin.CREATE]
    adopted = [each for each in targets if each.pipeline.table_origin is ObjectOrigin.ADOPT]
    tables = _once(of_pipeline.table(each, environment.durability, comment) for each in made)
    adopted_tables = _once(of_pipeline.table(each, environment.durability, comment) for each in adopted)
    return SnowflakeObjects(
        databases=_databases(environment, comment),
        schemas=_schemas(environment, comment),
        tables=tables,
        pipes=_once(
            pipe
            for each in targets
            for pipe_of in (of_pipeline.pipe, of_pipeline.dead_letter_pipe)
            if (pipe := pipe_of(each, environment.durability, comment))
        ),
        stages=_once(
            stage for each in targets if (stage := of_pipeline.dead_letter_stage(each, environment.durability, comment))
        ),
        latest=_once(
            latest
            for each in made
            if (latest := latest_table(each, environment.snowflake.warehouse, comment)) is not None
        ),
        network_policy=policy,
        authentication_policy=methods,
        roles=_once(SnowflakeRole(name=each.principal.role, comment=comment) for each in users if each.is_made),
        users=tuple(_user(environment, each, policy, methods) for each in users if each.is_made),
        adopted_users=tuple(each.principal.user for each in users if not each.is_made),
        role_grants=_once(_role_grants(environment)),
        grants=_together(_grants(environment)),
        warehouse=_interactive_warehouse(environment, (*tables, *adopted_tables), comment),
        ownerships=_once(
            owned
            for each in targets
            if (owned := of_pipeline.ownership(each, environment.names.ingest_of[each.pipeline.stream]))
        ),
        adopted_tables=adopted_tables,
        adopted_pipes=_once(
            each.pipe
            for each in targets
            if each.pipe is not None and each.pipeline.pipe and each.pipeline.pipe.origin is ObjectOrigin.ADOPT
        ),
    )


def _databases(environment: Environment, comment: str) -> tuple[Database, ...]:
    adopted = adopted_databases(environment.spec)
    names = _once(each.database for each in environment.targets)
    return tuple(
        Database(name=name, durability=environment.durability, comment=comment) for name in names if name not in adopted
    )


def _schemas(environment: Environment, comment: str) -> tuple[Schema, ...]:
    adopted = adopted_schemas(environment.spec)
    names = _once(each.schema for each in environment.targets)
    return tuple(
        Schema(name=name, durability=environment.durability, comment=comment) for name in names if name not in adopted
    )


def _role_grants(environment: Environment) -> Iterable[RoleGrant]:
    for each in environment.users:
        if each.is_made:
            yield RoleGrant(role=each.principal.role, user=each.principal.user)
    for role in environment.snowflake.reader.granted_to:
        yield RoleGrant(role=environment.names.reader.role, to_role=Identifier.parse(role))
    for target in environment.targets:
        # Who deploys goes on to manage what the engine owns.
        if owned := of_pipeline.ownership(target, environment.names.ingest_of[target.pipeline.stream]):
            yield RoleGrant(role=owned.role, to_role=environment.names.deploy_role)


def _grants(environment: Environment) -> Iterable[PrivilegeGrant]:
    warehouses = (environment.snowflake.warehouse, _interactive_name(environment))
    for warehouse in filter(None, warehouses):
        name = QualifiedName.of(warehouse)
        yield PrivilegeGrant(
            privileges=("USAGE",), on=Securable.WAREHOUSE, name=name, role=environment.names.reader.role
        )
    for user in environment.users if environment.snowflake.key_pair_only else ():
        if user.is_made:
            on, privileges = QualifiedName((user.principal.user,)), (APPLY_AUTHENTICATION_POLICY,)
            yield PrivilegeGrant(privileges=privileges, on=Securable.USER, name=on, role=environment.names.deploy_role)
    for each in environment.targets:
        yield from of_pipeline.grants(
            each, ingest=environment.names.ingest_of[each.pipeline.stream], reader=environment.names.reader
        )


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
    return SnowflakeUser(
        name=user.principal.user,
        default_role=user.principal.role,
        default_warehouse=None if user.writes else _warehouse(environment),
        public_key=keys.slot_1,
        public_key_2=keys.slot_2,
        network_policy=policy.name if policy else None,
        adopted_network_policy=Identifier.parse(adopted.name)
        if adopted.name and adopted.origin is ObjectOrigin.ADOPT
        else None,
        authentication_policy=methods.name if methods else None,
        comment=environment.comment,
    )


def _warehouse(environment: Environment) -> Identifier | None:
    name = environment.snowflake.warehouse
    return Identifier.parse(name) if name else None


def _interactive_name(environment: Environment) -> str | None:
    return environment.snowflake.interactive_warehouse.name if environment.snowflake.interactive_warehouse else None


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


def _interactive_warehouse(
    environment: Environment, tables: Iterable[object], comment: str
) -> InteractiveWarehouse | None:
    warehouse = environment.snowflake.interactive_warehouse
    if warehouse is None or warehouse.origin is ObjectOrigin.ADOPT:
        return None
    served = tuple(table.name for table in tables if isinstance(table, InteractiveTable))
    return InteractiveWarehouse(
        name=Identifier.parse(warehouse.name), size=warehouse.size, tables=served, comment=comment
    )


def _once(things: Iterable[Thing]) -> tuple[Thing, ...]:
    """Two pipelines share a database, a schema, or a whole table."""
    return tuple(dict.fromkeys(things))
