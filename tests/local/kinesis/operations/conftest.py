import pytest

from firnline_local.kinesis import FakeKinesis, StreamHandle


@pytest.fixture
def orders(kinesis: FakeKinesis) -> StreamHandle:
    """A stream of one shard."""
    return kinesis.create_stream("orders")
