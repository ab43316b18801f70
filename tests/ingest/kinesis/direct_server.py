"""A client of a server that answers GetRecords as a test says, and whether its reads are direct."""

from typing import Any

import pytest

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.direct import DirectReads
from tests.fakes import wire
from tests.fakes.wire import Server

PAGE = b'{"Records":[{"SequenceNumber":"1","Data":"e30="}],"NextShardIterator":"next","MillisBehindLatest":0}'
THROTTLED = b'{"__type":"ProvisionedThroughputExceededException","message":"slow down"}'


def answer(body: bytes = PAGE, status: str = "200 OK", head: bytes = b"") -> bytes:
    return wire.answer(body, status, head)


def client_of(server: Server, **more: Any) -> Any:
    aws = {"region": "us-east-1", "endpoints": {"kinesis": server.url}, **more.pop("aws", {})}
    return kinesis_client(AwsConfig(**aws), **more)


def read(client: Any) -> Any:
    return client.get_records(ShardIterator="iterator", Limit=10)


def direct(client: Any) -> int:
    reads = client.get_records.__self__
    return reads.direct if isinstance(reads, DirectReads) else 0


def warm(client: Any, server: Server) -> None:
    """One read by botocore, whose decisions are kept."""
    server.answers.append(answer())
    read(client)
    assert direct(client) == 0


def trouble(client: Any, kind: type[Exception]) -> Exception:
    with pytest.raises(kind) as raised:
        read(client)
    mapped = kinesis_error(raised.value, operation="GetRecords", stream="orders")
    assert getattr(mapped, "is_retryable", False), mapped
    return raised.value
