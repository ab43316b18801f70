"""Schedules that the suite leaves out, because they take long; `scripts/chaos` plays them."""

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
