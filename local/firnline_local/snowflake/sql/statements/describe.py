"""DESCRIBE for tables, pipes, users, databases, schemas and warehouses; the rest is in `describe_policy.py`."""

from collections.abc import Callable

from firnline_local.snowflake.catalog import Column, Database, Pipe, Schema, Table, User, Warehouse
from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.catalog.kinds import TABLE_VARIETIES
from firnline_local.snowflake.catalog.users import KEY_SLOTS
from firnline_local.snowflake.sql.result import MOMENT, TEXT, Result, listing
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.show.listings import PIPES, described
from firnline_local.snowflake.sql.statements.describe_policy import (
    describe_authentication_policy,
    describe_external_volume,
    describe_network_policy,
    describe_network_rule,
)
from firnline_local.snowflake.sql.statements.named import find_named
from firnline_local.snowflake.sql.words import Words

TABLE_COLUMNS = (
    "name", "type", "kind", "null?", "default", "primary key", "unique key", "check", "expression", "comment", "policy name",
    "privacy domain",
)  # fmt: skip # a paragraph, not a column
EVOLUTION = "schema evolution record"
USER_COLUMNS = ("property", "value", "default", "description")
UNSET = "null"
"""How DESCRIBE USER writes a property without a value."""
BOOLEANS = ("DISABLED", "MUST_CHANGE_PASSWORD", "EXT_AUTHN_DUO", "HAS_MFA", "SNOWFLAKE_LOCK", "HAS_PASSWORD")
USER_TEXTS = (
    "NAME", "COMMENT", "DISPLAY_NAME", "TYPE", "LOGIN_NAME", "FIRST_NAME", "LAST_NAME", "EMAIL", "DAYS_TO_EXPIRY",
    "MINS_TO_UNLOCK", "DEFAULT_WAREHOUSE", "DEFAULT_NAMESPACE", "DEFAULT_ROLE", "DEFAULT_SECONDARY_ROLES",
)  # fmt: skip # a paragraph, not a column


def describe(context: Context, words: Words) -> Result:
    kind = words.accept_one(*DESCRIBED)
    if kind is None:
        raise NotKnown(f"DESCRIBE {words.rest()[:40]}")
    return DESCRIBED[kind](context, words)


def _table(context: Context, words: Words) -> Result:
    table = context.find(Table, words.name())
    words.accept("TYPE = COLUMNS")
    words.end()
    names = [*TABLE_COLUMNS, *([EVOLUTION] if table.enable_schema_evolution else [])]
    rows = [
        [*_column(column), *([column.evolution] if table.enable_schema_evolution else [])] for column in table.columns
    ]
    return listing([(name, TEXT) for name in names], rows)


def _column(column: Column) -> list[str | None]:
    return [
        column.name,
        str(column.type),
        "COLUMN",
        "Y" if column.nullable else "N",
        column.default.text if column.default else None,
        "Y" if column.primary_key else "N",
        "Y" if column.unique else "N",
        None,
        None,
        column.comment or None,
        None,
        None,
    ]


def _pipe(context: Context, words: Words) -> Result:
    pipe = context.find(Pipe, words.name())
    words.end()
    return described(PIPES, pipe, context)


def _user(context: Context, words: Words) -> Result:
    user = context.find(User, words.name())
    words.end()
    known = {**user.properties, "NAME": user.name, "COMMENT": user.comment, "LOGIN_NAME": user.login_name}
    known.setdefault("DISPLAY_NAME", user.name)
    rows = [[name, known.get(name) or UNSET, UNSET, ""] for name in USER_TEXTS]
    rows += [[name, known.get(name, "false"), "false", ""] for name in BOOLEANS]
    for slot in KEY_SLOTS:
        key = user.public_keys.get(slot)
        rows.append([slot, key.text if key else UNSET, UNSET, ""])
        rows.append([f"{slot}_FP", key.fingerprint if key else UNSET, UNSET, ""])
    return listing([(name, TEXT) for name in USER_COLUMNS], rows)


def _contents(container: type[Database] | type[Schema]) -> Callable[[Context, Words], Result]:
    def describe_container(context: Context, words: Words) -> Result:
        found = context.find(container, words.name())
        words.end()
        inside = [inner for objects in found.contents.values() for inner in objects.values()]
        rows = [
            [inner.created_on, inner.name, inner.kind.name]
            for inner in inside
            if context.catalog.sees(context.role, inner)
        ]
        return listing([("created_on", MOMENT), ("name", TEXT), ("kind", TEXT)], rows)

    return describe_container


def _warehouse(context: Context, words: Words) -> Result:
    found = context.find(Warehouse, words.name())
    words.end()
    return listing(
        [("created_on", MOMENT), ("name", TEXT), ("kind", TEXT)], [[found.created_on, found.name, found.kind.name]]
    )


def _variety(words_for_it: str) -> Callable[[Context, Words], Result]:
    def describe_variety(context: Context, words: Words) -> Result:
        names = words.name()
        words.end()
        table = find_named(context, words_for_it, names)
        assert isinstance(table, Table)
        more = ("name mapping", "source iceberg type", "write default") if table.iceberg else ()
        rows = [[*_column(column), *(None for _ in more)] for column in table.columns]
        return listing([(name, TEXT) for name in (*TABLE_COLUMNS, *more)], rows)

    return describe_variety


DESCRIBED: dict[str, Callable[[Context, Words], Result]] = {
    "TABLE": _table,
    **{variety: _variety(variety) for variety in TABLE_VARIETIES},
    "PIPE": _pipe,
    "WAREHOUSE": _warehouse,
    "NETWORK POLICY": describe_network_policy,
    "NETWORK RULE": describe_network_rule,
    "AUTHENTICATION POLICY": describe_authentication_policy,
    "EXTERNAL VOLUME": describe_external_volume,
    "USER": _user,
    "DATABASE": _contents(Database),
    "SCHEMA": _contents(Schema),
}
