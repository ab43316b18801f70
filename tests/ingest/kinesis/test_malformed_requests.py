"""Tests of what Kinesis calls malformed is not an outage; and a start that is a time is not a position of another stream."""

import pytest
from botocore.exceptions import ClientError

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.consumers import describe
from firnline_ingest.kinesis.errors import StreamRequestMalformed
from firnline_ingest.kinesis.start import After, AtTimestamp, TrimHorizon
from firnline_ingest.values import Position
from firnline_local.kinesis import FakeKinesis
from tests.fakes.kinesis import client_of, refused
from tests.ingest.kinesis.conftest import Shard, numbers

FUTURE = "The timestampInMillis parameter cannot be greater than the currentTimestampInMillis"


def client_error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no such request"}}, "ListShards")


@pytest.mark.parametrize(
    "code", ["ValidationException", "SerializationException", "UnknownOperationException", "InvalidArgumentException"]
)
def test_a_malformed_request_is_fatal_and_to_be_reported(code: str) -> None:
    error = kinesis_error(client_error(code), operation="ListShards", stream="orders")
    assert isinstance(error, StreamRequestMalformed)
    assert not error.is_retryable
    for part in ("kinesis:ListShards", "orders", code, "no such request", "report this message"):
        assert part in str(error)
    assert "goes on by itself" not in str(error)


@pytest.mark.parametrize("start", [TrimHorizon(), AtTimestamp(1)])
@pytest.mark.parametrize("operation", ["GetShardIterator", "GetRecords"])
def test_a_start_that_is_refused_is_asked_for_again(
    shard: Shard, start: TrimHorizon | AtTimestamp, operation: str
) -> None:
    shard.put(0)
    shard.fails(refused(operation, "InvalidArgumentException", message=FUTURE, times=2))
    assert numbers(shard.read(shard.reader(start))) == [0]


def test_a_position_that_is_refused_belongs_to_another_stream(shard: Shard) -> None:
    shard.put(0)
    reader = shard.reader(After(Position(shard.stream.shards[0].records[0].sequence_number)))
    shard.fails(refused("GetShardIterator", "InvalidArgumentException", message="no"))
    with pytest.raises(FirnlineError) as raised:
        shard.read(reader)
    assert raised.value.id == "FL-2007"


def test_credentials_that_aws_does_not_know_lack_no_right() -> None:
    error = kinesis_error(client_error("UnrecognizedClientException"), operation="GetRecords", stream="orders")
    assert isinstance(error, FirnlineError)
    assert error.id == "FL-2015"
    assert "docs/permissions.md" not in str(error)
    assert "aws sts get-caller-identity" in str(error)


def test_a_malformed_request_about_a_consumer_does_not_say_that_it_is_gone() -> None:
    kinesis = FakeKinesis()
    kinesis.create_stream("events")
    kinesis.faults.replace([refused("DescribeStreamConsumer", "SerializationException", message="no")])
    with pytest.raises(StreamRequestMalformed):
        describe(client_of(kinesis), "events", "arn:aws:kinesis:us-east-1:123456789012:stream/events/consumer/c:1")
