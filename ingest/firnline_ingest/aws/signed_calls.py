"""Requests of a client without what botocore does again for each call.

The first request is botocore's. What it has decided (the host, the headers, who signs for which region, whom to trust) is kept,
and a further one is signed by botocore's SigV4 with the credentials of that moment, and sent on a connection of its own. Whatever
is not plain is not for here, but goes botocore's way each time: a proxy, a certificate of a client, a signature of another kind.
"""

import ssl
from collections.abc import Mapping
from typing import Any, cast
from uuid import uuid4

from botocore.auth import SIGNED_HEADERS_BLACKLIST, SigV4Auth
from botocore.httpsession import create_urllib3_context, get_cert_path

from firnline_ingest.aws.client import CONNECT_TIMEOUT_S
from firnline_ingest.aws.http import Connections
from firnline_ingest.aws.request_parts import PARTS

OF_EACH_REQUEST = frozenset(
    {
        "authorization",
        "x-amz-date",
        "x-amz-security-token",
        "amz-sdk-invocation-id",
        "content-length",
        "content-type",
        "host",
    }
)
SCHEME = "AWS4-HMAC-SHA256"


class SignedRequest:
    """A request as botocore's SigV4 looks at it, and those who answer in its place. Its headers are a plain dictionary: a message
    of the email package takes longer than to sign.
    """

    method = "POST"
    params = None

    def __init__(self, url: str, headers: dict[str, str], body: bytes) -> None:
        self.url, self.headers, self.body = url, headers, body
        self.context: dict[str, Any] = {}


class SignedHeaders(dict[str, str]):
    """By lower-case names."""

    def get_all(self, name: str) -> list[str]:
        return [self[name]]


class Signature(SigV4Auth):
    """botocore's SigV4 of one request, which looks through its headers once, and is told the host."""

    def __init__(self, credentials: Any, service: str, region: str, host: str) -> None:
        super().__init__(credentials, service, region)
        self._host = host
        self._signed: SignedHeaders | None = None

    def headers_to_sign(self, request: Any) -> Any:
        if self._signed is None:
            lowered = ((name.lower(), value) for name, value in request.headers.items())
            self._signed = SignedHeaders(
                {name: value for name, value in lowered if name not in SIGNED_HEADERS_BLACKLIST}
            )
            self._signed.setdefault("host", self._host)
        return self._signed


class SignedCalls:
    """Requests of one operation of a client, with what botocore has decided of the first one. Thread-safe."""

    def __init__(self, client: Any, event: str, *, connections: int) -> None:
        """`event` is the operation as botocore names it in its events: `kinesis.GetRecords`."""
        self._client = client
        self._event = event
        self._most = connections
        self._sent: tuple[str, list[tuple[str, str]]] | None = None
        self._connections: Connections | None = None

    @property
    def is_ready(self) -> bool:
        """True once a request was seen that is signed as ours are, to a host that is reached without a proxy."""
        return self._sent is not None

    def register(self) -> None:
        """Looks at what the client sends from now on."""
        self._client.meta.events.register_first(f"before-send.{self._event}", self._observe)

    def close(self) -> None:
        if self._connections is not None:
            self._connections.close()

    def signed(self, body: bytes, content_type: str) -> SignedRequest:
        """Returns the request, signed with the credentials of this moment. Raises what botocore raises where there are none."""
        assert self._sent is not None, "is_ready is asked first"
        assert self._connections is not None, "it is made with what is kept"
        url, kept = self._sent
        headers = dict(kept)
        headers["Content-Type"] = content_type
        headers["amz-sdk-invocation-id"] = str(uuid4())
        signer = self._client._request_signer
        asked = SignedRequest(url, headers, body)
        credentials = signer._credentials.get_frozen_credentials()
        signature = Signature(credentials, signer._signing_name, signer._region_name, self._connections.host)
        signature.add_auth(cast("Any", asked))
        return asked

    def sent(self, asked: SignedRequest) -> dict[str, Any]:
        """Returns the answer as botocore's parsers take it, whatever its status. Raises what botocore raises without one."""
        status, answered, content = self._send(asked)
        context = {"operation_name": self._event.partition(".")[2]}
        return {"status_code": status, "headers": answered, "body": content, "context": context}

    def refusal(self, status: int, parsed: dict[str, Any], fields: Mapping[str, Any]) -> Exception:
        """Returns the client's own error, after whoever listens has heard of it."""
        metadata = parsed.setdefault("ResponseMetadata", {})
        metadata |= {"RetryAttempts": 0, "MaxAttemptsReached": True}
        operation = self._event.partition(".")[2]
        self._client.meta.events.emit(
            f"after-call.{self._event}",
            http_response=_Status(status),
            parsed=parsed,
            model=self._client.meta.service_model.operation_model(operation),
            context={PARTS: fields},
        )
        code = parsed.get("Error", {}).get("Code")
        error: Exception = self._client.exceptions.from_code(code)(parsed, operation)
        return error

    def _observe(self, request: Any, **_: Any) -> None:
        """Keeps what botocore has decided, at the first request that is signed as ours are."""
        if self._sent is not None:
            return
        headers = [(_text(name), _text(value)) for name, value in request.headers.items()]
        signed = next((value for name, value in headers if name.lower() == "authorization"), "")
        signer = self._client._request_signer
        scope = f"/{signer._region_name}/{signer._signing_name}/aws4_request,"
        if not signed.startswith(SCHEME) or scope not in signed:
            return
        session = self._client._endpoint.http_session
        if session._proxy_config.proxy_url_for(request.url) is not None:
            return
        config = self._client.meta.config
        context = _trusting(session._verify) if request.url.startswith("https:") else None
        self._connections = Connections(
            request.url,
            context,
            most=self._most,
            connect_timeout_s=config.connect_timeout or CONNECT_TIMEOUT_S,
            read_timeout_s=config.read_timeout,
        )
        self._sent = request.url, [pair for pair in headers if pair[0].lower() not in OF_EACH_REQUEST]

    def _send(self, asked: SignedRequest) -> tuple[int, Mapping[str, str], bytes]:
        """Whoever answers in botocore's place answers here as well."""
        for _, answer in self._client.meta.events.emit(f"before-send.{self._event}", request=asked):
            if answer is not None:
                return answer.status_code, answer.headers, answer.content
        assert self._connections is not None, "it is made with what is kept"
        return self._connections.post(list(asked.headers.items()), asked.body)


class _Status:
    def __init__(self, status_code: int) -> None:
        self.status_code = status_code


def is_plain(client: Any) -> bool:
    """Returns whether this botocore, and this client, are as what is kept here needs them."""
    config: Any = client.meta.config
    session: Any = getattr(getattr(client, "_endpoint", None), "http_session", None)
    signer = getattr(client, "_request_signer", None)
    return (
        all(hasattr(session, name) for name in ("_proxy_config", "_verify"))
        and all(hasattr(signer, name) for name in ("_credentials", "_region_name", "_signing_name"))
        and (session._verify is True or isinstance(session._verify, str))
        and config.signature_version in ("v4", None)
        and config.client_cert is None
    )


def _trusting(verify: Any) -> ssl.SSLContext:
    """Returns a context that trusts as botocore does: a bundle of the configuration or of the environment, else its own."""
    context: ssl.SSLContext = create_urllib3_context()
    context.check_hostname, context.verify_mode = True, ssl.CERT_REQUIRED
    context.load_verify_locations(cafile=get_cert_path(verify))
    return context


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
