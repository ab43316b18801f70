"""A real botocore client, and answers as they come off the wire."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError
from botocore.parsers import JSONParser
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.client import kinesis_session
from firnline_ingest.kinesis.errors import PageUnreadable
from firnline_ingest.kinesis.page import Record, decode_page
from tests.fakes.wire import Server, answer

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

DATE = "Sat, 21 Nov 2026 11:53:15 GMT"


class Wire(Server):
    def answer(self, body: object, *, status: int = 200) -> None:
        written = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append(answer(written, f"{status} Status", f"Date: {DATE}\r\n".encode()))


@pytest.fixture
def wire() -> Iterator[Wire]:
    with Wire() as wire:
        yield wire


@pytest.fixture
def kinesis(wire: Wire) -> "Iterator[KinesisClient]":
    client = kinesis_session().create_client(
        "kinesis",
        region_name="us-east-1",
        endpoint_url=wire.url,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        config=Config(retries={"mode": "standard", "total_max_attempts": 2}),
    )
    yield cast("KinesisClient", client)
    client.close()


def record(number: int, data: bytes, **more: object) -> dict[str, object]:
    text = base64.b64encode(data).decode()
    return {"SequenceNumber": str(number), "Data": text, "PartitionKey": f"key-{number}", **more}


def read(kinesis: "KinesisClient") -> dict[str, Any]:
    return cast("dict[str, Any]", kinesis.get_records(ShardIterator="iterator", Limit=100))


def test_a_page_comes_as_typed_records(wire: Wire, kinesis: "KinesisClient") -> None:
    records = [record(1, b"\x00\xff{}", ApproximateArrivalTimestamp=1763725995.123), record(2, b"")]
    wire.answer({"Records": records, "NextShardIterator": "next", "MillisBehindLatest": 5000})
    answer = read(kinesis)
    assert answer["Records"] == [Record("1", b"\x00\xff{}", "key-1", 1763725995.123), Record("2", b"", "key-2", None)]
    assert answer["NextShardIterator"] == "next"
    assert answer["MillisBehindLatest"] == 5000
    assert answer["ChildShards"] is None


def test_the_answer_keeps_the_services_date_and_the_requests_id(wire: Wire, kinesis: "KinesisClient") -> None:
    wire.answer({"Records": []})
    metadata = read(kinesis)["ResponseMetadata"]
    assert metadata["HTTPHeaders"]["date"] == DATE
    assert metadata["RequestId"] == "r-1"
    assert metadata["HTTPStatusCode"] == 200


def test_what_the_service_leaves_out_is_none_and_what_it_adds_is_skipped(wire: Wire, kinesis: "KinesisClient") -> None:
    wire.answer({"Records": [{"SequenceNumber": "1", "EncryptionType": "KMS", "New": {"a": [1]}}], "New": [1, {}]})
    answer = read(kinesis)
    assert answer["Records"] == [Record("1", b"", "", None)]
    assert answer["MillisBehindLatest"] is None
    assert "NextShardIterator" not in answer, "which is not null: that would be a shard's end"


def test_a_timestamp_in_whole_seconds_is_one_too(wire: Wire, kinesis: "KinesisClient") -> None:
    wire.answer({"Records": [record(1, b"{}", ApproximateArrivalTimestamp=1763725995)]})
    assert read(kinesis)["Records"][0].ApproximateArrivalTimestamp == 1763725995.0


def test_at_its_end_a_shard_names_its_children(wire: Wire, kinesis: "KinesisClient") -> None:
    child = {
        "ShardId": "shardId-000000000001",
        "ParentShards": ["shardId-000000000000"],
        "HashKeyRange": {"StartingHashKey": "0", "EndingHashKey": "340282366920938463463374607431768211455"},
    }
    wire.answer({"Records": [], "NextShardIterator": None, "MillisBehindLatest": 0, "ChildShards": [child]})
    answer = read(kinesis)
    assert answer["NextShardIterator"] is None
    assert answer["ChildShards"] == [child]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>Welcome to the hotel's network</html>",
        b'{"Records":[{"SequenceNumber":"1","Da',
        b'{"Records":[{"Data":"e30="}]}',
        b'{"Records":[{"SequenceNumber":"1","Data":"not base64"}]}',
        b'{"Records":null}',
        b"{}",
        b'{"message":null}',
        b"[" * 100_000,
    ],
    ids=[
        "nothing",
        "html",
        "cut short",
        "no sequence number",
        "no base64",
        "null",
        "no records",
        "a message",
        "nonsense",
    ],
)
def test_a_good_status_over_something_else_is_no_page(wire: Wire, kinesis: "KinesisClient", body: bytes) -> None:
    wire.answer(body)
    with pytest.raises(
        BotoCoreError, match=f"answered with {len(body)} bytes that are not a page of records"
    ) as raised:
        read(kinesis)
    assert isinstance(kinesis_error(raised.value, operation="GetRecords", stream="orders"), PageUnreadable)


def test_other_answers_are_parsed_as_always(wire: Wire, kinesis: "KinesisClient") -> None:
    summary = {"StreamName": "orders", "StreamCreationTimestamp": 1763725995.5, "OpenShardCount": 1}
    wire.answer({"StreamDescriptionSummary": summary})
    described = kinesis.describe_stream_summary(StreamName="orders")["StreamDescriptionSummary"]
    assert described["StreamCreationTimestamp"] == datetime(2025, 11, 21, 11, 53, 15, 500_000, tzinfo=UTC)


def test_kinesis_still_speaks_the_protocol_that_pages_are_decoded_from() -> None:
    """A newer botocore that prefers CBOR would go around the typed parser, in silence."""
    assert kinesis_session().get_service_model("kinesis").resolved_protocol == "json"


RECORDS = st.lists(
    st.tuples(
        st.integers(0, 10**56), st.binary(max_size=50), st.text(min_size=1, max_size=20), st.integers(0, 2 * 10**12)
    ),
    max_size=5,
)


@given(RECORDS, st.none() | st.text(max_size=20), st.integers(0, 10**9))
def test_a_page_says_what_botocores_parser_says(
    records: list[tuple[int, bytes, str, int]], iterator: str | None, behind_ms: int
) -> None:
    body = {
        "Records": [
            {
                "SequenceNumber": str(number),
                "Data": base64.b64encode(data).decode(),
                "PartitionKey": key,
                "ApproximateArrivalTimestamp": arrival_ms / 1000,
            }
            for number, data, key, arrival_ms in records
        ],
        "NextShardIterator": iterator,
        "MillisBehindLatest": behind_ms,
    }
    page = decode_page(json.dumps(body).encode())
    response = {"status_code": 200, "headers": {}, "body": json.dumps(body).encode()}
    expected = JSONParser().parse(response, GET_RECORDS_OUTPUT)
    for ours, theirs in zip(page.Records, expected["Records"], strict=True):
        assert (ours.SequenceNumber, ours.Data, ours.PartitionKey) == (
            theirs["SequenceNumber"],
            theirs["Data"],
            theirs["PartitionKey"],
        )
        assert ours.ApproximateArrivalTimestamp == pytest.approx(
            theirs["ApproximateArrivalTimestamp"].timestamp(), abs=1e-5
        )
    assert (page.NextShardIterator, page.MillisBehindLatest) == (expected.get("NextShardIterator"), behind_ms)


GET_RECORDS_OUTPUT: Any = kinesis_session().get_service_model("kinesis").operation_model("GetRecords").output_shape
