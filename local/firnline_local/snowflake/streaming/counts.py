"""Counts of what the streaming service did, for tests and for people who watch it. Guarded by the catalog's lock."""

from dataclasses import dataclass


@dataclass
class Counts:
    opens: int = 0
    refused_opens: int = 0
    """Because rows were not committed yet, and the opener didn't want to discard them."""
    appends: int = 0
    """Accepted ones; a repeat is not counted."""
    repeated_appends: int = 0
    """An earlier answer was lost: they were answered again and changed nothing."""
    stale_appends: int = 0
    bytes_received: int = 0
    """Of accepted appends, uncompressed."""
    commits: int = 0
    rows_inserted: int = 0
    rows_error_count: int = 0
    rows_discarded: int = 0
    """Accepted, and discarded because the channel was opened again or dropped before they were committed."""
    rows_into_nowhere: int = 0
    """Accepted for a table that another one of its name has replaced, or whose table went before the commit."""
