"""The streaming API as the SDK speaks it, with an answer to everything and no storage.

Rows count as committed when they arrive, so that nothing but the engine and the SDK takes time; a Snowflake that is slow is asked
for.
"""

import json
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import zstandard

from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.wire import Reply
from firnline_local.snowflake.catalog import Pipe
from firnline_local.snowflake.streaming.access import Address, Identity, Operation, ScopedTokens, read_address
from firnline_local.snowflake.streaming.calls import pipe_info

JSON, TEXT = "application/json", "text/plain"
ONLY_PIPE = cast("Pipe", SimpleNamespace(id=1))


@dataclass(slots=True)
class CountingChannel:
    opens: int = 0
    appends: int = 0
    rows: int = 0
    committed: str | None = None
    waiting: deque[tuple[float, str]] = field(default_factory=deque)
    """Tokens that are not committed yet: from when on they are."""

    @property
    def continuation(self) -> str:
        return f"{self.opens}_{self.appends}"


class CountingStream:
    """Counts rows as they were before compression."""

    def __init__(
        self, *, append_s: float = 0.0, commit_s: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Takes the seconds of an answer to an append, and those after it until its rows are committed."""
        self._append_s, self._commit_s = append_s, commit_s
        self._clock = clock
        self._channels: dict[str, CountingChannel] = {}
        self._tokens = ScopedTokens(lambda: datetime.now(UTC))
        self.counts = Counter(opens=0, requests=0, rows=0, bytes=0)

    def reply(self, request: HttpRequest) -> Reply:
        url = urlsplit(request.target)
        if url.path == "/v2/streaming/hostname":
            return Reply(200, b"127.0.0.1", content_type=TEXT)
        if url.path == "/oauth/token":
            return Reply(200, self._tokens.issue(Identity("BENCH", "BENCH")).encode(), content_type=TEXT)
        address = read_address(request.method, url.path)
        if address is None:
            return Reply(200, b"{}", content_type=JSON)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        delay_s = self._append_s if address.operation is Operation.APPEND else 0.0
        answer = json.dumps(self._answer(address, query, request)).encode()
        return Reply(200, answer, content_type=JSON, delay_s=delay_s)

    def _answer(self, address: Address, query: Mapping[str, str], request: HttpRequest) -> dict[str, Any]:
        match address.operation:
            case Operation.PIPE_INFO:
                return pipe_info(ONLY_PIPE, host_and_port=request.headers["host"], now=datetime.now(UTC))
            case Operation.OPEN:
                channel = self._channels.setdefault(address.channel, CountingChannel())
                self._commit(channel)
                channel.waiting.clear()
                channel.opens += 1
                self.counts["opens"] += 1
                return {
                    "next_continuation_token": channel.continuation,
                    "channel_status": self._status(address, address.channel, channel),
                }
            case Operation.APPEND:
                return {"next_continuation_token": self._append(address.channel, query, request)}
            case Operation.STATUS:
                names = json.loads(request.body)["channel_names"]
                return {"channel_statuses": {name: self._status(address, name, self._channels[name]) for name in names}}
        return {}

    def _append(self, name: str, query: Mapping[str, str], request: HttpRequest) -> str:
        rows = request.body
        if request.headers.get("content-encoding") == "zstd":
            rows = zstandard.ZstdDecompressor().decompressobj().decompress(rows)
        count = rows.startswith(b"{") + rows.count(b"\n{")  # lines that are rows; the SDK leaves empty ones between
        self.counts.update(requests=1, rows=count, bytes=len(rows))
        channel = self._channels[name]
        channel.appends += 1
        channel.rows += count
        token = query.get("endOffsetToken") or query.get("offsetToken", "")
        channel.waiting.append((self._clock() + self._append_s + self._commit_s, token))
        return channel.continuation

    def _status(self, address: Address, name: str, channel: CountingChannel) -> dict[str, Any]:
        self._commit(channel)
        return _status(address, name, channel)

    def _commit(self, channel: CountingChannel) -> None:
        """Commits what is due."""
        while channel.waiting and channel.waiting[0][0] <= self._clock():
            channel.committed = channel.waiting.popleft()[1]


def _status(address: Address, name: str, channel: CountingChannel) -> dict[str, Any]:
    return {
        "database_name": address.database,
        "schema_name": address.schema,
        "pipe_name": address.target,
        "channel_name": name,
        "channel_status_code": "SUCCESS",
        "last_committed_offset_token": channel.committed,
        "created_on_ms": 1,
        "rows_inserted": channel.rows,
        "rows_parsed": channel.rows,
        "rows_error_count": 0,
    }
