"""What the suite leaves out, because the engine does not stand it yet; `scripts/chaos` plays it."""

ON_DEMAND = frozenset(
    {
        "outage",
        "retention-is-changed",
        "channel-is-dropped",
        "wide-records",
        "large-records",
        "kinesis-can-not-be-read",
        "iterators-are-refused",
        "shards-can-not-be-listed",
        "channels-can-not-be-opened",
        "appends-are-not-taken",
        "status-is-not-told",
        "ledger-does-not-answer",
    }
)
"""Acts of both tiers, by name."""
