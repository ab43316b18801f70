"""The checkpoint table of Openflow's connector (and of NiFi's ConsumeKinesis): a row a shard, and rows of its nodes.

It goes on behind sequence numbers and nothing else: a record is taken in whole, aggregates too, and a shard's end is not
written. One of its versions notes a sub-sequence number as well, and none reads it; it may be an older checkpoint's, because
updates don't remove it. Names are those of its KinesisShardManager (apache/nifi).
"""

from collections.abc import Iterable, Mapping
from typing import Any

from firnline_ingest.migration.lease import Lease, Leases, LeaseState
from firnline_ingest.values import DIGITS, Position

KEY = {"streamName": "HASH", "shardId": "RANGE"}
NODE, MIGRATION = "__node__#", "__migration__"
WHOLE = 10**DIGITS - 1
"""After the last user record of an aggregate, however many it has."""
SUB_SEQUENCE = "its sub-sequence number is passed by: Openflow itself goes on behind the whole record"


def leases_of(items: Iterable[Mapping[str, Any]], stream: str) -> Leases:
    found: dict[str, Lease] = {}
    left_out = 0
    for item in items:
        shard_id = str(item["shardId"])
        if shard_id.startswith((NODE, MIGRATION)):
            continue
        if item["streamName"] != stream:
            left_out += 1
            continue
        number = str(item.get("sequenceNumber", ""))
        is_place = number.isascii() and number.isdecimal()
        checkpoint = Position(int(number), WHOLE) if is_place else LeaseState.NONE
        remark = SUB_SEQUENCE if is_place and "subSequenceNumber" in item else ""
        found[shard_id] = Lease(shard_id, checkpoint, owner=str(item.get("leaseOwner", "")), remark=remark)
    return Leases(found, left_out)
