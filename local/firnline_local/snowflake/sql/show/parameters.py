"""SHOW PARAMETERS, of the session or of an object."""

from firnline_local.snowflake.catalog import CatalogObject
from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.parameters import SESSION_DEFAULTS, effective, parameters_on
from firnline_local.snowflake.sql.result import TEXT, Result, encode, listing
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.show.filter import like_pattern
from firnline_local.snowflake.sql.statements.named import NAMED, find_named
from firnline_local.snowflake.sql.words import Words

NAMES = ("key", "value", "default", "level", "description", "type")
TYPES = {bool: "BOOLEAN", int: "NUMBER", str: "STRING"}


def show_parameters(context: Context, words: Words) -> Result:
    like = like_pattern(words.string()) if words.accept("LIKE") else None
    place = words.accept_one("IN", "FOR")
    kind = words.accept_one("SESSION", "ACCOUNT", *NAMED) if place else "SESSION"
    if kind is None:
        raise NotKnown(f"SHOW PARAMETERS IN {words.rest()[:40]}")
    if kind == "SESSION":
        rows = _of_session(context)
    elif kind == "ACCOUNT":
        rows = [
            [key, encode(value), encode(value), "", "", TYPES[type(value)]] for key, value in SESSION_DEFAULTS.items()
        ]
    else:
        rows = _of_object(find_named(context, kind, words.name()))
    words.end()
    return listing([(name, TEXT) for name in NAMES], [row for row in rows if not like or like.fullmatch(str(row[0]))])


def _of_session(context: Context) -> list[list[str | None]]:
    own = context.session.parameters
    return [
        [key, encode(own.get(key, default)), encode(default), "SESSION" if key in own else "", "", TYPES[type(default)]]
        for key, default in sorted((dict.fromkeys(own, "") | SESSION_DEFAULTS).items())
    ]


def _of_object(found: CatalogObject) -> list[list[str | None]]:
    rows: list[list[str | None]] = []
    for parameter in parameters_on(found):
        value, level = effective(found, parameter)
        rows.append([parameter.key, value, parameter.default, level, "", parameter.type])
    return rows
