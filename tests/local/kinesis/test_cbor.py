"""CBOR as the fake writes and reads it, judged by botocore's own."""

import json
from typing import Any

import pytest
from botocore.parsers import BaseCBORParser
from hypothesis import given
from hypothesis import strategies as st

from firnline_local.kinesis import FakeKinesis, Fault, FaultKind, cbor
from firnline_local.kinesis.wire import TARGET_PREFIX, Reply, respond

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**64), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def without_nulls(value: Any) -> Any:
    """Reads maps as botocore does."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [without_nulls(each) for each in value] if isinstance(value, list) else value


def botocores(body: bytes) -> Any:
    parser: Any = BaseCBORParser()
    return parser.parse_data_item(parser.get_peekable_stream_from_bytes(body))


@given(VALUES)
def test_botocore_reads_what_is_written(value: object) -> None:
    assert cbor.decode(cbor.encode(value)) == value
    assert botocores(cbor.encode(value)) == without_nulls(value)


@given(VALUES.map(cbor.encode))
def test_what_is_cut_short_is_refused(body: bytes) -> None:
    for size in range(len(body)):
        with pytest.raises(ValueError, match="cut short"):
            cbor.decode(body[:size])


def test_lengths_may_be_open() -> None:
    assert cbor.decode(b"\xbf\x61a\x9f\x01\x02\xff\x61b\x7f\x61x\x61y\xff\xff") == {"a": [1, 2], "b": "xy"}


def test_a_time_is_milliseconds_under_its_tag_and_bytes_are_bytes() -> None:
    written = cbor.answer_as_cbor(b'{"Records":[{"ApproximateArrivalTimestamp":1763725995.123,"Data":"e30="}]}')
    (record,) = botocores(written.replace(b"\xc1", b""))["Records"]
    assert record == {"ApproximateArrivalTimestamp": 1763725995123, "Data": b"{}"}
    assert b"\xc1\x1b" in written


def ask(kinesis: FakeKinesis, operation: str, **request: object) -> tuple[Reply, Any]:
    """In CBOR; the answer as it is, and what it says."""
    target = f"{TARGET_PREFIX}{operation}"
    reply = respond(kinesis, target=target, content_type=cbor.CONTENT_TYPE, body=cbor.encode(request))
    return reply, cbor.decode(reply.body) if reply.content_type == cbor.CONTENT_TYPE else json.loads(reply.body)


def test_a_page_in_cbor_holds_what_was_put(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard(0)
    shard.put(b"\x00\xff", key="ключ")
    _, iterator = ask(
        kinesis, "GetShardIterator", StreamName="orders", ShardId=shard.id, ShardIteratorType="TRIM_HORIZON"
    )
    reply, page = ask(kinesis, "GetRecords", ShardIterator=iterator["ShardIterator"])
    assert (reply.status, reply.content_type) == (200, cbor.CONTENT_TYPE)
    (record,) = page["Records"]
    assert (record["Data"], record["PartitionKey"]) == (b"\x00\xff", "ключ")
    assert record["ApproximateArrivalTimestamp"] == pytest.approx(kinesis.clock().timestamp(), abs=1)


def test_an_error_is_in_cbor_too(kinesis: FakeKinesis) -> None:
    reply, error = ask(kinesis, "DescribeStreamSummary", StreamName="orders")
    assert (reply.status, reply.content_type) == (400, cbor.CONTENT_TYPE)
    assert error["__type"] == "ResourceNotFoundException"


def test_a_body_that_is_not_cbor_is_refused(kinesis: FakeKinesis) -> None:
    reply = respond(kinesis, target=f"{TARGET_PREFIX}ListStreams", content_type=cbor.CONTENT_TYPE, body=b"\xa1")
    assert cbor.decode(reply.body)["__type"] == "SerializationException"


def test_a_server_may_know_json_alone(kinesis: FakeKinesis) -> None:
    kinesis.liberties.refuses_cbor = True
    reply, error = ask(kinesis, "ListStreams")
    assert (reply.status, error["__type"]) == (400, "SerializationException")


def test_the_body_of_a_fault_is_its_own(kinesis: FakeKinesis) -> None:
    kinesis.faults.replace([Fault(endpoint="kinesis:*", kind=FaultKind.BODY, body="<html>")])
    reply = respond(kinesis, target=f"{TARGET_PREFIX}ListStreams", content_type=cbor.CONTENT_TYPE, body=b"\xa0")
    assert (reply.status, reply.body) == (200, b"<html>")
