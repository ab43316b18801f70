"""What a test or a demo may change about the streaming service while it runs, and the counts of what the service did."""

from dataclasses import asdict, dataclass, fields
from typing import Annotated

import msgspec

MEBIBYTE = 1 << 20

Count = Annotated[int, msgspec.Meta(ge=0)]


@dataclass
class StreamingSettings:
    commit_lag_ms: Count = 250
    """How long accepted rows stay uncommitted. The real service takes seconds; a test can wait less."""
    hold_commits: bool = False
    """Nothing is committed while this is on; what waited is committed when it goes off."""
    requests_per_second: Count = 0
    """Appends a channel and second, above which the answer is 429; 0 is no limit. The documented soft limit is 10."""
    max_uncommitted_bytes: Count = 256 * MEBIBYTE
    """Of all channels together; above it the answer is 429, so that held commits can't eat the machine's memory."""
    max_channels_per_pipe: Count = 2000
    counter_lag_ms: Count = 0
    """How long a channel's counters trail its offset token, in every answer that has both."""
    statuses_gone_back: Count = 0
    """How many of the next statuses show their channel as it was before its newest commit; counts down by itself."""

    def change(self, text: bytes) -> None:
        """Takes a JSON object with any of the fields. Raises ValueError, having changed nothing."""
        names = [field.name for field in fields(self)]
        try:
            changes = msgspec.json.decode(text, type=dict[str, int | bool])
            if unknown := changes.keys() - set(names):
                raise ValueError(f"unknown setting {', '.join(sorted(unknown))}; there are {', '.join(names)}")
            changed = msgspec.convert(asdict(self) | changes, StreamingSettings)
        except msgspec.MsgspecError as error:
            raise ValueError(str(error)) from error
        for name in names:
            setattr(self, name, getattr(changed, name))


@dataclass
class StreamingCounts:
    """What the streaming service did, for tests and for people who watch it. Guarded by the catalog's lock."""

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
