"""Contents of an embedded environment when it starts: what the specification takes for granted, the deployer's role, and
all that the specification asks for.

The first two are an account as an administrator has it ready before the first `up`; the last is what `up` makes, by the
same program.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.snowflake import Table
from firnline_infra.render.bootstrap.snowflake import required_grant_statements, role_statements
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.service_users import service_users
from firnline_local.environment_key import with_environment_key
from firnline_local.errors import StatementRefused
from firnline_local.providers.clients import Clients
from firnline_local.running import RunningEnvironment

PROJECT = "firnline"


def bootstrap(environment: RunningEnvironment, spec: EnvironmentSpec) -> EnvironmentSpec:
    """The administrator gets the deploy role too, because its key is the one that providers connect with here.

    The specification with the key that was made, where one was. May be run again. Raises StatementRefused.
    """
    administrator = environment.logins["admin"]
    blueprint = blueprint_of(spec)
    with closing(Clients(environment.endpoints, administrator)) as clients:
        for statement in (
            *prerequisites(spec),
            *role_statements(blueprint),
            *required_grant_statements(blueprint),
            f"GRANT ROLE {blueprint.names.deploy_role.sql} TO USER {administrator.user}",
        ):
            _execute(clients, statement, role=administrator.role)
    return with_environment_key(environment.client("kms"), spec)


def prerequisites(spec: EnvironmentSpec) -> Iterator[str]:
    """Yields what a real account has already: the specification names it, and nothing of ours makes it there."""
    if spec.snowflake.warehouse:
        yield f"CREATE WAREHOUSE IF NOT EXISTS {Identifier.parse(spec.snowflake.warehouse).sql}"
    for role in spec.snowflake.reader.granted_to:
        yield f"CREATE ROLE IF NOT EXISTS {Identifier.parse(role).sql}"
    yield from _adopted(spec)


def _adopted(spec: EnvironmentSpec) -> Iterator[str]:
    """Yields what belongs to others in Snowflake, but for volumes, pipes and tables that are not standard ones."""
    blueprint = blueprint_of(spec)
    for database in sorted(blueprint.environment.adopted_databases):
        yield f"CREATE DATABASE IF NOT EXISTS {database.sql}"
    for schema in sorted(blueprint.environment.schemas_of_others):
        yield f"CREATE SCHEMA IF NOT EXISTS {schema.sql}"
    for table in blueprint.landing.adopted_tables:
        if isinstance(table, Table):
            columns = ", ".join(each.sql for each in table.metadata) or "RECORD_CONTENT VARIANT"
            yield f"CREATE TABLE IF NOT EXISTS {table.name.sql} ({columns})"
            yield from (each.execute for each in table.alterations)
    for user in (each for each in service_users(spec) if not each.is_made):
        name, role = user.principal.user.sql, user.principal.role.sql
        key = user.options.public_keys.slot_1
        yield f"CREATE ROLE IF NOT EXISTS {role}"
        registered = f" RSA_PUBLIC_KEY = '{key}'" if key else ""
        yield f"CREATE USER IF NOT EXISTS {name} TYPE = SERVICE DEFAULT_ROLE = {role}{registered}"
        yield f"GRANT ROLE {role} TO USER {name}"
    policy = spec.snowflake.network_policy
    if policy.origin is ObjectOrigin.ADOPT and policy.name is not None:
        name = Identifier.parse(policy.name).sql
        yield f"CREATE NETWORK POLICY IF NOT EXISTS {name} ALLOWED_IP_LIST = ('127.0.0.0/8')"


def program_of(spec: EnvironmentSpec, *, role: str | None = None) -> Callable[[], None]:
    """Returns what `firnline up` lets the engine run, as a callable. `role` acts in Snowflake; else who logs in."""
    import pulumi

    from firnline_infra.pulumi import environment, providers

    def program() -> None:
        made = environment(spec, pulumi.ResourceOptions(providers=providers(spec, role=role)))
        for name, value in made.given().items():
            pulumi.export(name, value)

    return program


def provision(environment: RunningEnvironment, spec: EnvironmentSpec) -> dict[str, Any]:
    """Applies the program in this process. Returns its state, for Pulumi. Raises a LocalError for what is refused."""
    from firnline_infra.redshift import RedshiftViews
    from firnline_local.pulumi.in_process.application import ProgramApplication

    program = program_of(spec, role=str(Names.of(spec).deploy_role))
    application = ProgramApplication(environment)
    application.up(program, stack=spec.name, project=PROJECT)
    if (destination := blueprint_of(spec).redshift) is not None:
        RedshiftViews(destination, environment.client, lambda _: None).apply()
    return application.state


def _execute(clients: Clients, statement: str, *, role: str) -> None:
    from snowflake.connector.errors import Error

    try:
        clients.execute(statement)
    except Error as error:
        raise StatementRefused(
            statement,
            role,
            str(error),
            next_step="an administrator's first statement was refused: correct what the specification names in it.",
        ) from error
