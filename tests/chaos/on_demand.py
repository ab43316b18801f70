"""What the suite leaves out; `scripts/chaos` plays it.

Why a drill fails now and then where a day passes between two workers
is not known yet. Stories with faults that last take long, and some of them find a shard that says nothing.
"""

ON_DEMAND = frozenset(
    {
        "hours-between-workers",
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
