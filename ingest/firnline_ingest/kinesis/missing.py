"""What it means that the service does not know a shard: the stream is gone, or another one, or the shard has expired."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.errors import (
    ShardExpired,
    StreamMissing,
    StreamReplaced,
    StreamUnreachable,
    answered,
)
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

LOOKS = 3
"""So many times in a row the shard has to be unknown, and unlisted, before it is taken for expired."""


def gone_shards(client: "KinesisClient", stream: str, suspects: Iterable[str]) -> frozenset[str]:
    """Those that the service itself does not know any more, whatever a listing says. Two calls for each that is gone.

    Raises the errors of kinesis/errors.py.
    """
    return frozenset(shard for shard in suspects if not any(_is_there(client, stream, shard) for _ in range(2)))


def _is_there(client: "KinesisClient", stream: str, shard: str) -> bool:
    call = partial(client.get_shard_iterator, StreamName=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    try:
        answered(call, operation="GetShardIterator", stream=stream, needs="ShardIterator")
    except StreamMissing:
        return False
    return True


def why_missing(client: "KinesisClient", key: ShardKey, *, times: int) -> FirnlineError:
    """StreamMissing, StreamReplaced or ShardExpired; what passes where the service contradicts itself."""
    try:
        lineage = read_lineage(client, key.stream)
    except FirnlineError as cause:
        return cause
    if lineage.stream_created_ms != key.stream_created_ms:
        return StreamReplaced(key.stream)
    if key.shard_id in lineage.shards or times < LOOKS:
        return StreamUnreachable(key.stream, "GetRecords", f"{key.shard_id} is not known, but the stream is")
    return ShardExpired(str(key))
