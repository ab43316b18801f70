"""The Snowflake side of a bootstrap: the role that makes and owns everything, with the account privileges that its objects
need and no others, and the users that CI has."""

from collections.abc import Iterator

from firnline_infra.blueprint.account_privileges import account_privileges
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.environment import Environment
from firnline_infra.specification.identifier import Identifier
from firnline_ingest.identifiers import like_pattern, text_literal

PLACEHOLDER = "<the public half, without its first and last line>"


def role_statements(blueprint: Blueprint) -> dict[str, str]:
    """Returns the statements that make the deployer's role, each with its reason; they may be run again."""
    environment = blueprint.environment
    role = blueprint.names.deploy_role.sql
    made = {f"CREATE ROLE IF NOT EXISTS {role} COMMENT = '{environment.comment}'": "makes and owns everything"}
    for privilege, why in account_privileges(blueprint).items():
        made[f"GRANT {privilege} ON ACCOUNT TO ROLE {role}"] = why
    previewer = blueprint.names.preview_role.sql
    made[f"CREATE ROLE IF NOT EXISTS {previewer} COMMENT = '{environment.comment}'"] = (
        "sees what there is; `up` lets it see what it makes"
    )
    return made


def required_grant_statements(blueprint: Blueprint) -> dict[str, str]:
    """Returns what the owners of objects that are used as they are must grant, each with the reason; may be run again."""
    role = blueprint.names.deploy_role
    return {
        grant.statement(role): "handed on to engine and reader" if grant.handed_on else "what is made there"
        for grant in blueprint.required_grants
    }


def statements(blueprint: Blueprint) -> str:
    """The statements for an administrator to run once; they may be run again."""
    return "".join(f"{line}\n" for line in _lines(blueprint))


def mark_of(environment: Environment) -> str:
    """The mark on CI's users. Names follow from the application, and two teams may both leave that as it is by default; the
    AWS account from which a user logs in tells them apart."""
    return f"{environment.comment}, AWS account {environment.aws.account}"


def _refuse_what_another_team_has(blueprint: Blueprint) -> Iterator[str]:
    """`CREATE USER IF NOT EXISTS` takes any user of that name for ours, and what follows would let our AWS role be it.

    Snowflake Scripting in one statement (docs.snowflake.com, "Using blocks", EXECUTE IMMEDIATE): what it raises ends the run.
    An exception's message may have no double quote ("DECLARE", exception declaration).
    """
    mark, names = mark_of(blueprint.environment), blueprint.names
    yield "-- Two teams whose applications have one name would share these users: the run ends here if they are not ours."
    for user in (names.deploy_role, names.preview_role):
        said = (
            f"User {user.name} exists, and its comment is not: {mark}. If another team has it, give this environment an "
            f"application or a snowflake.deploy_role and preview_role of its own. If it is yours, run: "
            f"ALTER USER {user} SET COMMENT = '{mark}'; then this again."
        ).replace('"', "'")
        yield "EXECUTE IMMEDIATE $$"
        yield f"DECLARE taken EXCEPTION (-20001, {_literal(said)}); others INTEGER;"
        yield "BEGIN"
        yield f"  SHOW USERS LIKE {_pattern(user.name)};"
        yield "  SELECT COUNT(*) INTO :others FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))"
        yield f'    WHERE "name" = {_literal(user.name)} AND COALESCE("comment", \'\') <> {_literal(mark)};'
        yield "  IF (others > 0) THEN RAISE taken; END IF;"
        yield "END;"
        yield "$$;"


