"""Which shards ListShards shows: the service's six filters, page by page."""

from collections.abc import Iterable

from firnline_local.kinesis.errors import invalid_argument
from firnline_local.kinesis.shard import Shard
from firnline_local.kinesis.stream import Stream

FILTERS = {"AFTER_SHARD_ID", "AT_TRIM_HORIZON", "FROM_TRIM_HORIZON", "AT_LATEST", "AT_TIMESTAMP", "FROM_TIMESTAMP"}


def listed(stream: Stream, kind: str, *, after_shard_id: str = "", timestamp_ms: int = 0, now_ms: int) -> list[Shard]:
    """Shards that have not expired, in the order of their ids; those after `after_shard_id` alone."""
    if kind == "AT_TIMESTAMP" and timestamp_ms < max(stream.created_ms, stream.horizon_ms(now_ms)):
        kind = "AT_TRIM_HORIZON"
    shards: Iterable[Shard] = stream.shards.values()
    if kind == "AT_LATEST":
        shards = stream.open_shards
    elif kind == "AT_TRIM_HORIZON":
        known = {shard.id for shard in stream.shards.values()}
        shards = [shard for shard in shards if known.isdisjoint(shard.parent_ids)]
    elif kind == "AT_TIMESTAMP":
        shards = [shard for shard in shards if shard.created_ms <= timestamp_ms and _ended_since(shard, timestamp_ms)]
    elif kind == "FROM_TIMESTAMP":
        shards = [shard for shard in shards if _ended_since(shard, timestamp_ms)]
    elif kind not in FILTERS:
        raise invalid_argument(f"{kind} is not a shard filter; there are {', '.join(sorted(FILTERS))}.")
    return sorted((shard for shard in shards if shard.id > after_shard_id), key=lambda shard: shard.number)


def _ended_since(shard: Shard, timestamp_ms: int) -> bool:
    return shard.closed_ms is None or shard.closed_ms >= timestamp_ms
