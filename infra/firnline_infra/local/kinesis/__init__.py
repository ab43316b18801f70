"""FakeKinesis behind HTTP, for real boto3 clients in other processes.

`python -m firnline_infra.local.kinesis` is a process of the embedded environment; `KinesisServer` is
the same in a test.
"""

from firnline_infra.local.kinesis.server import KinesisServer

__all__ = ["KinesisServer"]