def _refuse_taken_databases(blueprint: Blueprint) -> Iterator[str]:
    """The role that deploys sees nothing of another's database, and an administrator does."""
    role = blueprint.names.deploy_role.name
    for database in blueprint.landing.databases:
        name = database.name.name
        said = (
            f"Database {name} exists, and {role} does not own it. If it is to be used as it is, say so in the specification "
            f"(snowflake.databases: origin: adopt, docs/adopt.md); else give this environment another one. Nothing was created."
        ).replace('"', "'")
        yield "EXECUTE IMMEDIATE $$"
        yield f"DECLARE taken EXCEPTION (-20002, {_literal(said)}); others INTEGER;"
        yield "BEGIN"
        yield f"  SHOW DATABASES LIKE {_pattern(name)};"
        yield "  SELECT COUNT(*) INTO :others FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))"
        yield f'    WHERE "name" = {_literal(name)} AND "owner" <> {_literal(role)};'
        yield "  IF (others > 0) THEN RAISE taken; END IF;"
        yield "END;"
        yield "$$;"


def _literal(text: str) -> str:
    return _without_dollars(text_literal(text))


def _pattern(name: str) -> str:
    """A name with a backslash would else match another one, and whose it is would not be looked at."""
    return _without_dollars(like_pattern(name))


def _without_dollars(literal: str) -> str:
    r"""A dollar is written as \u0024: two of them would end the block around it."""
    return literal.replace("$", "\\u0024")


def _lines(blueprint: Blueprint) -> Iterator[str]:
    environment = blueprint.environment
    names, arns = environment.bootstrap, environment.arns
    yield f"-- What Firnline deploys environment {environment.name} with. Run once by an administrator: only one may grant"
    yield "-- privileges on the account. The role itself is not an administrator, and can't become one."
    yield "USE ROLE ACCOUNTADMIN;"
    yield from _use_warehouse(environment)
    yield ""
    yield from _refuse_what_another_team_has(blueprint)
    yield from _refuse_taken_databases(blueprint)
    yield ""
    for statement, why in role_statements(blueprint).items():
        yield f"{statement};  -- {why}"
    yield ""
    if owners := required_grant_statements(blueprint):
        yield "-- What belongs to others is used as it is: its owners run these, or an administrator for them. `firnline up`"
        yield "-- says so when the specification asks for more of them later."
        for statement, why in owners.items():
            yield f"{statement};  -- {why}"
        yield ""
    yield "-- CI logs in as the AWS role that GitHub lets it be, without any key; who deploys by hand, with this key pair."
    deployer = blueprint.names.deploy_role
    yield from _user(environment, deployer, deployer, arns.role(names.deployer_role))
    yield f"ALTER USER {deployer.sql} SET RSA_PUBLIC_KEY = '{PLACEHOLDER}';"
    yield ""
    yield "-- What previews pull requests logs in as itself, in a role that sees, and does nothing else."
    previewer = blueprint.names.preview_role
    yield from _user(environment, previewer, previewer, arns.role(names.previewer_role))
    yield f"ALTER USER {previewer.sql} SET DEFAULT_ROLE = {previewer.sql};"


def _use_warehouse(environment: Environment) -> Iterator[str]:
    """Queries of RESULT_SCAN may need one, of which its page says nothing (docs.snowflake.com, `sql-reference/functions/
    result_scan`, 2026-11-28); a session of an administrator has none by itself."""
    if environment.names.warehouse:
        yield f"USE WAREHOUSE {environment.names.warehouse.sql};  -- the blocks below query what SHOW lists"
    else:
        yield "-- The blocks below query what SHOW lists: choose a warehouse first (USE WAREHOUSE), the smallest will do."


def _user(environment: Environment, name: Identifier, role: Identifier, aws_role: str) -> Iterator[str]:
    comment = mark_of(environment)
    yield f"CREATE USER IF NOT EXISTS {name.sql} TYPE = SERVICE DEFAULT_ROLE = {role.sql} COMMENT = '{comment}';"
    if environment.names.warehouse:
        warehouse = environment.names.warehouse.sql
        yield f"ALTER USER {name.sql} SET DEFAULT_WAREHOUSE = {warehouse};"
    yield f"GRANT ROLE {role.sql} TO USER {name.sql};"
    yield f"ALTER USER {name.sql} SET WORKLOAD_IDENTITY = (TYPE = AWS ARN = '{aws_role}');"
