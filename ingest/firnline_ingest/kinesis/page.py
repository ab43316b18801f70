"""One answer of GetRecords, decoded straight into typed records.

Field names are the service's own, so that documentation, fakes and code say the same. base64 becomes bytes in C: a
page costs a fraction of what botocore's parser takes. kinesis/client.py puts this under an ordinary botocore client.
"""

import msgspec


class Record(msgspec.Struct, gc=False):
    """One Kinesis record. Arrival is in seconds since the epoch; the service may leave it out."""

    SequenceNumber: str
    Data: bytes = b""
    PartitionKey: str = ""
    ApproximateArrivalTimestamp: float | None = None


class ChildShard(msgspec.Struct, gc=False):
    """A shard that goes on where the one that was read ended."""

    ShardId: str
    ParentShards: list[str] = []
    HashKeyRange: dict[str, str] = {}


class RecordPage(msgspec.Struct, gc=False):
    """Records in the order of their sequence numbers. No next iterator: the shard was read to its end."""

    Records: list[Record] = []
    NextShardIterator: str | None = None
    MillisBehindLatest: int | None = None
    """None where the service did not say, which is not 0: that would mean caught up."""
    ChildShards: list[ChildShard] | None = None


decode_page = msgspec.json.Decoder(RecordPage).decode
"""Body to RecordPage. Unknown fields are skipped, only a record's sequence number is required.

Raises msgspec.MsgspecError, UnicodeDecodeError or RecursionError for a body that is not a page.
"""
