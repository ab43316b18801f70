"""USE: where a session is, and in which role."""

from firnline_local.snowflake.catalog import Database, Role, Schema, Warehouse
from firnline_local.snowflake.catalog.errors import DoesNotExist, InsufficientPrivileges, NotKnown
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.result import Result, StatementType, status
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.words import Words

DONE = "Statement executed successfully."


def use(context: Context, words: Words) -> Result:
    match words.accept_one("SECONDARY ROLES", "ROLE", "WAREHOUSE", "DATABASE", "SCHEMA"):
        case "SECONDARY ROLES":
            if not words.accept("NONE"):
                raise NotKnown("secondary roles: a session acts in its one role")
        case "ROLE":
            use_role(context, words.identifier())
        case "WAREHOUSE":
            use_warehouse(context, words.identifier())
        case "DATABASE":
            use_database(context, words.identifier())
        case "SCHEMA":
            use_schema(context, words.name())
        case _:
            names = words.name()
            use_database(context, names[0]) if len(names) == 1 else use_schema(context, names)
    words.end()
    return status(DONE, type=StatementType.SCL)


def use_role(context: Context, name: str) -> None:
    role = context.find(Role, (name,))
    if not context.catalog.holds(context.session.user, role):
        raise InsufficientPrivileges("role", display(name))
    context.session.role = role


def use_warehouse(context: Context, name: str) -> None:
    context.session.warehouse = context.find(Warehouse, (name,))


def use_database(context: Context, name: str) -> None:
    database = context.find(Database, (name,))
    if not context.may("USAGE", database):
        raise DoesNotExist("database", display(name))
    context.session.use_database(database)


def use_schema(context: Context, names: tuple[str, ...]) -> None:
    schema = context.find(Schema, names)
    if not all(context.may("USAGE", found) for found in (schema.database, schema)):
        raise DoesNotExist("schema", display(*schema.path))
    context.session.use_schema(schema)
