"""Snowpipe Streaming's REST API (`snowpipe-streaming-high-performance-rest-api`): what becomes of a request that is
repeated, late, malformed or behind a table's replacement. What counts: status and code, the names of an answer's fields.
"""

import json
import os
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
COMMITTED_WITHIN_S = 60.0
POLL_S = 0.25
Execute = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    document: Any

    @property
    def said(self) -> dict[str, Any]:
        """What is recorded of it."""
        if self.status == 200:
            return {"status": self.status, "fields": sorted(self.document)}
        return {"status": self.status, "code": str(self.document.get("code"))}


@dataclass(frozen=True, kw_only=True)
class Client:
    """Of one pipe, with a token of its own."""

    control: str
    """https://account.snowflakecomputing.com"""
    jwt: str
    pipe: str
    """databases/D/schemas/S/pipes/P"""
    scoped: dict[str, str] = field(default_factory=dict)

    def opened(self, channel: str) -> Answer:
        return self.call("PUT", f"/v2/streaming/{self.pipe}/channels/{channel}", b"{}")

    def append(self, channel: str, token: str, body: bytes, request: str) -> Answer:
        named = urllib.parse.urlencode({"continuationToken": token, "endOffsetToken": "1", "requestId": request})
        return self.call("POST", f"/v2/streaming/data/{self.pipe}/channels/{channel}/rows?{named}", body)

    def status(self, channel: str) -> dict[str, Any]:
        """Empty where the service does not know it."""
        answer = self.call(
            "POST", f"/v2/streaming/{self.pipe}:bulk-channel-status", json.dumps({"channel_names": [channel]}).encode()
        )
        found: dict[str, Any] = answer.document.get("channel_statuses", {}).get(channel, {})
        return found

    def call(self, method: str, path: str, body: bytes) -> Answer:
        if not self.scoped:
            host = _text(self.control, "GET", "/v2/streaming/hostname", self._as_key_pair, None)
            form = urllib.parse.urlencode({"grant_type": JWT_GRANT, "scope": host}).encode()
            token = _text(self.control, "POST", "/oauth/token", {"Authorization": f"Bearer {self.jwt}"}, form)
            port = urllib.parse.urlsplit(self.control).port
            where = host if ":" in host or not port else f"{host}:{port}"
            self.scoped.update(url=f"https://{where}", token=token)
        return _call(self.scoped["url"], method, path, {"Authorization": f"Bearer {self.scoped['token']}"}, body)

    @property
    def _as_key_pair(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.jwt}", "X-Snowflake-Authorization-Token-Type": "KEYPAIR_JWT"}


def asked(control: str, jwt: str, database: str, execute: Execute) -> dict[str, Any]:
    """Of the tables that snowflake.py has made in `database`; `execute` runs a statement as an administrator."""

    def client_of(table: str) -> Client:
        return Client(control=control, jwt=jwt, pipe=f"databases/{database}/schemas/ASKED/pipes/{table}-STREAMING")

    return dict(_answers(client_of, database, execute))


def _answers(client_of: Callable[[str], Client], database: str, execute: Execute) -> Iterator[tuple[str, Any]]:
    client = client_of("T")
    opened = client.opened("c")
    yield "streaming: open", opened.said
    token = opened.document["next_continuation_token"]
    first = client.append("c", token, b'{"A": 1}\n', "one")
    yield "streaming: append", first.said
    again = client.append("c", token, b'{"A": 1}\n', "one")
    yield "streaming: the same request again", {**again.said, "is the first answer": again == first}
    yield "streaming: another request with a used token", client.append("c", token, b'{"A": 2}\n', "two").said
    yield "streaming: rows of one that was sent twice", _committed(client, "c")
    created = client.status("c").get("created_on_ms")
    second = client.opened("c")
    yield "streaming: created_on_ms stays when it is opened again", client.status("c").get("created_on_ms") == created
    late = client.append("c", first.document["next_continuation_token"], b'{"A": 3}\n', "three")
    yield "streaming: an earlier opener's append", late.said
    token = second.document["next_continuation_token"]
    yield "streaming: a body that is no JSON", client.append("c", token, b"{", "four").said
    yield "streaming: an append to no channel", client.append("nobody", token, b'{"A": 4}\n', "five").said
    yield "streaming: the status of no channel", client.status("nobody")
    yield "streaming: open on no table", client_of("MISSING").opened("c").said
    yield from _replaced(client_of("R"), database, execute)


def _replaced(client: Client, database: str, execute: Execute) -> Iterator[tuple[str, Any]]:
    token = client.opened("c").document["next_continuation_token"]
    execute(f"CREATE OR REPLACE TABLE {database}.ASKED.R (A NUMBER(38,0)) COPY GRANTS")
    yield "streaming: an append after the table was replaced", client.append("c", token, b'{"A": 1}\n', "six").said
    yield "streaming: the status after the table was replaced", bool(client.status("c"))


def _committed(client: Client, channel: str) -> Any:
    """How many rows were inserted, once there are some."""
    ends = time.monotonic() + COMMITTED_WITHIN_S
    while not (rows := client.status(channel).get("rows_inserted")) and time.monotonic() < ends:
        time.sleep(POLL_S)
    return rows


def _text(url: str, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> str:
    answer = _call(url, method, path, headers, body)
    if answer.status != 200:
        raise RuntimeError(f"{method} {path}: {answer.status} {answer.document}")
    document = answer.document
    return str(document if isinstance(document, str) else document.get("hostname") or document.get("token"))


def _trust() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE"))


def _call(url: str, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
    request = urllib.request.Request(f"{url}{path}", data=body, headers=dict(headers), method=method)
    try:
        with urllib.request.urlopen(request, timeout=30, context=_trust()) as answer:
            status, text = answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        status, text = error.code, error.read().decode()
    try:
        return Answer(status=status, document=json.loads(text))
    except ValueError:
        return Answer(status=status, document=text.strip() if status == 200 else {"code": text[:200]})
