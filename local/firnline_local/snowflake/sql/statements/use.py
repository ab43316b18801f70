"""What changes the session: USE (where it is, and in which role), and ALTER SESSION for the parameters that sessions know."""

from dataclasses import replace

from firnline_local.snowflake.catalog import Database, Role, Schema, Warehouse
from firnline_local.snowflake.catalog.errors import DoesNotExist, InsufficientPrivileges, NotKnown
from firnline_local.snowflake.catalog.names import display
from firnline_local.snowflake.sql.parameters import SESSION_DEFAULTS, session_value
from firnline_local.snowflake.sql.properties import any_value
from firnline_local.snowflake.sql.result import Result, StatementType, done
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.token_reader import TokenReader


def alter_session(context: Context, reader: TokenReader) -> Result:
    parameters = context.session.parameters
    if reader.accept("UNSET"):
        keys = reader.separated(TokenReader.word)
        reader.end()
        for key in keys:
            parameters.pop(key, None)
        changed = {key: SESSION_DEFAULTS.get(key, "") for key in keys}
    else:
        reader.expect("SET")
        changed = _read_parameters(reader)
        parameters.update(changed)
    return replace(done(type=StatementType.SCL), parameters=changed)


def _read_parameters(reader: TokenReader) -> dict[str, bool | int | str]:
    read: dict[str, bool | int | str] = {}
    while not reader.at_end:
        key = reader.word()
        reader.expect("=")
        read[key] = session_value(key, any_value(reader))
        reader.accept(",")
    return read


def use(context: Context, reader: TokenReader) -> Result:
    match reader.accept_one("SECONDARY ROLES", "ROLE", "WAREHOUSE", "DATABASE", "SCHEMA"):
        case "SECONDARY ROLES":
            if not reader.accept("NONE"):
                raise NotKnown("secondary roles: a session acts in its one role")
        case "ROLE":
            use_role(context, reader.identifier())
        case "WAREHOUSE":
            use_warehouse(context, reader.identifier())
        case "DATABASE":
            use_database(context, reader.identifier())
        case "SCHEMA":
            use_schema(context, reader.name())
        case _:
            names = reader.name()
            use_database(context, names[0]) if len(names) == 1 else use_schema(context, names)
    reader.end()
    return done(type=StatementType.SCL)


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
