"""Rows and dead letters as the evidence names them: by their place, their shard and their number."""

from collections.abc import Iterable, Iterator

from firnline_ingest.dead_letters import DeadLetter
from tests.chaos.oracle import Found, place_of
from tests.chaos.simulated.configured import STREAM
from tests.chaos.simulated.snowflake import metadata_of

REPAIRED = b'"repaired"'
"""What the rows of replays have, and no other."""


def shard_name(stream: str, shard: str) -> str:
    """Returns a shard's name in the evidence: shards of several streams have the same ids. Without a shard, the stream."""
    return shard if stream == STREAM else f"{stream}/{shard}"


def by_engines(rows: Iterable[bytes]) -> Iterator[bytes]:
    return (row for row in rows if REPAIRED not in row)


def found_row(place: str, row: bytes, table: str) -> Found:
    metadata = metadata_of(row)
    number = place_of(int(metadata["sequenceNumber"]), metadata["subSequenceNumber"], metadata.get("row", 0))
    return Found(place, shard_name(metadata["stream"], metadata["shardId"]), number, table)


def found_letter(letter: DeadLetter) -> Found:
    shard = shard_name(letter.stream, letter.shard_id)
    return Found("letters", shard, place_of(int(letter.sequence_number), letter.sub_sequence_number))
