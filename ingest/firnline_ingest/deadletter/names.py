"""How stores name what they keep, so that no name leads out of its folder."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from firnline_ingest.deadletter.letter import LetterKey
from firnline_ingest.values import ShardKey


def path_name(name: str) -> str:
    """Names of streams and shards stand for themselves; one of dots alone, or with a slash, stays in the folder too."""
    return quote(name, safe="") if name.strip(".") else name.replace(".", "%2E")


def shard_path(key: LetterKey) -> str:
    """<stream>@<created ms>/<shard>, without a slash at the end."""
    return f"{path_name(key.stream)}@{key.stream_created_ms}/{path_name(key.shard_id)}"


def sorted_shards(shards: Iterable[tuple[str, int, str]]) -> Sequence[ShardKey]:
    """Each once, by stream, when that was created, and shard id."""
    return [ShardKey(*shard) for shard in sorted(set(shards))]
