"""A service's model, as botocore ships it: which operation a request is, what it says, what of it is refused, and how an answer
is written.

The protocol is REST-JSON, where a parameter lies in the path, in the query or in the body, as the model has it; or JSON, where
all lie in the body, and a header names the operation. A service is called as boto3 calls it: emr-serverless.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import parse_qs

from firnline_local.service_models.constraints import violations
from firnline_local.service_models.judge import DEFECT, counted, note, refused_as
from firnline_local.service_models.models import service_model


class ServiceError(Exception):
    """An error that goes to the client as the service's own."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def validation_error(service: str, problems: Sequence[str]) -> ServiceError:
    """All problems at once, counted as AWS's services count them."""
    return ServiceError(400, refused_as(service), counted(problems))


def invalid(message: str) -> ServiceError:
    """Returns an error for what the model allows and the service does not."""
    return ServiceError(400, "ValidationException", message)


def not_found(message: str) -> ServiceError:
    return ServiceError(404, "ResourceNotFoundException", message)


def conflict(message: str) -> ServiceError:
    return ServiceError(409, "ConflictException", message)


@dataclass(frozen=True, slots=True)
class Request:
    """A call that the model allows. `parameters` are named as boto3's are."""

    operation: str
    parameters: Mapping[str, Any]


@cache
def _routes(service: str) -> tuple[tuple[str, re.Pattern[str], Any], ...]:
    """Longest paths first, so that an id never swallows what follows it. An ARN holds slashes."""
    model = service_model(service)
    operations = [model.operation_model(name) for name in model.operation_names]
    operations.sort(key=lambda each: -len(each.http["requestUri"]))
    return tuple((each.http["method"], _pattern(each.http["requestUri"]), each) for each in operations)


def _pattern(uri: str) -> re.Pattern[str]:
    path = uri.partition("?")[0]
    return re.compile(re.sub(r"\{(\w+)\}", lambda name: f"(?P<{name[1]}>{_segment(name[1])})", path))


def _segment(name: str) -> str:
    return ".+" if name == "resourceArn" else "[^/]+"


def operation_of(service: str, method: str, path: str) -> str | None:
    """Returns None if the service has no such operation."""
    found = _matched(service, method, path)
    return str(found[0].name) if found else None


def parse(service: str, method: str, path: str, query: str, body: bytes) -> Request:
    """`path` is without its percent signs. Raises ServiceError for what the service's model refuses."""
    found = _matched(service, method, path)
    if found is None:
        raise ServiceError(404, "UnknownOperationException", f"There is no {method} {path}.")
    operation, in_path = found
    shape = operation.input_shape
    parameters = {**_of_body(body), **_of_uri(shape, in_path), **_of_query(shape, query)}
    problems = violations(shape, parameters)
    note(service, operation.name, parameters, problems, "request")
    if problems:
        raise validation_error(service, problems)
    return Request(operation.name, parameters)


def _matched(service: str, method: str, path: str) -> tuple[Any, dict[str, str]] | None:
    """`path` of a service with the JSON protocol is what X-Amz-Target says: RedshiftData.ExecuteStatement."""
    model = service_model(service)
    if model.metadata["protocol"] == "json":
        name = path.rpartition(".")[2]
        return (model.operation_model(name), {}) if name in model.operation_names else None
    for verb, pattern, operation in _routes(service):
        if verb == method and (match := pattern.fullmatch(path)):
            return operation, match.groupdict()
    return None


def _of_body(body: bytes) -> dict[str, Any]:
    if not body:
        return {}
    try:
        content = json.loads(body)
    except ValueError as error:
        raise ServiceError(400, "SerializationException", f"The body is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise ServiceError(400, "SerializationException", "The body is not a JSON object.")
    return content


def _of_uri(shape: Any, values: Mapping[str, str]) -> dict[str, Any]:
    return {
        member: values[each.serialization.get("name", member)]
        for member, each in shape.members.items()
        if each.serialization.get("location") == "uri"
    }


def _of_query(shape: Any, query: str) -> dict[str, Any]:
    given, found = parse_qs(query, keep_blank_values=True), dict[str, Any]()
    for member, each in shape.members.items():
        values = given.get(each.serialization.get("name", member))
        if each.serialization.get("location") == "querystring" and values is not None:
            found[member] = values if each.type_name == "list" else _scalar(each, values[-1])
    return found


def _scalar(shape: Any, text: str) -> Any:
    if shape.type_name in {"integer", "long"}:
        return int(text) if re.fullmatch(r"-?\d+", text) else text
    if shape.type_name == "boolean":
        return text == "true"
    if shape.type_name == "timestamp":
        return datetime.fromisoformat(text)
    return text


def answer_of(service: str, operation: str, content: Mapping[str, Any]) -> bytes:
    """The body of an answer. Raises ServiceError for what the model's answer does not have: an error of the imitation."""
    shape = service_model(service).operation_model(operation).output_shape
    problems = violations(shape, {name: each for name, each in content.items() if each is not None}, bounded=False)
    if problems:
        note(service, operation, {}, problems, "answer")
        raise ServiceError(501, DEFECT, "; ".join(problems))
    return json.dumps(_written(shape, content) if shape is not None else {}).encode()


def _written(shape: Any, value: Any) -> Any:
    match shape.type_name:
        case "structure":
            return {name: _written(shape.members[name], each) for name, each in value.items() if each is not None}
        case "list":
            return [_written(shape.member, each) for each in value]
        case "map":
            return {name: _written(shape.value, each) for name, each in value.items()}
        case "timestamp":
            return value.timestamp()
        case _:
            return value
