"""Letters for tests of stores."""

from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.values import ShardKey

FIRST = 49_590_338_271_490_256_608_559_692_538_361_571_095_921_575_989_136_588_898
"""A sequence number of 56 digits, as Kinesis gives them."""
SHARD = ShardKey("orders", 1_700_000_000_000, "shardId-000000000000")


def letter(
    number: int, *, shard: ShardKey = SHARD, data: bytes = b"no", detail: str = "x", key: str = "p"
) -> DeadLetter:
    record = Record(str(number), data, key, 1763725995.123)
    return DeadLetter.of(RejectedRecord(0, RejectReason.NOT_JSON, detail), record, shard)


def letters(count: int, *, first: int = FIRST) -> list[DeadLetter]:
    return [letter(first + number) for number in range(count)]
