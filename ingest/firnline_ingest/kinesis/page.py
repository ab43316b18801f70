"""One answer of GetRecords, or one event of SubscribeToShard, decoded straight into typed records.

Field names are the service's own, so that documentation, fakes and code say the same. base64 becomes bytes in C: a
page costs a fraction of what botocore's parser takes. kinesis/client.py puts this under an ordinary botocore client.
"""

import msgspec

from firnline_ingest.values import Position


class Record(msgspec.Struct, gc=False):
    """One Kinesis record. Arrival is in seconds since the epoch; the service may leave it out."""

    SequenceNumber: str
    Data: bytes = b""
    PartitionKey: str = ""
    ApproximateArrivalTimestamp: float | None = None

    @property
    def position(self) -> Position:
        return Position(int(self.SequenceNumber))


class ChildShard(msgspec.Struct, gc=False):
    """A shard that goes on where the one that was read ended."""

    ShardId: str
    ParentShards: list[str] = []
    HashKeyRange: dict[str, str] = {}


class RecordPage(msgspec.Struct, gc=False):
    """Records in the order of their sequence numbers. A null iterator is the shard's end, one that is left out is not."""

    Records: list[Record]
    NextShardIterator: str | msgspec.UnsetType | None = msgspec.UNSET
    MillisBehindLatest: int | None = None
    """None where the service did not say, which is not 0: that would mean caught up."""
    ChildShards: list[ChildShard] | None = None


class ShardEvent(msgspec.Struct, gc=False):
    """An event that a subscription pushes. Without a number to continue from, the shard is at its end."""

    Records: list[Record]
    ContinuationSequenceNumber: str | None = None
    MillisBehindLatest: int | None = None
    ChildShards: list[ChildShard] | None = None


decode_page = msgspec.json.Decoder(RecordPage).decode
"""Body to RecordPage. Unknown fields are skipped, Records and each record's sequence number are required.

Raises msgspec.MsgspecError, UnicodeDecodeError or RecursionError for a body that is not a page.
"""

decode_event = msgspec.json.Decoder(ShardEvent).decode
"""The payload of one SubscribeToShardEvent. Raises as `decode_page` does."""
