"""A service's model, as botocore ships it, and which of its operations a request calls.

A service is called as boto3 calls it: emr-serverless.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs

SIGNED_AS = {"elasticmapreduce": "emr", "monitoring": "cloudwatch"}
"""Services that boto3 calls otherwise than their credentials do."""
ARN_IN_PATH = "resourceArn"


@dataclass(frozen=True, slots=True)
class WireRequest:
    """`path` is without its percent signs; `headers` have lower-case names."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Route:
    operation: Any
    method: str
    path: re.Pattern[str]
    literals: Mapping[str, list[str]]
    needed: frozenset[tuple[str, str]] = field(default=frozenset())
    """The location and the name of each parameter that a request of the operation has beside its path."""

    def match(self, wire: WireRequest, query: Mapping[str, list[str]]) -> dict[str, str] | None:
        found = self.path.fullmatch(wire.path) if self.method == wire.method else None
        if found is None or any(query.get(name) != values for name, values in self.literals.items()):
            return None
        places: Mapping[str, Mapping[str, Any]] = {"querystring": query, "header": wire.headers}
        return found.groupdict() if all(name in places[where] for where, name in self.needed) else None


@cache
def service_model(service: str) -> Any:
    """botocore's; it takes a moment to read. None for a service that botocore does not know."""
    from botocore.exceptions import UnknownServiceError

    try:
        return _session().get_service_model(SIGNED_AS.get(service, service))
    except UnknownServiceError:
        return None


@cache
def _session() -> Any:
    import botocore.session

    return botocore.session.Session()


@cache
def operation_model(service: str, name: str) -> Any:
    """None where the service has no such operation."""
    model = service_model(service)
    return model.operation_model(name) if model is not None and name in model.operation_names else None


def routed(service: str, wire: WireRequest) -> tuple[Any, dict[str, str]] | None:
    """The operation of a REST service and what its path says; None where there is none."""
    query = parse_qs(wire.query, keep_blank_values=True)
    for route in _routes(service):
        found = route.match(wire, query)
        if found is not None:
            return route.operation, found
    return None


@cache
def _routes(service: str) -> tuple[Route, ...]:
    """The most particular first: longest paths, so that an id never swallows what follows it, then most parameters.

    S3's deprecated operations have the paths of those that came after them.
    """
    model = service_model(service)
    operations = [model.operation_model(name) for name in model.operation_names] if model else []
    routes = [_route(each) for each in operations if not each.deprecated]
    return tuple(sorted(routes, key=lambda each: (-len(each.path.pattern), -len(each.literals), -len(each.needed))))


def _route(operation: Any) -> Route:
    path, _, query = operation.http["requestUri"].partition("?")
    shape = operation.input_shape
    needed = {
        (each.serialization["location"], _wire_name(name, each))
        for name, each in (shape.members.items() if shape is not None else ())
        if name in shape.required_members and each.serialization.get("location") in {"querystring", "header"}
    }
    return Route(
        operation, operation.http["method"], _pattern(path), parse_qs(query, keep_blank_values=True), frozenset(needed)
    )


def _wire_name(member: str, shape: Any) -> str:
    name = str(shape.serialization.get("name", member))
    return name.lower() if shape.serialization["location"] == "header" else name


def _pattern(path: str) -> re.Pattern[str]:
    """An ARN holds slashes, and so does the key of an object."""
    parts = re.split(r"\{(\w+)(\+?)\}", path)
    found = [re.escape(parts[0])]
    for name, greedy, literal in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        segment = ".+" if greedy or name == ARN_IN_PATH else "[^/]+"
        found.append(f"(?P<{name}>{segment}){re.escape(literal)}")
    return re.compile("".join(found), re.DOTALL)
