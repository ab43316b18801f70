"""The operation and the service that a request calls, and whose key signed it, as far as its headers tell."""

import json
from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from urllib.parse import parse_qs
from uuid import uuid4
from wsgiref.types import WSGIEnvironment
from xml.sax.saxutils import escape

from firnline_local.wsgi import Answer

SIGNED_AS = {"monitoring": "cloudwatch"}  # the service whose signing name is not what everybody calls it
SERVICE_KEY = "SERVICE-"
"""Begins the access key of a service that acts for itself, such as SERVICE-emr-serverless.amazonaws.com."""
FORM = "application/x-www-form-urlencoded"
REST_JSON = {"scheduler"}
"""Services of that protocol, by their models; of the others that name no operation, S3 is one."""


class Protocol(Enum):
    """The form of a service's requests and errors."""

    JSON = "json"
    QUERY = "query"
    REST_XML = "rest-xml"
    REST_JSON = "rest-json"


@dataclass(frozen=True, slots=True)
class Call:
    """`operation` is the HTTP method for S3 and EventBridge Scheduler, whose operations lie in their paths."""

    service: str
    operation: str
    protocol: Protocol

    @property
    def endpoint(self) -> str:
        """Name that fault patterns are matched against, such as "dynamodb:UpdateItem" or "s3:PUT"."""
        return f"{self.service}:{self.operation}"


@dataclass(frozen=True, slots=True)
class Credential:
    """The scope of a Signature Version 4 credential, which is not checked. All fields are empty where there is none."""

    access_key: str = ""
    region: str = ""
    service: str = ""


def credential_of(authorization: str, presigned: str = "") -> Credential:
    """Reads the Authorization header, or else the X-Amz-Credential of a presigned URL."""
    signed = authorization.partition("Credential=")[2].partition(",")[0]
    match (signed or presigned).split("/"):
        case [*key, _, region, service, "aws4_request"] if key:
            return Credential("/".join(key), region, service)
    return Credential()


def credential(environ: WSGIEnvironment) -> Credential:
    """Returns the credential that the request was signed with."""
    presigned = parse_qs(environ.get("QUERY_STRING", "")).get("X-Amz-Credential", [""])[0]
    return credential_of(environ.get("HTTP_AUTHORIZATION", ""), presigned)


def identify(environ: WSGIEnvironment) -> Call:
    """Leaves the request as it found it."""
    service = _signed_service(environ)
    method: str = environ["REQUEST_METHOD"]
    if target := environ.get("HTTP_X_AMZ_TARGET"):
        return Call(service or target.partition("_")[0].lower(), target.rpartition(".")[2], Protocol.JSON)
    if action := _action(environ):
        return Call(service or "sts", action, Protocol.QUERY)  # unsigned, only STS is called that way
    return Call(service or "s3", method, Protocol.REST_JSON if service in REST_JSON else Protocol.REST_XML)


def _signed_service(environ: WSGIEnvironment) -> str:
    service = credential(environ).service.lower()
    return SIGNED_AS.get(service, service)


def _action(environ: WSGIEnvironment) -> str:
    query: str = environ.get("QUERY_STRING", "")
    if environ.get("CONTENT_TYPE", "").startswith(FORM):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = BytesIO(body)
        query = body.decode()
    return parse_qs(query).get("Action", [""])[0]


INTERNAL_FAILURE = {"dynamodb": "InternalServerError", "s3": "InternalError"}  # as each service calls it


def error_answer(call: Call, *, status: int, code: str, message: str) -> Answer:
    """An error in the service's form; without a code, its own for an internal failure."""
    code = code or INTERNAL_FAILURE.get(call.service, "InternalFailure")
    if call.protocol in (Protocol.JSON, Protocol.REST_JSON):
        body = json.dumps({"__type": code, "message": message, "Message": message})
        return Answer(status, "application/x-amz-json-1.0", body.encode())
    error = f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>"
    if call.protocol is Protocol.QUERY:
        whose = "Sender" if status < 500 else "Receiver"
        error = (
            f"<ErrorResponse><Error><Type>{whose}</Type>{error}</Error><RequestId>{uuid4()}</RequestId></ErrorResponse>"
        )
    else:
        error = f"<Error>{error}<RequestId>{uuid4()}</RequestId></Error>"
    return Answer(status, "text/xml", f'<?xml version="1.0" encoding="UTF-8"?>{error}'.encode())
