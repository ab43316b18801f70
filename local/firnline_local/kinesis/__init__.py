"""Kinesis Data Streams without an account: FakeKinesis in this process, and the same behind HTTP.

Start at fake.py. What the service documents is divided by file: sequence numbers and hash keys (numbers.py), what a
shard keeps (shard.py), routing, resharding and retention (stream.py), iterators, limits, and its operations.
`python -m firnline_local.kinesis` is a process of the embedded environment; `KinesisServer` is the same in a test.
"""

from firnline_local.clock import Clock, ManualClock, SystemClock
from firnline_local.faults import Fault, FaultKind, FaultPlan
from firnline_local.kinesis.errors import FakeKinesisError
from firnline_local.kinesis.fake import FakeKinesis
from firnline_local.kinesis.handles import ShardHandle, StreamHandle
from firnline_local.kinesis.liberties import Liberties
from firnline_local.kinesis.server import KinesisServer
from firnline_local.kinesis.shard import StoredRecord

__all__ = [
    "Clock",
    "FakeKinesis",
    "FakeKinesisError",
    "Fault",
    "FaultKind",
    "FaultPlan",
    "KinesisServer",
    "Liberties",
    "ManualClock",
    "ShardHandle",
    "StoredRecord",
    "StreamHandle",
    "SystemClock",
]
