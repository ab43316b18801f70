import pytest

from firnline_ingest.testing import FakeKinesis
from firnline_ingest.testing.kinesis import StreamHandle


@pytest.fixture
def orders(kinesis: FakeKinesis) -> StreamHandle:
    """A stream of one shard."""
    return kinesis.create_stream("orders")
