"""A call with what its request says: who signed it, for which region, with which parameters."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl
from wsgiref.types import WSGIEnvironment

from firnline_local.aws.call import Call, Protocol, credential
from firnline_local.aws.moto_state import MotoState, account_id

DEFAULT_REGION = "us-east-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCall:
    """A call as an authorizer and the rules of AWS see it. `state` may be asked only while moto's lock is held."""

    call: Call
    account: str
    region: str
    access_key: str
    """The key that signed the request; empty for an unsigned one."""
    parameters: Mapping[str, Any]
    """The body's fields; of a call to S3 its bucket, key and query."""
    environ: WSGIEnvironment
    body: bytes
    state: MotoState


def parse(call: Call, environ: WSGIEnvironment) -> ParsedCall:
    """Leaves the request as it found it; its body has to be in memory already."""
    body: bytes = environ["wsgi.input"].getvalue()
    account, signed = account_id(), credential(environ)
    region = signed.region or DEFAULT_REGION
    return ParsedCall(
        call=call,
        account=account,
        region=region,
        access_key=signed.access_key,
        parameters=_parameters(call, environ, body),
        environ=environ,
        body=body,
        state=MotoState(account, region),
    )


def _parameters(call: Call, environ: WSGIEnvironment, body: bytes) -> Mapping[str, Any]:
    match call.protocol:
        case Protocol.JSON | Protocol.REST_JSON:
            return _json(body)
        case Protocol.QUERY:
            return dict(parse_qsl(body.decode(errors="replace") or environ.get("QUERY_STRING", "")))
        case Protocol.REST_XML:
            return _of_s3(environ)


def _json(body: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(body or b"{}")
    except ValueError:
        return {}
    return fields if isinstance(fields, Mapping) else {}


def _of_s3(environ: WSGIEnvironment) -> dict[str, Any]:
    """Clients put the bucket into the path where the endpoint is an address."""
    bucket, _, key = environ["PATH_INFO"].encode("latin-1").decode(errors="replace").lstrip("/").partition("/")
    query = dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
    return {"bucket": bucket, "key": key, "query": query}
