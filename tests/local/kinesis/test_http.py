"""HTTP on the socket, byte by byte."""

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader

import pytest

from firnline_local.kinesis import FakeKinesis, Fault, FaultKind, KinesisServer


@dataclass
class Connection:
    socket: socket.socket
    reader: BufferedReader

    def send(self, content: bytes) -> None:
        self.socket.sendall(content)

    def answer(self) -> tuple[int, bytes]:
        """The status and the body of the next answer."""
        status = int(self.reader.readline().split()[1])
        length = 0
        while (line := self.reader.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return status, self.reader.read(length)


@pytest.fixture
def kinesis() -> FakeKinesis:
    return FakeKinesis()


@pytest.fixture
def connection(kinesis: FakeKinesis) -> Iterator[Connection]:
    with KinesisServer(kinesis) as server:
        host, _, port = server.endpoint.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=10) as opened, opened.makefile("rb") as reader:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield Connection(opened, reader)


def request(operation: str, body: bytes = b"{}") -> bytes:
    head = (
        f"POST / HTTP/1.1\r\nhost: localhost\r\nX-AMZ-Target: Kinesis_20131202.{operation}\r\n"
        f"CONTENT-TYPE: application/x-amz-json-1.1\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


CREATE = request("CreateStream", b'{"StreamName":"orders","ShardCount":1}')


def test_a_connection_stays_open_for_the_next_request(connection: Connection) -> None:
    for _ in range(3):
        connection.send(request("ListStreams"))
        status, body = connection.answer()
        assert (status, b"StreamNames" in body) == (200, True)


def test_a_request_may_arrive_in_any_pieces(connection: Connection, kinesis: FakeKinesis) -> None:
    for place in range(len(CREATE)):
        connection.send(CREATE[place : place + 1])
    assert connection.answer() == (200, b"")
    assert [stream.name for stream in kinesis.streams] == ["orders"]


def test_requests_that_arrive_together_are_answered_in_order_even_if_the_first_is_slow(
    connection: Connection, kinesis: FakeKinesis
) -> None:
    kinesis.faults.replace([Fault(endpoint="kinesis:CreateStream", kind=FaultKind.SLOW, delay_s=0.05)])
    connection.send(CREATE + request("ListStreams"))
    assert connection.answer() == (200, b"")
    assert b"orders" in connection.answer()[1]


def test_a_cut_connection_ends_without_a_byte(connection: Connection, kinesis: FakeKinesis) -> None:
    kinesis.faults.replace([Fault(endpoint="*", kind=FaultKind.CUT)])
    connection.send(request("ListStreams"))
    assert connection.reader.read() == b""


@pytest.mark.parametrize("header", ["Transfer-Encoding: chunked", "Content-Length: x", "Content-Length: 9999999999"])
def test_a_body_without_a_sensible_length_is_refused_and_the_connection_closed(
    connection: Connection, header: str
) -> None:
    connection.send(f"POST / HTTP/1.1\r\n{header}\r\n\r\n".encode())
    assert connection.answer()[0] == 411
    assert connection.reader.read() == b""


def test_a_request_for_no_operation_is_refused(connection: Connection) -> None:
    connection.send(b"GET / HTTP/1.1\r\n\r\n")
    assert connection.answer()[0] == 400
