"""Splitting, merging and rescaling. The parents are closed at once, and every put goes to the children from then on."""

from firnline_local.kinesis.errors import invalid_argument
from firnline_local.kinesis.hash_key import even_ranges
from firnline_local.kinesis.shard import Shard
from firnline_local.kinesis.stream import Stream


def split(stream: Stream, parent: Shard, *, at: int, now_ms: int) -> tuple[Shard, Shard]:
    """The children below and from the hash key `at`, which has to lie within the shard and not be its first."""
    _require_open(stream, parent)
    if not parent.hash_range.start < at <= parent.hash_range.end:
        raise invalid_argument(
            f"NewStartingHashKey {at} has to be within the hash keys of {parent.id}, and above the first."
        )
    parent.closed_ms = now_ms
    lower, upper = (stream.add_shard(part, now_ms=now_ms, parents=(parent,)) for part in parent.hash_range.split(at))
    stream.refresh_routes()
    return lower, upper


def merge(stream: Stream, parent: Shard, adjacent: Shard, *, now_ms: int) -> Shard:
    """The one child of two shards whose hash keys join without a hole."""
    for each in (parent, adjacent):
        _require_open(stream, each)
    if not parent.hash_range.is_adjacent_to(adjacent.hash_range):
        raise invalid_argument(f"{parent.id} and {adjacent.id} of stream {stream.name} are not adjacent.")
    parent.closed_ms = adjacent.closed_ms = now_ms
    hash_range = parent.hash_range.joined(adjacent.hash_range)
    child = stream.add_shard(hash_range, now_ms=now_ms, parents=(parent, adjacent))
    stream.refresh_routes()
    return child


def rescale(stream: Stream, count: int, *, now_ms: int) -> None:
    """Makes `count` shards of the same size. As with the service, short-lived shards may come and go on the way."""
    for target in even_ranges(count):
        _cut(stream, target.start, now_ms)
    for target in even_ranges(count):
        parts = [s for s in stream.open_shards if target.start <= s.hash_range.start and s.hash_range.end <= target.end]
        whole = parts[0]
        for part in parts[1:]:
            whole = merge(stream, whole, part, now_ms=now_ms)


def _cut(stream: Stream, at: int, now_ms: int) -> None:
    shard = next(shard for shard in stream.open_shards if shard.hash_range.start <= at <= shard.hash_range.end)
    if shard.hash_range.start != at:
        split(stream, shard, at=at, now_ms=now_ms)


def _require_open(stream: Stream, shard: Shard) -> None:
    if not shard.is_open:
        raise invalid_argument(f"{shard.id} of stream {stream.name} has already been split or merged.")
