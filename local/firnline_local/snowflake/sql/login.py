"""A session's place and role, and what changes them: login and USE.

A JWT proves who logs in; the role is checked, and the session starts where the client asked it to.
"""

from collections.abc import Mapping
from typing import Any

from firnline_local.snowflake.catalog import (
    AuthenticationFailed,
    Catalog,
    Database,
    Role,
    Schema,
    SqlError,
    User,
    Warehouse,
)
from firnline_local.snowflake.catalog.errors import DoesNotExist, InsufficientPrivileges, NotKnown
from firnline_local.snowflake.catalog.names import display, read_identifier, read_name
from firnline_local.snowflake.sql.parameters import SESSION_DEFAULTS, session_value
from firnline_local.snowflake.sql.result import Result, StatementType, done
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.sessions import MASTER_TOKEN_LIFETIME, TOKEN_LIFETIME, Session, Sessions
from firnline_local.snowflake.sql.token_reader import TokenReader


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
            raise NotKnown(f"USE {reader.rest[:40]}: USE DATABASE or USE SCHEMA")
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


KEY_PAIR = "SNOWFLAKE_JWT"
VALIDATE = "CLIENT_VALIDATE_DEFAULT_PARAMETERS"


class UnknownAuthenticator(AuthenticationFailed):
    """Another way to log in than with a key pair. See docs/embedded-snowflake.md, FL-6041."""

    id = "FL-6041"

    def __init__(self, authenticator: str) -> None:
        super().__init__(
            f"[{self.id}] The embedded Snowflake knows no logins but by key pair: set authenticator={KEY_PAIR} and "
            f"private_key (it was {authenticator}).",
            reason="not a key pair",
            code="390100",
        )


def log_in(catalog: Catalog, sessions: Sessions, data: Mapping[str, Any], query: Mapping[str, str]) -> dict[str, Any]:
    """`data` is the request's body, `query` what its address asks for. Raises AuthenticationFailed."""
    user = _authenticated(catalog, data)
    requested = query.get("roleName")
    role = catalog.session_role(user, read_identifier(requested) if requested else None)
    session = sessions.open(user, role)
    given: Mapping[str, Any] = data.get("SESSION_PARAMETERS") or {}
    try:
        session.parameters.update({key: session_value(key, value) for key, value in given.items()})
        _enter(catalog, session, query, strict=str(given.get(VALIDATE)).lower() == "true")
    except SqlError as error:
        sessions.close(session.token)
        raise AuthenticationFailed(
            error.message, reason="of what the session was to begin with", code=error.code
        ) from error
    return _welcome(session)


def parameter_list(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in parameters.items()]


def token_renewal(session: Session) -> dict[str, Any]:
    return {
        "sessionToken": session.token,
        "validityInSecondsST": int(TOKEN_LIFETIME.total_seconds()),
        "masterToken": session.master_token,
        "validityInSecondsMT": int(MASTER_TOKEN_LIFETIME.total_seconds()),
        "sessionId": session.id,
    }


def _authenticated(catalog: Catalog, data: Mapping[str, Any]) -> User:
    authenticator = str(data.get("AUTHENTICATOR") or "a password")
    if authenticator.upper() != KEY_PAIR:
        raise UnknownAuthenticator(authenticator)
    user = catalog.authenticate(str(data.get("TOKEN")))
    named = str(data.get("LOGIN_NAME") or user.name).upper()
    if named not in (user.name.upper(), user.login_name):
        raise AuthenticationFailed("JWT token is invalid.", reason=f"it is {user.name}'s, and {named} is logging in")
    return user


def _enter(catalog: Catalog, session: Session, query: Mapping[str, str], *, strict: bool) -> None:
    """Begins in the asked-for place or in the user's own. What can't be found is left out, or refused if `strict`."""
    context = Context(catalog, session, catalog.clock(), "login")
    own = session.user.properties
    with catalog.lock:
        namespace = read_name(own["DEFAULT_NAMESPACE"]) if own.get("DEFAULT_NAMESPACE") else ()
        database = read_name(query["databaseName"]) if query.get("databaseName") else namespace[:1]
        schema = read_name(query["schemaName"]) if query.get("schemaName") else namespace[1:2]
        warehouse = read_name(query["warehouse"]) if query.get("warehouse") else ()
        if not warehouse and own.get("DEFAULT_WAREHOUSE"):
            warehouse = (own["DEFAULT_WAREHOUSE"],)
        for kind, names in (
            (Database, database),
            (Schema, (*database, *schema) if schema else ()),
            (Warehouse, warehouse),
        ):
            found = context.look_up(kind.kind, names) if names else None
            if names and strict and found is None:
                context.find(kind, names)  # raises
            if isinstance(found, Database):
                session.use_database(found)
            elif isinstance(found, Schema):
                session.use_schema(found)
            elif isinstance(found, Warehouse):
                session.warehouse = found


def _welcome(session: Session) -> dict[str, Any]:
    place = {f"{kind.lower()}Name": name for kind, name in session.location.items()}
    return {
        "token": session.token,
        "masterToken": session.master_token,
        "validityInSeconds": int(TOKEN_LIFETIME.total_seconds()),
        "masterValidityInSeconds": int(MASTER_TOKEN_LIFETIME.total_seconds()),
        "displayUserName": session.user.name,
        "serverVersion": "10.0.0",
        "firstLogin": False,
        "remMeToken": None,
        "remMeValidityInSeconds": 0,
        "healthCheckInterval": 45,
        "sessionId": session.id,
        "parameters": parameter_list({**SESSION_DEFAULTS, **session.parameters}),
        "sessionInfo": place,
    }
