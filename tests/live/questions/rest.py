"""A client of Snowpipe Streaming's REST API that does nothing by itself: no retry, no buffer."""

import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    document: Any

    @property
    def said(self) -> dict[str, Any]:
        """Returns what is recorded of it."""
        if self.status == 200:
            return {"status": self.status, "fields": sorted(self.document)}
        return {"status": self.status, "code": str(self.document.get("code"))}


@dataclass(frozen=True, kw_only=True)
class Client:
    """A client of one pipe, with a token of its own."""

    control: str
    """https://account.snowflakecomputing.com"""
    jwt: str
    pipe: str
    """databases/D/schemas/S/pipes/P"""
    scoped: dict[str, str] = field(default_factory=dict)

    def opened(self, channel: str) -> Answer:
        return self.call("PUT", f"/v2/streaming/{self.pipe}/channels/{channel}", b"{}")

    def append(self, channel: str, token: str, body: bytes, request: str, *, end: str = "1") -> Answer:
        named = urllib.parse.urlencode({"continuationToken": token, "endOffsetToken": end, "requestId": request})
        return self.call("POST", f"/v2/streaming/data/{self.pipe}/channels/{channel}/rows?{named}", body)

    def status(self, channel: str) -> dict[str, Any]:
        """Empty where the service does not know it."""
        answer = self.call(
            "POST", f"/v2/streaming/{self.pipe}:bulk-channel-status", json.dumps({"channel_names": [channel]}).encode()
        )
        found: dict[str, Any] = answer.document.get("channel_statuses", {}).get(channel, {})
        return found

    def of_pipe(self, name: str) -> "Client":
        """Returns a client of a pipe of another name, in the same schema."""
        return replace(self, pipe=f"{self.pipe.rpartition('/')[0]}/{name}", scoped={})

    def scoped_token(self) -> int:
        """The HTTP status of the exchange of a key pair's token for one of the ingest host."""
        form = urllib.parse.urlencode({"grant_type": JWT_GRANT, "scope": "x"}).encode()
        return _call(self.control, "POST", "/oauth/token", {"Authorization": f"Bearer {self.jwt}"}, form).status

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


def submitted(control: str, jwt: str, pipe: str, names: list[str]) -> int:
    """The HTTP status of insertFiles for files of a pipe's stage."""
    path = f"/v1/data/pipes/{urllib.parse.quote(pipe)}/insertFiles?requestId={uuid.uuid4()}"
    headers = {"Authorization": f"Bearer {jwt}", "X-Snowflake-Authorization-Token-Type": "KEYPAIR_JWT"}
    headers |= {"Content-Type": "application/json", "Accept": "application/json"}
    body = json.dumps({"files": [{"path": name} for name in names]}).encode()
    return _call(control, "POST", path, headers, body).status
