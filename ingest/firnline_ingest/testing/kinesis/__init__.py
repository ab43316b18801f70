"""Kinesis Data Streams in this process: no account, no socket, no waiting.

Start at fake.py. What the service documents is told apart by file: numbers (sequence.py), hash keys (hash_key.py),
what a shard keeps (log.py, shard.py), lineage (stream.py, reshard.py), iterators, listing, limits, and its operations.
"""

from firnline_ingest.testing.kinesis.errors import FakeKinesisError
from firnline_ingest.testing.kinesis.fake import FakeKinesis
from firnline_ingest.testing.kinesis.handles import ShardHandle, StreamHandle
from firnline_ingest.testing.kinesis.record import Record

__all__ = ["FakeKinesis", "FakeKinesisError", "Record", "ShardHandle", "StreamHandle"]
