"""SHOW CHANNELS: what the streaming face keeps about each channel whose pipe still leads somewhere."""

from firnline_local.snowflake.catalog import CatalogObject, Channel, Pipe
from firnline_local.snowflake.sql.result import MOMENT, TEXT, Result, listing
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.show.filter import PLACES, read_filter
from firnline_local.snowflake.sql.words import Words

COLUMNS = (
    ("created_on", MOMENT),
    *(
        (name, TEXT)
        for name in (
            "name", "database_name", "schema_name", "table_name", "client_sequencer", "row_sequencer", "offset_token",
            "parent_name", "parent_domain",
        )
    ),
)  # fmt: skip # a paragraph, not a column


def show_channels(context: Context, words: Words) -> Result:
    chosen = read_filter(context, words, places={**PLACES, "PIPE": Pipe})
    shown = [
        channel
        for channel in context.catalog.channels.values()
        if chosen.matches(channel.name) and _is_inside(channel, chosen.inside) and _is_visible(context, channel)
    ]
    shown.sort(key=lambda channel: (channel.pipe.path, channel.name))
    return listing(COLUMNS, chosen.limited([_row(channel) for channel in shown]))


def _is_inside(channel: Channel, place: CatalogObject) -> bool:
    at: CatalogObject | None = channel.pipe.table
    while at is not None and at is not place:
        at = at.container
    return at is place or channel.pipe is place


def _is_visible(context: Context, channel: Channel) -> bool:
    return channel.pipe.is_live and context.catalog.sees(context.role, channel.pipe.table)


def _row(channel: Channel) -> list[object]:
    database, schema, table = channel.pipe.table.path
    return [
        channel.created_on, channel.name, database, schema, table, str(channel.client_sequencer),
        str(channel.row_sequencer), channel.offset_token, channel.pipe.name, "PIPE",
    ]  # fmt: skip # a paragraph, not a column
