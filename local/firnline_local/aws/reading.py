"""A request as authorisation looks at it: the fields of its body, or of its path where the service speaks REST."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote
from wsgiref.types import WSGIEnvironment

from firnline_local.aws.call import Call, Protocol
from firnline_local.iam.request import Request, World
from firnline_local.iam.signature import Credential, credential_of

DELETED = re.compile(rb"<Object>(.*?)</Object>", re.DOTALL)
DELETED_KEY = re.compile(rb"<Key>(.*?)</Key>", re.DOTALL)


def read_request(call: Call, environ: WSGIEnvironment, world: World, *, account: str) -> Request:
    """The body has to be in memory already, and is left as it was found."""
    body: bytes = environ["wsgi.input"].getvalue()
    return Request(
        service=call.service,
        operation=call.operation,
        account=account,
        region=region_of(environ),
        world=world,
        parameters=_parameters(call, environ, body),
    )


def credential(environ: WSGIEnvironment) -> Credential:
    presigned = dict(parse_qsl(environ.get("QUERY_STRING", ""))).get("X-Amz-Credential", "")
    return credential_of(environ.get("HTTP_AUTHORIZATION", ""), presigned)


def region_of(environ: WSGIEnvironment) -> str:
    return credential(environ).region or "us-east-1"


def _parameters(call: Call, environ: WSGIEnvironment, body: bytes) -> Mapping[str, Any]:
    match call.protocol:
        case Protocol.JSON:
            return _json(body)
        case Protocol.QUERY:
            return dict(parse_qsl(body.decode(errors="replace") or environ.get("QUERY_STRING", "")))
        case _:
            return _of_s3(environ, body)


def _json(body: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(body or b"{}")
    except ValueError:
        return {}
    return fields if isinstance(fields, Mapping) else {}


def _of_s3(environ: WSGIEnvironment, body: bytes) -> dict[str, Any]:
    """Buckets are in the path: that is how clients call an endpoint that is an address."""
    bucket, _, key = environ["PATH_INFO"].encode("latin-1").decode(errors="replace").lstrip("/").partition("/")
    query = dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_X_AMZ_")
    }
    if source := headers.get("x-amz-copy-source"):
        headers["x-amz-copy-source"] = unquote(source)
    is_batch = environ["REQUEST_METHOD"] == "POST" and "delete" in query and not key
    deleted = list(_deleted(body)) if is_batch else []
    return {
        "bucket": bucket, "key": key, "query": query, "headers": headers, "deleted": deleted, "tagged": b"<Tag>" in body,
    }  # fmt: skip


def _deleted(body: bytes) -> Iterator[tuple[str, bool]]:
    """Each key of a batch, and whether it is one version of it that goes."""
    for each in DELETED.findall(body):
        if key := DELETED_KEY.search(each):
            yield key[1].decode(errors="replace"), b"<VersionId>" in each
