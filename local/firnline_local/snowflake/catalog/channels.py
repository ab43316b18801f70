"""Named channels, as SHOW CHANNELS lists them. The streaming face opens, moves and drops them."""

from dataclasses import dataclass
from datetime import datetime

from firnline_local.snowflake.catalog.pipes import Pipe


@dataclass(kw_only=True)
class Channel:
    """One channel. `name` keeps its case; the counts are of committed rows."""

    name: str
    pipe: Pipe
    created_on: datetime
    client_sequencer: int = 0
    """Rises with every opening; an append with an older one is stale."""
    row_sequencer: int = 0
    """Rises with every append since the opening."""
    offset_token: str | None = None
    """The last committed one."""
    rows_inserted: int = 0
    rows_parsed: int = 0
    rows_error_count: int = 0
