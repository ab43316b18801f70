"""SHOW: reads what narrows the rows, finds the listing, and keeps from each role what it may not see.

Listings of objects are data (`listings.py`); those of channels and parameters are written here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from firnline_local.snowflake.catalog import CatalogObject, Channel, Database, Pipe, Schema, Table, User
from firnline_local.snowflake.catalog.errors import AnswerTooLong, NotKnown
from firnline_local.snowflake.sql.parameters import effective, parameters_on
from firnline_local.snowflake.sql.result import MOMENT, Result, listing
from firnline_local.snowflake.sql.scope import NAMED, Context, find_named
from firnline_local.snowflake.sql.show.columns import COLUMNS, column_row
from firnline_local.snowflake.sql.show.listings import LISTINGS, Listed, Listing
from firnline_local.snowflake.sql.token_reader import TokenReader

LONGEST_ANSWER = 10_000  # rows (SQL reference, SHOW TABLES)
PLACES: dict[str, type[CatalogObject]] = {"DATABASE": Database, "SCHEMA": Schema, "TABLE": Table}


@dataclass(frozen=True, slots=True)
class Filter:
    """The clauses of one SHOW, which narrow its rows."""

    inside: CatalogObject
    """The account, a database, a schema or a table."""
    like: re.Pattern[str] | None = None
    limit: int | None = None

    def matches(self, name: str) -> bool:
        return self.like is None or self.like.fullmatch(name) is not None


def read_filter(
    context: Context,
    reader: TokenReader,
    *,
    places: Mapping[str, type[CatalogObject]] = PLACES,
    has_limit: bool = False,
) -> Filter:
    """Reads to the end; `places` is what `IN` may name with a keyword, a schema needs none."""
    like = like_pattern(reader.string()) if reader.accept("LIKE") else None
    inside = _read_place(context, reader, places) if reader.accept("IN") else _default_place(context)
    limit = reader.integer() if has_limit and reader.accept("LIMIT") else None
    reader.end()
    return Filter(inside, like, limit)


def _read_place(context: Context, reader: TokenReader, places: Mapping[str, type[CatalogObject]]) -> CatalogObject:
    if reader.accept("ACCOUNT"):
        return context.account
    place = reader.accept_one(*places)
    if reader.at_end:
        raise NotKnown(f"IN {place} without its name")
    return context.find(places[place] if place else Schema, reader.name())


def _default_place(context: Context) -> CatalogObject:
    """The session's database, where it has one."""
    return context.session.database or context.account


