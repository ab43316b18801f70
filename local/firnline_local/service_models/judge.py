"""Judges requests and answers by botocore's models of the services.

Judged are requests and answers of the protocols JSON (1.0 and 1.1), query, EC2's query, REST-JSON, REST-XML and RPC with CBOR.
Not judged are headers of answers, headers and query parameters of a request that the model does not have, streams of events,
and the content of an object.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qs, parse_qsl
from xml.etree import ElementTree

from firnline_local.record import REQUESTS, ServiceRecord
from firnline_local.service_models.constraints import violations
from firnline_local.service_models.liberties import is_liberty
from firnline_local.service_models.models import WireRequest, operation_model, routed, service_model
from firnline_local.service_models.tree import QueryForm, of_xml, scalar

FORM = "application/x-www-form-urlencoded"
CBOR = "rpc-v2-cbor"
OF_EVERY_FORM = {"Action", "Version"}
OF_EVERY_ANSWER = {"ResponseMetadata", "RequestId", "requestId"}
REFUSED_AS: Mapping[str, str] = {
    "cloudwatch": "ValidationError",  # influxdata/telegraf 5420
    "ec2": "InvalidParameterValue",  # buildbot/buildbot 3382
    "ecr": "InvalidParameterException",  # of its model, and aws/aws-dotnet-deploy 549
    "eks": "InvalidParameterException",  # of its model
    "iam": "ValidationError",  # NixOS/nixops 328
    "logs": "InvalidParameterException",  # of its model, and fluent-plugins-nursery/fluent-plugin-cloudwatch-logs 223
    "redshift": "InvalidParameterValue",  # aws-quickstart/quickstart-amazon-redshift 12, hashicorp/terraform 12313
    "s3": "InvalidArgument",  # the service's list of errors; a document is MALFORMED_DOCUMENT
    "sns": "InvalidParameter",  # of its model: the code of InvalidParameterException
    "sts": "ValidationError",  # getmoto/moto 9218
}
"""The code of a request that its model refuses, each from botocore's model or from an issue that quotes the service's answer;
ValidationException where a service is not named: DynamoDB, EventBridge (awslabs/aws-service-catalog-factory 53), KMS
(stelligent/mu 382), Secrets Manager (kubernetes-sigs/cluster-api-provider-aws 1531), and whose model has it (EMR Serverless,
EMR on EKS, EventBridge Scheduler, Kinesis, Redshift's Data API and Serverless)."""
MALFORMED_DOCUMENT = "MalformedXML"
"""S3's, of XML that is not well-formed or does not fit its schema (aws/aws-sdk-java 376, cloud-custodian 5183)."""
DEFECT = "ImitationDefect"
"""The code of an answer that the service's model does not have: an error of the imitation, with a status that is not retried."""


class UnreadableBody(Exception):
    """A body that can't be read as what the protocol has."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """`parameters` are named as boto3's are; `protocol` is the one that the request is written in."""

    service: str
    operation: Any
    parameters: dict[str, Any]
    protocol: str


@dataclass(frozen=True, slots=True)
class ModelRefusal:
    code: str
    message: str


RECORD = ServiceRecord(REQUESTS)


def read(service: str, wire: WireRequest) -> ReadRequest | None:
    """Returns None for an operation that the service does not have. Raises UnreadableBody."""
    if wire.headers.get("smithy-protocol") == CBOR:
        operation = operation_model(service, wire.path.rpartition("/")[2])
        return ReadRequest(service, operation, _of_cbor(wire.body), "cbor") if operation else None
    if target := wire.headers.get("x-amz-target"):
        operation = operation_model(service, target.rpartition(".")[2])
        return ReadRequest(service, operation, _of_json(wire.body), "json") if operation else None
    is_form = wire.headers.get("content-type", "").startswith(FORM)
    fields = dict(parse_qsl(wire.body.decode(errors="replace") if is_form else wire.query, keep_blank_values=True))
    model = service_model(service)
    if model is None:
        return None
    if "Action" in fields and "rest" not in model.metadata["protocol"]:
        operation = operation_model(service, fields["Action"])
        return ReadRequest(service, operation, _of_form(operation, fields, service), "query") if operation else None
    found = routed(service, wire)
    if found is None:
        return None
    protocol = model.metadata["protocol"]
    return ReadRequest(service, found[0], _of_rest(found[0], found[1], wire, protocol), protocol)


def judged(service: str, wire: WireRequest) -> tuple[ReadRequest | None, ModelRefusal | None]:
    """Returns the request as its model reads it, and what the service says of one that breaks it."""
    try:
        request = read(service, wire)
    except UnreadableBody as error:
        return None, ModelRefusal(MALFORMED_DOCUMENT if service == "s3" else "SerializationException", str(error))
    if request is None:
        return None, None
    problems = violations(request.operation.input_shape, request.parameters)
    note(service, request.operation.name, request.parameters, problems, "request")
    return request, ModelRefusal(_code_of(request, problems), counted(problems)) if problems else None


def refused_as(service: str) -> str:
    return REFUSED_AS.get(service, "ValidationException")


def _code_of(request: ReadRequest, problems: Sequence[str]) -> str:
    shape = request.operation.input_shape
    payload = shape.serialization.get("payload") if request.protocol == "rest-xml" else None
    in_document = payload is not None and shape.members[payload].type_name == "structure"
    if in_document and any(each.startswith(f"Value at '{payload}") for each in problems):
        return MALFORMED_DOCUMENT
    return refused_as(request.service)


def note(service: str, operation: str, parameters: Mapping[str, Any], problems: Sequence[str], of: str) -> None:
    """Keeps what was asked, and each violation, where somebody wants the list (record.py)."""
    RECORD.note(service=service, operation=operation, fields=sorted(parameters))
    for problem in problems:
        RECORD.note(service=service, operation=operation, of=of, violation=problem)


def counted(problems: Sequence[str]) -> str:
    """All problems at once, counted as AWS's services count them."""
    plural = "s" if len(problems) != 1 else ""
    return f"{len(problems)} validation error{plural} detected: {'; '.join(problems)}"


def wrong_answer(request: ReadRequest, body: bytes) -> list[str]:
    """Returns the violations of a successful answer, but for those that `liberties.py` lets pass."""
    shape = request.operation.output_shape
    if shape is None or request.operation.has_streaming_output or request.operation.has_event_stream_output:
        return []
    try:
        found = _of_answer(request, shape, body)
    except (UnreadableBody, ElementTree.ParseError) as error:
        problems = [f"The answer can't be read: {error}"]
    else:
        problems = [] if found is None else violations(*found, bounded=False)
    name = request.operation.name
    problems = [each for each in problems if not is_liberty(request.service, name, each)]
    note(request.service, name, request.parameters, problems, "answer")
    return problems


def _of_answer(request: ReadRequest, shape: Any, body: bytes) -> tuple[Any, Any] | None:
    """The shape and the value that it is of; None where there is nothing to judge."""
    if request.protocol == "cbor":
        return shape, _of_cbor(body)
    if request.protocol in {"json", "rest-json"}:
        return shape, _named(shape, _of_json(body))
    payload = shape.serialization.get("payload") if request.protocol == "rest-xml" else None
    whole = shape.members[payload] if payload else shape
    if not body or whole.type_name != "structure":
        return None
    root = ElementTree.fromstring(body)  # noqa: S314 (our own answer)
    wrapper = shape.serialization.get("resultWrapper")
    node = next((each for each in root if each.tag.rpartition("}")[2] == wrapper), None) if wrapper else root
    return None if node is None else (whole, of_xml(whole, node, OF_EVERY_ANSWER))


def _named(shape: Any, content: dict[str, Any]) -> dict[str, Any]:
    """The answer under the names of its members."""
    names = {member.serialization.get("name", name): name for name, member in shape.members.items()}
    return {names.get(name, name): value for name, value in content.items()}


def _of_json(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body or b"{}")
    except ValueError as error:
        raise UnreadableBody(f"The body is not valid JSON: {error}") from error
    if not isinstance(content, dict):
        raise UnreadableBody("The body is not a JSON object.")
    return content


def _of_cbor(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        found = _cbor().parse_data_item(_cbor().get_peekable_stream_from_bytes(body))
    except Exception as error:  # the parser's own errors are of several kinds
        raise UnreadableBody(f"The body is not valid CBOR: {error}") from error
    if not isinstance(found, dict):
        raise UnreadableBody("The body is not a map.")
    return found


@cache
def _cbor() -> Any:
    from botocore.parsers import BaseCBORParser

    return BaseCBORParser()


def _of_form(operation: Any, fields: Mapping[str, str], service: str) -> dict[str, Any]:
    form = QueryForm(
        {name: value for name, value in fields.items() if name not in OF_EVERY_FORM}, is_ec2=service == "ec2"
    )
    shape = operation.input_shape
    found = form.structure(shape) if shape is not None else {}
    return {**found, **dict.fromkeys(form.unused(), "")}


def _of_rest(operation: Any, in_path: Mapping[str, str], wire: WireRequest, protocol: str) -> dict[str, Any]:
    shape = operation.input_shape
    if shape is None:
        return {}
    found: dict[str, Any] = {}
    query = parse_qs(wire.query, keep_blank_values=True)
    for member, each in shape.members.items():
        name = each.serialization.get("name", member)
        match each.serialization.get("location"):
            case "uri" if name in in_path:
                found[member] = scalar(each, in_path[name])
            case "querystring" if name in query:
                found[member] = query[name] if each.type_name == "list" else scalar(each, query[name][-1])
            case "header" if name.lower() in wire.headers:
                found[member] = _of_header(each, wire.headers[name.lower()])
            case "headers":
                found[member] = _prefixed(name.lower(), wire.headers)
    return {**found, **_of_payload(shape, wire.body, protocol)}


def _of_header(shape: Any, text: str) -> Any:
    return [each.strip() for each in text.split(",")] if shape.type_name == "list" else scalar(shape, text)


def _prefixed(prefix: str, headers: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in headers.items() if name.startswith(prefix)}


def _of_payload(shape: Any, body: bytes, protocol: str) -> dict[str, Any]:
    payload = shape.serialization.get("payload")
    if payload is None:
        return _of_json(body) if protocol == "rest-json" else {}
    member = shape.members[payload]
    if member.type_name != "structure":
        return {payload: body if member.type_name == "blob" else body.decode(errors="replace")} if body else {}
    if protocol == "rest-json":
        return {payload: _of_json(body)}
    if not body:
        return {}
    try:
        return {payload: of_xml(member, ElementTree.fromstring(body))}  # noqa: S314 (from loopback)
    except ElementTree.ParseError as error:
        raise UnreadableBody(
            "The XML you provided was not well-formed or did not validate against our published schema"
        ) from error
