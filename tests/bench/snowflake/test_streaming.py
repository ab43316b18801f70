import json
from typing import Any

import pytest
import zstandard

from bench.snowflake.streaming import CountingStream
from firnline_local.kinesis.http import HttpRequest

PIPE = "/databases/DB/schemas/RAW/pipes/ORDERS-STREAMING"


def ask(stream: CountingStream, method: str, target: str, body: bytes = b"", **headers: str) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    reply = stream.reply(HttpRequest(method, target, {"host": "127.0.0.1:1"} | named, body))
    answer: dict[str, Any] = json.loads(reply.body)
    return answer


@pytest.fixture
def stream() -> CountingStream:
    stream = CountingStream()
    ask(stream, "PUT", f"/v2/streaming{PIPE}/channels/one", b"{}")
    return stream


def append(stream: CountingStream, body: bytes, token: str, **headers: str) -> dict[str, Any]:
    target = f"/v2/streaming/data{PIPE}/channels/one/rows?continuationToken=1_0&endOffsetToken={token}"
    return ask(stream, "POST", target, body, **headers)


def status(stream: CountingStream) -> dict[str, Any]:
    target = f"/v2/streaming{PIPE}:bulk-channel-status"
    answer = ask(stream, "POST", target, b'{"channel_names": ["one"]}')
    found: dict[str, Any] = answer["channel_statuses"]["one"]
    return found


def test_rows_are_committed_when_they_arrive(stream: CountingStream) -> None:
    assert status(stream)["last_committed_offset_token"] is None
    answer = append(stream, b'{"a":1}\n{"a":2}\n', "17")
    assert answer["next_continuation_token"] == "1_1"
    assert (status(stream)["last_committed_offset_token"], status(stream)["rows_inserted"]) == ("17", 2)


@pytest.mark.parametrize("body", [b'{"a":1}\n{"a":2}\n', b'{"a":1}\n{"a":2}', b'{"a":1}\n\n{"a":2}\n\n'])
def test_empty_lines_are_no_rows(stream: CountingStream, body: bytes) -> None:
    append(stream, body, "17")
    assert stream.counts["rows"] == 2


def test_compressed_rows_count_as_they_were(stream: CountingStream) -> None:
    body = b'{"a":1}\n' * 50
    append(stream, zstandard.compress(body), "17", content_encoding="zstd")
    assert stream.counts == {"opens": 1, "requests": 1, "rows": 50, "bytes": len(body)}


def test_opening_again_keeps_the_token_and_moves_the_sequence(stream: CountingStream) -> None:
    append(stream, b'{"a":1}', "17")
    answer = ask(stream, "PUT", f"/v2/streaming{PIPE}/channels/one", b"{}")
    assert answer["next_continuation_token"] == "2_1"
    assert answer["channel_status"]["last_committed_offset_token"] == "17"


def test_a_slow_one_commits_later_and_an_opening_discards_what_waits() -> None:
    now_s = 100.0
    slow = CountingStream(append_s=2.0, commit_s=10.0, clock=lambda: now_s)
    ask(slow, "PUT", f"/v2/streaming{PIPE}/channels/one", b"{}")
    append(slow, b'{"a":1}', "17")
    append(slow, b'{"a":2}', "18")
    assert status(slow)["last_committed_offset_token"] is None
    now_s = 112.0
    assert status(slow)["last_committed_offset_token"] == "18"
    append(slow, b'{"a":3}', "19")
    ask(slow, "PUT", f"/v2/streaming{PIPE}/channels/one", b"{}")
    now_s = 200.0
    assert status(slow)["last_committed_offset_token"] == "18"
