"""Objects in Snowflake that belong to others, and what their owners must grant to the deployer's role, so that they can be used.

The deploy role hands privileges on to the roles that it makes, so it needs them with the option to. It gets no ownership of
what is adopted: it could neither alter nor drop it, whatever a program asked for.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from firnline_infra.blueprint.grants import RequiredGrant, Securable
from firnline_infra.blueprint.snowflake import IcebergTable, InteractiveTable, SnowflakeObjects, Table
from firnline_infra.environment import Environment
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier, QualifiedName

Object = tuple[Securable, QualifiedName]
CREATES = {Table: "CREATE TABLE", IcebergTable: "CREATE ICEBERG TABLE", InteractiveTable: "CREATE INTERACTIVE TABLE"}


def required_grants(environment: Environment, objects: SnowflakeObjects) -> tuple[RequiredGrant, ...]:
    """One for each object of somebody else and way of granting, outer objects first."""
    others = _others(environment, objects)
    wanted: dict[tuple[Object, bool], RequiredGrant] = {}
    for grant in (*_to_hand_on(objects, others), *_to_make_things(objects, others)):
        key = ((grant.on, grant.name), grant.handed_on)
        if (known := wanted.get(key)) is not None:
            privileges = tuple(dict.fromkeys((*known.privileges, *grant.privileges)))
            wanted[key] = replace(known, privileges=privileges)
        else:
            wanted[key] = grant
    return tuple(sorted(wanted.values(), key=lambda each: (len(each.name.parts), not each.handed_on)))


def _others(environment: Environment, objects: SnowflakeObjects) -> frozenset[Object]:
    made = {volume.name for volume in environment.made_volumes}
    volumes = {each.name for each in environment.snowflake.external_volumes} - made
    interactive = environment.snowflake.interactive_warehouse
    is_adopted = interactive is not None and interactive.origin is ObjectOrigin.ADOPT
    warehouses = (environment.names.warehouse, environment.names.interactive_warehouse if is_adopted else None)
    return frozenset(
        [
            *((Securable.DATABASE, QualifiedName((name,))) for name in environment.adopted_databases),
            *((Securable.SCHEMA, name) for name in environment.schemas_of_others),
            *((Securable.EXTERNAL_VOLUME, QualifiedName.of(name)) for name in volumes),
            *((Securable.WAREHOUSE, QualifiedName((name,))) for name in warehouses if name is not None),
            *((table.securable, table.name) for table in objects.adopted_tables),
            *((Securable.PIPE, name) for name in objects.adopted_pipes),
        ]
    )


def _to_hand_on(objects: SnowflakeObjects, others: frozenset[Object]) -> Iterator[RequiredGrant]:
    for grant in objects.grants:
        if (grant.on, grant.name) in others:
            yield RequiredGrant(privileges=grant.privileges, on=grant.on, name=grant.name, handed_on=True)


def _to_make_things(objects: SnowflakeObjects, others: frozenset[Object]) -> Iterator[RequiredGrant]:
    for user in objects.adopted_users:  # so that its keys are seen
        yield RequiredGrant(privileges=("MONITOR",), on=Securable.USER, name=QualifiedName((user,)), handed_on=False)
    for schema in objects.schemas:
        yield from _creating("CREATE SCHEMA", Securable.DATABASE, schema.name.parts[:1], others)
    for table in objects.tables:
        yield from _creating(CREATES[type(table)], Securable.SCHEMA, table.name.parts[:2], others)
    for stage in objects.stages:
        yield from _creating("CREATE STAGE", Securable.SCHEMA, stage.name.parts[:2], others)
    for pipe in objects.pipes:
        yield from _creating("CREATE PIPE", Securable.SCHEMA, pipe.name.parts[:2], others)
    for latest in objects.latest:
        yield from _creating("CREATE DYNAMIC TABLE", Securable.SCHEMA, latest.name.parts[:2], others)
        refreshed_by = QualifiedName((latest.warehouse,))
        if (Securable.WAREHOUSE, refreshed_by) not in others:  # else the reader's USAGE is handed on
            yield RequiredGrant(privileges=("USAGE",), on=Securable.WAREHOUSE, name=refreshed_by, handed_on=False)
    if objects.authentication_policy is not None:
        parts = objects.authentication_policy.name.parts[:2]
        yield from _creating("CREATE AUTHENTICATION POLICY", Securable.SCHEMA, parts, others)


def _creating(
    privilege: str, on: Securable, parts: Iterable[Identifier], others: frozenset[Object]
) -> Iterator[RequiredGrant]:
    name = QualifiedName(tuple(parts))
    if (on, name) in others:
        yield RequiredGrant(privileges=(privilege,), on=on, name=name, handed_on=False)
