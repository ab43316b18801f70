"""Kinesis Data Streams without an account: FakeKinesis in this process, and the same behind HTTP.

Start at fake.py. What the service documents is told apart by file: numbers (sequence.py), hash keys (hash_key.py),
what a shard keeps (log.py, shard.py), lineage (stream.py, reshard.py), iterators, listing, limits, and its operations.
`python -m firnline_local.kinesis` is a process of the embedded environment; `KinesisServer` is the same in a test.
"""

from firnline_local.clock import Clock, ManualClock, SystemClock
from firnline_local.faults import Fault, FaultKind, FaultPlan
from firnline_local.kinesis.errors import FakeKinesisError
from firnline_local.kinesis.fake import FakeKinesis
from firnline_local.kinesis.handles import ShardHandle, StreamHandle
from firnline_local.kinesis.record import Record
from firnline_local.kinesis.server import KinesisServer

__all__ = [
    "Clock",
    "FakeKinesis",
    "FakeKinesisError",
    "Fault",
    "FaultKind",
    "FaultPlan",
    "KinesisServer",
    "ManualClock",
    "Record",
    "ShardHandle",
    "StreamHandle",
    "SystemClock",
]
