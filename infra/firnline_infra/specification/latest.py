"""The table of the latest row of each key, which Snowflake keeps beside the table that rows are streamed into."""

from pydantic import Field

from firnline_ingest.config.document import Section
from firnline_ingest.config.identifier import IdentifierText


class LatestOptions(Section):
    """The table of the latest row of each key: a dynamic table, which Snowflake refreshes by itself."""

    name: IdentifierText | None = None
    """In the schema of its table; `<TABLE>_LATEST` by default."""
    partition_key: bool = False
    """The key is the record's partition key, with the columns of latest_by if there are any."""
    order_by: list[IdentifierText] = Field(default=[])
    """Declared columns that decide before the sequence number does, the greatest first: a version, or the time of an event.
    Needed where rows of one key may come from several streams, whose sequence numbers do not compare; where one key is put under
    several partition keys, it is the only order that holds (docs/latest.md)."""
    deleted_by: IdentifierText | None = None
    """A declared column, or the content_column, by which a row says that its key is gone; every key stays by default."""
    deleted_values: list[str] = Field(default=[])
    """The values of deleted_by, as text, that delete a key. Absent, a row without a value there does, as a tombstone has none in
    the content_column (with `empty_records: ingest`)."""
    target_lag_seconds: int = Field(default=300, ge=60)
    """How old the table may become, at most. Each refresh uses the warehouse: the shorter, the more it costs."""
    warehouse: IdentifierText | None = None
    """Refreshes it; snowflake.warehouse by default. It exists already."""
