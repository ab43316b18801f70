"""Privileges of the role of previews: see each object, and nothing else. It creates, owns, applies, selects and inserts nothing.

SHOW and DESCRIBE show what a role has any privilege on (docs.snowflake.com, the page of each command), so it gets the one
that allows least. Network and authentication policies have none but OWNERSHIP and APPLY, and a stage none that does not let
its files be read, which are records: previews do without looking at them. DESCRIBE USER takes MONITOR, and SHOW USERS, which
the providers read, OWNERSHIP or MANAGE GRANTS: without, all its columns but the name are NULL. REFERENCES shows a table to SHOW
TABLES and DESCRIBE TABLE; SHOW ICEBERG TABLES, which the providers read, asks for SELECT, which would show the records.
"""

from collections.abc import Iterator

from firnline_infra.blueprint.grants import PrivilegeGrant, Securable
from firnline_infra.blueprint.snowflake import SnowflakeObjects
from firnline_infra.environment import Environment
from firnline_infra.specification.identifier import Identifier, QualifiedName

SEEN_BY = {
    Securable.DATABASE: "USAGE",
    Securable.SCHEMA: "USAGE",
    Securable.TABLE: "REFERENCES",
    Securable.ICEBERG_TABLE: "REFERENCES",
    Securable.INTERACTIVE_TABLE: "REFERENCES",
    Securable.DYNAMIC_TABLE: "MONITOR",
    Securable.PIPE: "MONITOR",
    Securable.USER: "MONITOR",
    Securable.WAREHOUSE: "MONITOR",
    Securable.EXTERNAL_VOLUME: "USAGE",
}


def previewers_grants(
    environment: Environment, objects: SnowflakeObjects, role: Identifier
) -> tuple[PrivilegeGrant, ...]:
    grants = [
        PrivilegeGrant(privileges=(SEEN_BY[on],), on=on, name=name, role=role)
        for on, name in _objects(environment, objects)
    ]
    if environment.names.warehouse:  # where policies are asked for
        warehouse = QualifiedName((environment.names.warehouse,))
        grants.append(PrivilegeGrant(privileges=("USAGE",), on=Securable.WAREHOUSE, name=warehouse, role=role))
    return tuple(dict.fromkeys(grants))


def out_of_sight(objects: SnowflakeObjects) -> dict[str, str]:
    """The kinds, by their names, of what that role can't see: a refresh would take it, or the grants on it, for gone."""
    policies = (objects.network_policy, objects.authentication_policy)
    return {
        **{str(each.name): "snowflake policy" for each in policies if each is not None},
        **{str(each.name): "snowflake stage" for each in objects.stages},
    }


def described_users(objects: SnowflakeObjects) -> frozenset[str]:
    """The users that this role may describe and no provider can refresh in it."""
    return frozenset(each.name.name for each in objects.users)


def _objects(environment: Environment, objects: SnowflakeObjects) -> Iterator[tuple[Securable, QualifiedName]]:
    """Yields what is created, and what is adopted but for volumes and warehouses, which nothing reads back."""
    for target in environment.targets:
        yield Securable.DATABASE, QualifiedName((target.database,))
        yield Securable.SCHEMA, target.schema
    for table in (*objects.tables, *objects.adopted_tables):
        yield table.securable, table.name
    for latest in objects.latest:
        yield Securable.DYNAMIC_TABLE, latest.name
    for pipe in objects.pipes:
        yield Securable.PIPE, pipe.name
    for user in objects.users:
        yield Securable.USER, QualifiedName((user.name,))
    for volume in environment.snowflake.external_volumes:
        yield Securable.EXTERNAL_VOLUME, QualifiedName.of(volume.name)
    if objects.warehouse is not None:
        yield Securable.WAREHOUSE, QualifiedName((objects.warehouse.name,))
