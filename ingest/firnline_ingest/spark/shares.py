"""Divides the task slots among streams if there are too few, so that a resharded stream does not take them all.

Each stream gets as many slots as it has shards, or as many as any other stream, whichever is less; free slots go to streams with
more shards. A shard that is read already goes before one that is not, so that shards do not take turns.
"""

from collections import defaultdict
from collections.abc import Collection

from firnline_ingest.values import ShardKey


def fair_share(shards: Collection[ShardKey], room: int, *, read_already: Collection[ShardKey]) -> frozenset[ShardKey]:
    """Chooses at most `room` shards, fairly among streams; those that are read already come first."""
    if len(shards) <= room:
        return frozenset(shards)
    by_stream: dict[str, list[ShardKey]] = defaultdict(list)
    for key in sorted(shards, key=lambda key: (key not in read_already, key.stream_created_ms, key.shard_id)):
        by_stream[key.stream].append(key)
    chosen: set[ShardKey] = set()
    smallest_first = sorted(by_stream, key=lambda stream: (len(by_stream[stream]), stream))
    for number, stream in enumerate(smallest_first):
        share = -(-(room - len(chosen)) // (len(smallest_first) - number))
        chosen.update(by_stream[stream][:share])
    return frozenset(chosen)