def like_pattern(like: str) -> re.Pattern[str]:
    """SQL's LIKE, in any case; a backslash takes the meaning from the next character."""
    parts = re.findall(r"\\.|.", like, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    return re.compile("".join(wild.get(part) or re.escape(part[-1]) for part in parts), re.IGNORECASE | re.DOTALL)


CHANNEL_COLUMNS = (
    ("created_on", MOMENT), "name", "database_name", "schema_name", "table_name", "client_sequencer", "row_sequencer",
    "offset_token", "parent_name", "parent_domain",
)  # fmt: skip # a paragraph, not a column


def show_channels(context: Context, reader: TokenReader) -> Result:
    """The channels whose pipe still leads to a table."""
    chosen = read_filter(context, reader, places={**PLACES, "PIPE": Pipe})
    shown = [
        channel
        for channel in context.catalog.channels.values()
        if chosen.matches(channel.name) and _is_inside(channel, chosen.inside) and _is_visible(context, channel)
    ]
    shown.sort(key=lambda channel: (channel.pipe.path, channel.name))
    return listing(CHANNEL_COLUMNS, map(_channel_row, shown))


def _is_inside(channel: Channel, place: CatalogObject) -> bool:
    at: CatalogObject | None = channel.pipe.table
    while at is not None and at is not place:
        at = at.container
    return at is place or channel.pipe is place


def _is_visible(context: Context, channel: Channel) -> bool:
    return channel.pipe.is_live and context.catalog.sees(context.role, channel.pipe.table)


def _channel_row(channel: Channel) -> list[object]:
    database, schema, table = channel.pipe.table.path
    return [
        channel.created_on, channel.name, database, schema, table, str(channel.client_sequencer),
        str(channel.row_sequencer), channel.offset_token, channel.pipe.name, "PIPE",
    ]  # fmt: skip # a paragraph, not a column


def show_columns(context: Context, reader: TokenReader) -> Result:
    """The columns of the tables on which the role has any privilege."""
    chosen = read_filter(context, reader)
    tables = [
        found
        for found in chosen.inside.walk()
        if isinstance(found, Table) and context.catalog.sees(context.role, found)
    ]
    tables.sort(key=lambda found: found.path)
    rows = [column_row(table, column) for table in tables for column in table.columns if chosen.matches(column.name)]
    return listing(COLUMNS, rows[:LONGEST_ANSWER])


PARAMETER_COLUMNS = ("key", "value", "default", "level", "description", "type")


def show_parameters(context: Context, reader: TokenReader) -> Result:
    like = like_pattern(reader.string()) if reader.accept("LIKE") else None
    if not reader.accept_one("IN", "FOR"):
        raise NotKnown("SHOW PARAMETERS of the session")
    rows = _of_object(find_named(context, reader.choose(NAMED, after="SHOW PARAMETERS IN"), reader.name()))
    reader.end()
    return listing(PARAMETER_COLUMNS, [row for row in rows if not like or like.fullmatch(str(row[0]))])


def _of_object(found: CatalogObject) -> list[list[str | None]]:
    rows: list[list[str | None]] = []
    for parameter in parameters_on(found):
        value, level = effective(found, parameter)
        rows.append([parameter.key, value, parameter.default, level, "", parameter.type])
    return rows


REPLICATION_COLUMNS = (
    "region_group", "snowflake_region", ("created_on", MOMENT), "account_name", "name", "comment", "is_primary", "primary",
    "replication_allowed_to_accounts", "failover_allowed_to_accounts", "organization_name", "account_locator",
)  # fmt: skip # a paragraph, not a column


def show_replication_databases(_context: Context, reader: TokenReader) -> Result:
    """Shows none; the stock Pulumi and Terraform provider asks after every database."""
    if reader.accept("LIKE"):
        reader.string()
    if reader.accept("WITH PRIMARY"):
        reader.name()
    reader.end()
    return listing(REPLICATION_COLUMNS, [])


OTHERS: dict[str, Callable[[Context, TokenReader], Result]] = {
    "CHANNELS": show_channels,
    "COLUMNS": show_columns,
    "PARAMETERS": show_parameters,
    "REPLICATION DATABASES": show_replication_databases,
}


def show(context: Context, reader: TokenReader) -> Result:
    what = reader.choose((*LISTINGS, *OTHERS), after="SHOW")
    if what in OTHERS:
        return OTHERS[what](context, reader)
    return _show_objects(context, reader, LISTINGS[what])


def _show_objects(context: Context, reader: TokenReader, shown: Listing) -> Result:
    chosen = read_filter(context, reader, has_limit=shown.has_limit)
    if shown.whole_account:
        chosen = replace(chosen, inside=context.account)
    objects = [
        found
        for found in shown.objects(context, chosen.inside)
        if chosen.matches(found.name) and _is_shown(context, found, shown.needs)
    ]
    objects.sort(key=lambda found: found.path)
    if shown.has_limit and chosen.limit is None and len(objects) > LONGEST_ANSWER:
        raise AnswerTooLong(LONGEST_ANSWER)
    objects = objects[: LONGEST_ANSWER if chosen.limit is None else chosen.limit]
    return listing(
        [(column.name, column.type) for column in shown.columns],
        [[_shown(column, found, context) for column in shown.columns] for found in objects],
    )


def _is_shown(context: Context, found: CatalogObject, needs: str) -> bool:
    return context.catalog.sees(context.role, found) and (not needs or context.may(needs, found))


def _shown(column: Listed, found: CatalogObject, context: Context) -> object:
    """Hides all of a user but the name without OWNERSHIP or MANAGE GRANTS (`sql-reference/sql/show-users`, 2026-11-28)."""
    hidden = (
        isinstance(found, User)
        and column.name != "name"
        and not context.may("OWNERSHIP", found)
        and not context.catalog.grants.manages_grants(context.role, found)
    )
    return None if hidden else column.value(found, context)
