"""What the suite leaves out, because it takes long; `scripts/chaos` plays it."""

ON_DEMAND = frozenset(
    {
        "kinesis-can-not-be-read",
        "iterators-are-refused",
        "shards-can-not-be-listed",
        "channels-can-not-be-opened",
        "appends-are-not-taken",
        "status-is-not-told",
        "ledger-does-not-answer",
        "nobody-can-subscribe-for-long",
        "they-catch-up",
    }
)
"""Acts of both tiers, by name."""
