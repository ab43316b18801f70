"""How stores name what they keep, so that no name leads out of its folder."""

from urllib.parse import quote

from firnline_ingest.deadletter.letter import LetterKey


def path_name(name: str) -> str:
    """Names of streams and shards stand for themselves; one of dots alone, or with a slash, stays in the folder too."""
    return quote(name, safe="") if name.strip(".") else name.replace(".", "%2E")


def shard_path(key: LetterKey) -> str:
    """<stream>@<created ms>/<shard>, without a slash at the end."""
    return f"{path_name(key.stream)}@{key.stream_created_ms}/{path_name(key.shard_id)}"
