"""botocore's models of the services, as judges of requests: names, types, required fields, lengths, ranges, patterns."""

import re
from typing import Any

import botocore.session
from botocore.model import ListShape, MapShape, Shape, StructureShape
from botocore.validate import ParamValidator

_session = botocore.session.get_session()


def faults(service: str, operation: str, request: dict[str, Any]) -> list[str]:
    """Returns what the service's model finds; botocore itself leaves the longest lengths, enumerations and patterns to
    the service.
    """
    shape = _session.get_service_model(service).operation_model(operation).input_shape
    assert shape is not None
    report = ParamValidator().validate(request, shape).generate_report()
    return [*(report.splitlines()), *_beyond(operation, shape, request)]


def _beyond(path: str, shape: Shape, value: Any) -> list[str]:
    match shape:
        case StructureShape():
            return [
                fault
                for name, each in value.items()
                if name in shape.members
                for fault in _beyond(f"{path}.{name}", shape.members[name], each)
            ]
        case ListShape():
            inner = [_beyond(f"{path}[{index}]", shape.member, each) for index, each in enumerate(value)]
            return [*_length(path, shape, value), *(fault for faults in inner for fault in faults)]
        case MapShape():
            pairs = [
                _beyond(f"{path}.{key}", shape.key, key) + _beyond(f"{path}.{key}", shape.value, each)
                for key, each in value.items()
            ]
            return [*_length(path, shape, value), *(fault for faults in pairs for fault in faults)]
        case _ if isinstance(value, str):
            return _text(path, shape, value)
        case _:
            return []


def _length(path: str, shape: Shape, value: Any) -> list[str]:
    most = shape.metadata.get("max")
    return [f"{path}: {len(value)}, at most {most}"] if most is not None and len(value) > most else []


def _text(path: str, shape: Shape, value: str) -> list[str]:
    found = _length(path, shape, value)
    if value not in shape.metadata.get("enum", [value]):
        found.append(f"{path}: {value} is none of {shape.metadata['enum']}")
    pattern = shape.metadata.get("pattern")
    if pattern is not None and not re.search(f"^(?:{_python(pattern)})$", value, re.DOTALL):
        found.append(f"{path}: {value!r} is not {pattern}")
    return found


def _python(pattern: str) -> str:
    """Java's \\u{...} surrogates in a class mean any character here."""
    return ".*" if "uD800" in pattern else pattern
