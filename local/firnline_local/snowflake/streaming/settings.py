"""Settings of the streaming service that a test or a demo may change while it runs, and the counts of what the service did."""

from dataclasses import dataclass


@dataclass
class StreamingSettings:
    commit_lag_ms: int = 250
    """How long accepted rows stay uncommitted. The real service takes seconds; a test can wait less."""
    hold_commits: bool = False
    """Nothing is committed while this is on; what waited is committed when it goes off."""
    requests_per_second: int = 0
    """Appends a channel and second, above which the answer is 429; 0 is not a limit. The documented soft limit is 10."""
    max_channels_per_pipe: int = 2000
    acknowledges_fenced: bool = False
    """True if an append through a channel that somebody has opened since is acknowledged, and gone, instead of refused: a client
    that was tried against an account expects either (supabase/etl, `tests/snowflake/stream_client.rs`, read 2026-11-29)."""
    columns_of_opening: bool = False
    """True if a channel knows the columns alone that its table had when it was opened: values of later ones are dropped, as those
    of unknown keys are. No page says that it knows more."""
    counter_lag_ms: int = 0
    """How long a channel's counters trail its offset token, in every answer that has both."""
    statuses_gone_back: int = 0
    """How many of the next statuses show their channel as it was before its newest commit; counts down by itself."""


@dataclass
class StreamingCounts:
    """Counts that no answer of the service shows, for tests. Guarded by the catalog's lock."""

    refused_opens: int = 0
    """Because rows were not committed yet, and the opener didn't want to discard them."""
    repeated_appends: int = 0
    """An earlier answer was lost: they were answered again and changed nothing."""
    rows_into_nowhere: int = 0
    """Accepted for a table that another one of its name has replaced, or whose table went before the commit."""
