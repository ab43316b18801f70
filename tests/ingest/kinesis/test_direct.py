"""Reads that don't go botocore's way: signed, trusted, refused, timed out and renewed as those that do."""

import json
import os
import resource
import threading
from collections.abc import Callable
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from firnline_ingest.config.access import Access
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.client import kinesis_client
from tests.fakes.wire import Server

from .direct_server import PAGE, THROTTLED, answer, client_of, direct, read, trouble, warm

pytestmark = pytest.mark.usefixtures("in_json")


def test_the_second_read_is_direct_and_says_the_same(server: Server) -> None:
    client = client_of(server)
    server.answers += [answer(), answer()]
    first, second = read(client), read(client)
    assert (first["Records"], first["NextShardIterator"]) == (second["Records"], second["NextShardIterator"])
    assert second["ResponseMetadata"]["RequestId"] == "r-1"
    assert second["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert direct(client) == 1


def test_both_requests_have_the_same_headers_and_the_same_body(server: Server) -> None:
    client = client_of(server)
    server.answers += [answer(), answer()]
    read(client), read(client)
    (start, first, body), (second_start, second, second_body) = server.requests
    changing = {"authorization", "x-amz-date", "amz-sdk-invocation-id"}
    assert start == second_start == "POST / HTTP/1.1"
    assert json.loads(body) == json.loads(second_body) == {"ShardIterator": "iterator", "Limit": 10}
    assert first.keys() == second.keys()
    assert {name: first[name] for name in first.keys() - changing - {"content-length"}} == {
        name: second[name] for name in second.keys() - changing - {"content-length"}
    }
    assert first["amz-sdk-invocation-id"] != second["amz-sdk-invocation-id"]
    assert second["content-length"] == str(len(second_body))


def test_the_signature_is_what_botocore_would_have_made_of_the_request(server: Server) -> None:
    from botocore.credentials import Credentials

    client = client_of(server)
    server.answers += [answer(), answer()]
    read(client), read(client)
    for _, headers, body in server.requests:
        names = headers["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
        again = AWSRequest("POST", server.url + "/", headers={name: headers[name] for name in names}, data=body)
        again.context["timestamp"] = headers["x-amz-date"]
        signer = SigV4Auth(Credentials("first", "secret"), "kinesis", "us-east-1")
        signature = signer.signature(signer.string_to_sign(again, signer.canonical_request(again)), again)
        assert headers["authorization"].endswith(f"Signature={signature}")


def test_a_stream_elsewhere_is_named_by_its_arn(server: Server) -> None:
    arn = "arn:aws:kinesis:us-east-1:123456789012:stream/events"
    client = client_of(server, access=Access(arn=arn, endpoint=server.url))
    server.answers += [answer(), answer()]
    read(client), read(client)
    assert [json.loads(body)["StreamARN"] for _, _, body in server.requests] == [arn, arn]
    assert direct(client) == 1


def test_credentials_are_those_of_the_moment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    client = client_of(server)
    warm(client, server)
    expired = b'{"__type":"ExpiredTokenException","message":"The security token included in the request is expired"}'
    server.answers += [answer(expired, "400 Bad Request"), answer()]
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "second")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    with pytest.raises(ClientError, match="ExpiredToken"):
        read(client)
    read(client)
    _, headers, _ = server.requests[-1]
    assert "Credential=second/" in headers["authorization"]
    assert headers["x-amz-security-token"] == "token"
    assert "x-amz-security-token" in headers["authorization"]
    assert direct(client) == 2


def refusal(client: Any) -> tuple[Any, ...]:
    with pytest.raises(ClientError) as raised:
        read(client)
    response, metadata = raised.value.response, raised.value.response["ResponseMetadata"]
    return (
        type(raised.value).__name__,
        str(raised.value),
        response["Error"],
        metadata["HTTPStatusCode"],
        metadata["RetryAttempts"],
        response["FirnlineRequest"],
    )


@pytest.mark.parametrize(
    ("status", "body"),
    [
        ("400 Bad Request", THROTTLED),
        ("400 Bad Request", b'{"__type":"com.amazon#ExpiredIteratorException","message":"late"}'),
        ("403 Forbidden", b'{"__type":"AccessDeniedException","message":"no"}'),
        ("400 Bad Request", b'{"__type":"RequestTimeTooSkewed","message":"another time"}'),
        ("500 Internal Server Error", b"{}"),
        ("502 Bad Gateway", b"<html>Bad gateway</html>"),
        ("301 Moved Permanently", b""),
        ("307 Temporary Redirect", b""),
    ],
)
def test_a_refusal_is_the_one_that_botocore_makes_of_it(server: Server, status: str, body: bytes) -> None:
    client = client_of(server)
    server.answers += [answer(body, status, b"Location: http://127.0.0.1:1/\r\n")]
    by_botocore = refusal(client)
    client = client_of(server)
    warm(client, server)
    server.answers += [answer(body, status, b"Location: http://127.0.0.1:1/\r\n")]
    assert refusal(client) == by_botocore
    assert direct(client) == 1


def test_a_body_that_is_no_page_is_trouble_that_passes(server: Server) -> None:
    client = client_of(server)
    warm(client, server)
    server.answers += [answer(b"<html>"), answer()]
    with pytest.raises(BotoCoreError, match="not a page of records"):
        read(client)
    assert len(read(client)["Records"]) == 1


def test_a_connection_is_kept_and_one_that_the_server_ended_is_opened_again(server: Server) -> None:
    client = client_of(server)
    warm(client, server)
    server.answers += [answer()] * 4
    read(client), read(client)
    assert server.connections == 2, "botocore's, and the one that is kept"
    server.end_connections()
    read(client), read(client)
    assert server.connections == 3


def test_an_answer_may_end_its_connection(server: Server) -> None:
    client = client_of(server)
    warm(client, server)
    server.answers += [answer(head=b"Connection: close\r\n"), answer()]
    assert len(read(client)["Records"]) == len(read(client)["Records"]) == 1
    assert server.connections == 3


def test_an_answer_may_come_in_chunks_and_after_an_interim_one(server: Server) -> None:
    client = client_of(server)
    warm(client, server)
    chunks = b"%x;x=y\r\n%b\r\n%x\r\n%b\r\n0\r\nTrailer: x\r\n\r\n" % (10, PAGE[:10], len(PAGE) - 10, PAGE[10:])
    server.answers += [
        b"HTTP/1.1 100 Continue\r\n\r\n" + answer(chunks, head=b"Transfer-Encoding: chunked\r\n"),
        answer(),
    ]
    assert len(read(client)["Records"]) == len(read(client)["Records"]) == 1
    assert (direct(client), server.connections) == (2, 2)


@pytest.mark.parametrize(
    "bytes_", [None, answer()[:-10] + b"", b"HTTP/1.1 200 OK\r\nContent-Le", b"\x16\x03\x01 not HTTP\r\n\r\n"]
)
def test_a_connection_that_ends_too_early_is_trouble_that_passes(server: Server, bytes_: bytes | None) -> None:
    client = client_of(server)
    warm(client, server)
    server.answers += [bytes_ if bytes_ is None else bytes_ + b""]
    if bytes_ is not None:
        server._answer = ending(server._answer)  # type: ignore[method-assign]
    trouble(client, ConnectionClosedError)
    assert direct(client) == 1


def ending(respond: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Answers, and then ends the connection."""

    def once(connection: Any, lines: Any) -> bool:
        respond(connection, lines)
        return False

    return once


def test_an_answer_that_does_not_come_times_out(server: Server) -> None:
    client = client_of(server, read_timeout_s=0.2)
    warm(client, server)
    server.answers += [1.0]
    trouble(client, ReadTimeoutError)


def test_a_server_that_is_gone_is_trouble_that_passes(server: Server) -> None:
    client = client_of(server)
    warm(client, server)
    server.close()
    trouble(client, EndpointConnectionError)


def test_a_proxy_is_asked_each_time(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url)
    monkeypatch.setenv("NO_PROXY", "")
    client = kinesis_client(AwsConfig(region="us-east-1", endpoints={"kinesis": "http://kinesis.invalid"}))
    server.answers += [answer(), answer()]
    read(client), read(client)
    assert [start for start, _, _ in server.requests] == ["POST http://kinesis.invalid/ HTTP/1.1"] * 2
    assert direct(client) == 0


def test_retries_are_botocores(server: Server) -> None:
    client = client_of(server, attempts=2)
    server.answers += [answer(), answer(THROTTLED, "400 Bad Request"), answer()]
    read(client)
    assert read(client)["ResponseMetadata"]["RetryAttempts"] == 1
    assert direct(client) == 0


def test_another_form_of_the_request_is_botocores(server: Server) -> None:
    client = client_of(server)
    warm(client, server)
    server.answers += [answer()]
    client.get_records(ShardIterator="iterator")
    assert direct(client) == 0


def test_a_client_that_is_closed_keeps_no_connection(server: Server) -> None:
    client = client_of(server)
    warm(client, server)
    server.answers += [answer()]
    read(client)
    kept = client.get_records.__self__._calls._connections
    assert len(kept._free) == 1
    client.close()
    assert len(kept._free) == 0


def test_threads_read_at_once_each_on_its_connection(server: Server) -> None:
    client = client_of(server, connections=2)
    warm(client, server)
    server.answers += [answer()] * 40
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.extend(len(read(client)["Records"]) for _ in range(10)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert counts == [1] * 40
    assert len(client.get_records.__self__._calls._connections._free) <= 2


def test_an_answer_that_lasts_to_the_end_of_its_connection_is_followed_by_another_connection(server: Server) -> None:
    client = client_of(server)
    warm(client, server)
    unframed = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.1\r\n\r\n" + PAGE
    server.answers += [unframed, answer()]
    kept, server._answer = server._answer, lambda *each: (kept(*each), False)[1]  # type: ignore[method-assign]
    assert [len(read(client)["Records"]) for _ in range(2)] == [1, 1]
    assert direct(client) == 2


def test_a_process_with_more_than_a_thousand_open_files_reads_on(server: Server) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        client = client_of(server)
        warm(client, server)
        server.answers += [answer(), answer()]
        assert [len(read(client)["Records"]) for _ in range(2)] == [1, 1]
        assert direct(client) == 2
    finally:
        for each in opened:
            os.close(each)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
