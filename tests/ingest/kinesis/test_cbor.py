"""Pages asked for in CBOR: what a server may make of it, and that nothing of it is lost."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from firnline_ingest.config.access import Access
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis import client as module
from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.cbor import CBOR, CBOR_REFUSALS, JSON, in_cbor
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.errors import PageUnreadable
from firnline_ingest.kinesis.page import Record
from firnline_ingest.native import SWITCH, find_native
from firnline_local.kinesis import FakeKinesis, cbor
from tests.fakes.wire import Server, answer
from tests.ingest.kinesis.conftest import Shard, numbers

pytestmark = pytest.mark.skipif(find_native({}).module is None, reason=f"{find_native({})}: scripts/native builds it")

PAGE = cbor.answer_as_cbor(
    b'{"Records":[{"SequenceNumber":"1","Data":"e30=","PartitionKey":"k","ApproximateArrivalTimestamp":1763725995.123}],'
    b'"NextShardIterator":"next","MillisBehindLatest":7,"ChildShards":null}'
)
IN_JSON = b'{"Records":[{"SequenceNumber":"2","Data":"e30="}],"NextShardIterator":"later","MillisBehindLatest":0}'


class Wire(Server):
    """Says of each answer what it is in."""

    def answer(self, body: bytes, content_type: str = CBOR, status: int = 200) -> None:
        self.answers.append(answer(body, f"{status} Status", form=content_type))

    @property
    def asked(self) -> list[tuple[str, bytes]]:
        return [(headers["content-type"], body) for _, headers, body in self.requests]


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with Wire() as wire:
        yield wire


@pytest.fixture
def client(wire: Wire) -> Iterator[Any]:
    client = kinesis_client(AwsConfig(region="us-east-1", endpoints={"kinesis": wire.url}))
    yield client
    client.close()


def read(client: Any) -> Any:
    return client.get_records(ShardIterator="iterator", Limit=1000)


def forms(wire: Wire) -> list[str]:
    return [content_type for content_type, _ in wire.asked]


def test_a_page_is_asked_for_in_cbor_and_comes_as_typed_records(wire: Wire, client: Any) -> None:
    wire.answer(PAGE)
    answer = read(client)
    assert answer["Records"] == [Record("1", b"{}", "k", 1763725995.123)]
    assert (answer["NextShardIterator"], answer["MillisBehindLatest"], answer["ChildShards"]) == ("next", 7, None)
    assert answer["ResponseMetadata"][CBOR_REFUSALS] == 0
    ((content_type, body),) = wire.asked
    assert (content_type, cbor.decode(body)) == (CBOR, {"ShardIterator": "iterator", "Limit": 1000})


def test_everything_else_is_asked_for_in_json(wire: Wire, client: Any) -> None:
    wire.answer(b'{"StreamNames":[],"HasMoreStreams":false}', JSON)
    client.list_streams()
    assert forms(wire) == [JSON]


def test_a_stream_elsewhere_is_named_in_cbor_too(wire: Wire) -> None:
    arn = "arn:aws:kinesis:us-east-1:123456789012:stream/events"
    access = Access(arn=arn, endpoint=wire.url)
    wire.answer(PAGE)
    read(kinesis_client(AwsConfig(region="us-east-1"), access=access))
    assert cbor.decode(wire.asked[0][1])["StreamARN"] == arn


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, b'{"__type":"SerializationException","message":"no CBOR here"}'),
        (400, b'{"__type":"com.amazon#UnknownOperationException"}'),
        (404, b"<html>Not found</html>"),
        (415, b""),
        (500, b'{"__type":"InternalFailure"}'),
    ],
)
def test_a_refusal_is_asked_again_in_json_at_once_and_for_good(
    wire: Wire, client: Any, caplog: pytest.LogCaptureFixture, status: int, body: bytes
) -> None:
    caplog.set_level(logging.WARNING, "firnline_ingest")
    wire.answer(body, JSON, status)
    wire.answer(IN_JSON, JSON)
    wire.answer(IN_JSON, JSON)
    first, second = read(client), read(client)
    assert first["Records"] == second["Records"] == [Record("2", b"{}")]
    assert forms(wire) == [CBOR, JSON, JSON]
    assert json.loads(wire.asked[1][1]) == {"ShardIterator": "iterator", "Limit": 1000}
    assert [answer["ResponseMetadata"][CBOR_REFUSALS] for answer in (first, second)] == [1, 0]
    assert [record.message for record in caplog.records] == ["kinesis.cbor_refused"]


def test_a_server_that_has_answered_in_cbor_may_fail(wire: Wire, client: Any) -> None:
    wire.answer(PAGE)
    wire.answer(cbor.encode({"__type": "InternalFailure", "message": "later"}), CBOR, 500)
    wire.answer(PAGE)
    read(client)
    with pytest.raises(ClientError, match="later"):
        read(client)
    read(client)
    assert forms(wire) == [CBOR] * 3


@pytest.mark.parametrize("content_type", [CBOR, JSON])
def test_an_error_is_botocores_own_in_either_form(wire: Wire, client: Any, content_type: str) -> None:
    fields = {"__type": "ExpiredIteratorException", "message": "Iterator expired."}
    body = cbor.encode(fields) if content_type == CBOR else json.dumps(fields).encode()
    wire.answer(body, content_type, 400)
    with pytest.raises(client.exceptions.ExpiredIteratorException, match=r"Iterator expired\."):
        read(client)
    wire.answer(PAGE)
    read(client)
    assert forms(wire) == [CBOR, CBOR]


@pytest.mark.parametrize(
    ("body", "content_type", "why"),
    [
        (PAGE[:-20], CBOR, "cut short"),
        (PAGE, "application/octet-stream", "its content type is 'application/octet-stream'"),
        (PAGE, "", "its content type is ''"),
        (b"<html>Welcome to the hotel's network</html>", "text/html", "its content type is 'text/html'"),
        (IN_JSON, CBOR, "where an answer is expected"),
    ],
)
def test_what_is_no_page_is_trouble_that_passes_and_is_asked_for_in_json_from_then_on(
    wire: Wire, client: Any, body: bytes, content_type: str, why: str
) -> None:
    wire.answer(body, content_type)
    with pytest.raises(BotoCoreError, match=f"{len(body)} bytes that are not a page of records: .*{why}") as raised:
        read(client)
    error = kinesis_error(raised.value, operation="GetRecords", stream="orders")
    assert isinstance(error, PageUnreadable)
    assert error.is_retryable
    wire.answer(IN_JSON, JSON)
    answer = read(client)
    assert (answer["Records"], answer["ResponseMetadata"][CBOR_REFUSALS]) == ([Record("2", b"{}")], 1)
    assert forms(wire) == [CBOR, JSON]


def test_a_page_in_json_is_one_whatever_its_content_type(wire: Wire, client: Any) -> None:
    wire.answer(IN_JSON, "text/plain")
    assert read(client)["Records"] == [Record("2", b"{}")]


def test_a_server_that_answers_cbor_in_json_is_understood(wire: Wire, client: Any) -> None:
    wire.answer(IN_JSON, JSON)
    assert read(client)["Records"] == [Record("2", b"{}")]


def test_without_the_wheel_pages_are_asked_for_in_json(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "native", lambda: find_native({SWITCH: "off"}))
    wire.answer(IN_JSON, JSON)
    read(kinesis_client(AwsConfig(region="us-east-1", endpoints={"kinesis": wire.url})))
    assert forms(wire) == [JSON]


def test_a_reader_counts_a_refusal_once_and_reads_every_record(shard: Shard) -> None:
    shard.kinesis.liberties.refuses_cbor = True
    for number in range(3):
        shard.put(number)
    reader = shard.reader()
    assert numbers(shard.read(reader)) == [0, 1, 2]
    shard.put(3)
    assert numbers(shard.read(reader)) == [3]
    assert (reader.cbor_refusals, reader.unreadable_pages, reader.trouble) == (1, 0, None)


def test_both_forms_read_the_same_of_a_shard(shard: Shard) -> None:
    for number in range(30):
        shard.put(number)
    in_cbor_read = shard.read().records
    shard.kinesis.liberties.refuses_cbor = True
    assert in_cbor_read == shard.read().records


@pytest.mark.parametrize("number", [0, 23, 24, 255, 256, 10_000, 2**32 - 1])
def test_a_request_says_the_same_in_cbor(number: int) -> None:
    request = {"ShardIterator": "x" * number if number < 300 else "ключ", "Limit": number}
    assert cbor.decode(in_cbor(request)) == request


def test_the_fake_is_asked_in_cbor(shard: Shard) -> None:
    """Else no test above it would see CBOR."""
    kinesis: FakeKinesis = shard.kinesis
    assert kinesis.speaks_cbor
    shard.put(0)
    reader = shard.reader()
    shard.read(reader)
    assert reader.cbor_refusals == 0
