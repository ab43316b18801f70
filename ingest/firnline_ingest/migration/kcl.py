"""The lease table of the Kinesis Client Library, 1.x to 3.x: one reader serves all, because attributes were only ever added.

Names are those of its DynamoDBLeaseSerializer and DynamoDBMultiStreamLeaseSerializer (awslabs/amazon-kinesis-client). From
3.5 on the table also holds what is not a lease, known by its `entityType`. The checkpoint means: this user record was taken in,
of an aggregate up to this one (the library goes on AT it and drops what is not after it). A pending checkpoint was
announced and not made.
"""

from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from firnline_ingest.migration.lease import Lease, Leases, LeaseState
from firnline_ingest.values import DIGITS, Position

KEY = {"leaseKey": "HASH"}
LEASE = "LEASE"
PARTS = 4  # account, stream, creation time in seconds, shard
LAST_SUB_SEQUENCE_NUMBER = 10**DIGITS - 1


def leases_of(items: Iterable[Mapping[str, Any]], stream: str, created_ms: int, epoch: int | None = None) -> Leases:
    """`epoch` is the creation time that the keys of a table of several streams name, where it is not the stream's own."""
    wanted = created_ms // 1000 if epoch is None else epoch
    found: dict[str, Lease] = {}
    left_out = 0
    epochs: set[str] = set()
    problems: list[str] = []
    for item in items:
        if item.get("entityType", LEASE) != LEASE:
            continue
        shard_id, of_stream, of_epoch = _shard_of(str(item["leaseKey"]))
        if of_stream not in ("", stream):
            left_out += 1
        elif of_epoch not in ("", str(wanted)):
            left_out += 1
            epochs.add(of_epoch)
        elif shard_id in found:
            problems.append(f"{shard_id} has two leases: streams of two accounts have one name in this table.")
        else:
            found[shard_id] = _lease(shard_id, item)
    if not found and epochs:
        problems.append(
            f"every lease of {stream!r} is of a stream made at {', '.join(sorted(epochs))} (seconds), and this one was made "
            f"at {created_ms // 1000}: it was deleted and recreated, and nothing of the old one is true of it. If the "
            "consumer was given another number for this stream, name that: --creation-epoch."
        )
    return Leases(found, left_out, tuple(problems))


def _shard_of(key: str) -> tuple[str, str, str]:
    """Shard, stream and creation time; the last two are empty in a table of one stream."""
    parts = key.split(":", PARTS - 1)
    if len(parts) == PARTS:
        _account, stream, epoch, shard_id = parts
        return shard_id, stream, epoch
    return key, "", ""


def _lease(shard_id: str, item: Mapping[str, Any]) -> Lease:
    remarks = []
    if item.get("pendingCheckpoint"):
        remarks.append("its pending checkpoint was not made, and is left")
    if item.get("checkpointOwner"):
        remarks.append(f"was being handed over by {item['checkpointOwner']}")
    text, sub_sequence_number = str(item.get("checkpoint", "")), _sub_sequence_number(item)
    checkpoint: Position | LeaseState = LeaseState.NONE
    problem = ""
    if sub_sequence_number is None:
        problem = (
            f"its sub-sequence number {str(item['checkpointSubSequenceNumber'])!r} is not a whole number between 0 and "
            f"{LAST_SUB_SEQUENCE_NUMBER:,}: the Kinesis Client Library did not write it."
        )
    elif text.isascii() and text.isdecimal():
        checkpoint = Position(int(text), sub_sequence_number)
    elif text in set(LeaseState):
        checkpoint = LeaseState(text)
    elif text:
        remarks.append(f"its checkpoint {text!r} is none of the library's")
    children, owner = tuple(sorted(item.get("childShardIds", ()))), str(item.get("leaseOwner", ""))
    return Lease(shard_id, checkpoint, children, owner, "; ".join(remarks), problem)


def _sub_sequence_number(item: Mapping[str, Any]) -> int | None:
    """0 without one; None if it is not a whole number that a position has room for."""
    try:
        number = Decimal(str(item.get("checkpointSubSequenceNumber", 0)))
    except InvalidOperation:
        return None
    is_within = number.is_finite() and 0 <= number <= LAST_SUB_SEQUENCE_NUMBER
    return int(number) if is_within and number == int(number) else None
