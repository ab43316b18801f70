"""SHOW: finds the listing, and keeps from each role what it may not see."""

from collections.abc import Callable
from dataclasses import replace

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.result import Result, listing
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.show.channels import show_channels
from firnline_local.snowflake.sql.show.columns import show_columns
from firnline_local.snowflake.sql.show.filter import read_filter
from firnline_local.snowflake.sql.show.grants import show_future_grants, show_grants
from firnline_local.snowflake.sql.show.listings import LISTINGS, Listing
from firnline_local.snowflake.sql.show.parameters import show_parameters
from firnline_local.snowflake.sql.show.policies import POLICY_LISTINGS
from firnline_local.snowflake.sql.show.replication import show_replication_databases
from firnline_local.snowflake.sql.show.varieties import VARIETY_LISTINGS
from firnline_local.snowflake.sql.words import Words

TERSE = ("created_on", "name", "kind", "database_name", "schema_name")

ALL_LISTINGS = {**LISTINGS, **POLICY_LISTINGS, **VARIETY_LISTINGS}
OTHERS: dict[str, Callable[[Context, Words], Result]] = {
    "CHANNELS": show_channels,
    "COLUMNS": show_columns,
    "GRANTS": show_grants,
    "FUTURE GRANTS": show_future_grants,
    "PARAMETERS": show_parameters,
    "REPLICATION DATABASES": show_replication_databases,
}


def show(context: Context, words: Words) -> Result:
    terse = words.accept("TERSE")
    what = words.accept_one(*ALL_LISTINGS, *OTHERS)
    if what is None or (terse and what in OTHERS):
        raise NotKnown(f"SHOW {'TERSE ' * terse}{words.rest()[:40]}")
    if what in OTHERS:
        return OTHERS[what](context, words)
    return _show_objects(context, words, ALL_LISTINGS[what], terse=terse)


def _show_objects(context: Context, words: Words, shown: Listing, *, terse: bool) -> Result:
    chosen = read_filter(context, words)
    if shown.whole_account:
        chosen = replace(chosen, inside=context.account)
    columns = [column for column in shown.columns if not terse or column.name in TERSE]
    objects = [
        found
        for found in shown.objects(context, chosen.inside)
        if chosen.matches(found.name) and context.catalog.sees(context.role, found)
    ]
    objects.sort(key=lambda found: found.path)
    return listing(
        [(column.name, column.type) for column in columns],
        chosen.limited([[column.value(found, context) for column in columns] for found in objects]),
    )
