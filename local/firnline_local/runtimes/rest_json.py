"""A service's model, as botocore ships it: which operation a request is, what it says, what of it is refused, and how an answer
is written.

The protocol is REST-JSON, where a parameter lies in the path, in the query or in the body, as the model has it; or JSON, where
all lie in the body, and a header names the operation. A service is called as boto3 calls it: emr-serverless. botocore's own
validator, which its clients ask, looks at required members, types and lower bounds alone; a service looks at all. Members that
the model does not know are passed over, as services of both protocols do.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import parse_qs


class ServiceError(Exception):
    """An error that goes to the client as the service's own."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def validation_error(problems: Sequence[str]) -> ServiceError:
    """All problems at once, counted as AWS's services count them."""
    plural = "s" if len(problems) != 1 else ""
    counted = f"{len(problems)} validation error{plural} detected: {'; '.join(problems)}"
    return ServiceError(400, "ValidationException", counted)


def invalid(message: str) -> ServiceError:
    """What the model allows and the service does not."""
    return ServiceError(400, "ValidationException", message)


def not_found(message: str) -> ServiceError:
    return ServiceError(404, "ResourceNotFoundException", message)


def conflict(message: str) -> ServiceError:
    return ServiceError(409, "ConflictException", message)


PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "structure": (dict,),
    "map": (dict,),
    "list": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "double": (int, float),
    "float": (int, float),
    "timestamp": (int, float, datetime),
}
MEASURED = {"string", "list", "map"}


def violations(shape: Any, value: Any, path: str = "") -> list[str]:
    """One sentence each, in the words that AWS's services use; none where the value fits the shape."""
    return list(_of(shape, value, path)) if shape is not None else []


def _of(shape: Any, value: Any, path: str) -> Iterator[str]:
    kind = shape.type_name
    types = PYTHON_TYPES.get(kind)
    if types is not None and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
        yield f"Value at '{path}' failed to satisfy constraint: Member must be a {kind}"
        return
    yield from _bounds(shape, value, path)
    match kind:
        case "structure":
            yield from _members(shape, value, path)
        case "list":
            for number, each in enumerate(value, start=1):
                yield from _of(shape.member, each, f"{path}.{number}.member")
        case "map":
            for name, each in value.items():
                yield from _of(shape.key, name, f"{path}.key")
                yield from _of(shape.value, each, f"{path}.{name}.member")


def _members(shape: Any, value: Mapping[str, Any], path: str) -> Iterator[str]:
    prefix = f"{path}." if path else ""
    for name in shape.required_members:
        if value.get(name) is None:
            yield f"Value at '{prefix}{name}' failed to satisfy constraint: Member must not be null"
    if shape.is_tagged_union and sum(value.get(name) is not None for name in shape.members) != 1:
        yield f"Value at '{path}' failed to satisfy constraint: exactly one of {', '.join(shape.members)} must be set"
    for name, member in shape.members.items():
        if value.get(name) is not None:
            yield from _of(member, value[name], f"{prefix}{name}")


def _bounds(shape: Any, value: Any, path: str) -> Iterator[str]:
    limits, kind = shape.metadata, shape.type_name
    failed = f"Value at '{path}' failed to satisfy constraint: Member must"
    if kind in MEASURED:
        if len(value) < limits.get("min", 0):
            yield f"{failed} have length greater than or equal to {limits['min']}"
        if len(value) > limits.get("max", len(value)):
            yield f"{failed} have length less than or equal to {limits['max']}"
    elif kind in {"integer", "long", "double", "float"}:
        if value < limits.get("min", value):
            yield f"{failed} have value greater than or equal to {limits['min']}"
        if value > limits.get("max", value):
            yield f"{failed} have value less than or equal to {limits['max']}"
    if kind == "string":
        enum = limits.get("enum")
        if enum and value not in enum:
            yield f"{failed} satisfy enum value set: [{', '.join(enum)}]"
        pattern = limits.get("pattern")
        if pattern and (compiled := _compiled(pattern)) and not compiled.fullmatch(value):
            yield f"{failed} satisfy regular expression pattern: {pattern}"


@cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """Returns None for the few patterns that Python can't read as Java does."""
    try:
        return re.compile(pattern, re.DOTALL)
    except re.error:
        return None


@dataclass(frozen=True, slots=True)
class Request:
    """A call that the model allows. `parameters` are named as boto3's are."""

    operation: str
    parameters: Mapping[str, Any]


@cache
def service_model(service: str) -> Any:
    """botocore's; it takes a moment to read."""
    import botocore.session

    return botocore.session.Session().get_service_model(service)


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
    if problems := violations(shape, parameters):
        raise validation_error(problems)
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
        raise ServiceError(400, "SerializationException", f"The body is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise ServiceError(400, "SerializationException", "The body is no JSON object.")
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
    """The body of an answer. Raises AssertionError for what the model's answer does not have."""
    shape = service_model(service).operation_model(operation).output_shape
    return json.dumps(_written(shape, content) if shape is not None else {}).encode()


def _written(shape: Any, value: Any) -> Any:
    match shape.type_name:
        case "structure":
            assert not (unknown := value.keys() - shape.members.keys()), unknown
            return {name: _written(shape.members[name], each) for name, each in value.items() if each is not None}
        case "list":
            return [_written(shape.member, each) for each in value]
        case "map":
            return {name: _written(shape.value, each) for name, each in value.items()}
        case "timestamp":
            return value.timestamp()
        case _:
            return value
