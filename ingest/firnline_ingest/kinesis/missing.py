"""What it means that the service does not know a shard: the stream is gone, or another one, or the shard has expired."""

from typing import TYPE_CHECKING

from firnline_ingest.errors import KinesisError
from firnline_ingest.kinesis.errors import ShardExpired, StreamReplaced, StreamUnreachable
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

LOOKS = 3
"""So many times in a row the shard has to be unknown, and unlisted, before it is taken for expired."""


def why_missing(client: "KinesisClient", key: ShardKey, *, times: int) -> KinesisError:
    """StreamMissing, StreamReplaced or ShardExpired; what passes where the service contradicts itself."""
    try:
        lineage = read_lineage(client, key.stream)
    except KinesisError as cause:
        return cause
    if lineage.stream_created_ms != key.stream_created_ms:
        return StreamReplaced(key.stream)
    if key.shard_id in lineage.shards or times < LOOKS:
        return StreamUnreachable(key.stream, "GetRecords", f"{key.shard_id} is not known, but the stream is")
    return ShardExpired(str(key))
