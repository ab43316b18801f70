"""Specifications of tests: the smallest one with other values, and what is wrong with it then."""

import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel

from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_ingest.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)
SMALLEST: dict[str, Any] = {
    "version": 1,
    "name": "dev",
    "aws": {"region": "eu-central-1", "account": "123456789012"},
    "snowflake": {"account": "ORG-ACCOUNT", "warehouse": "SMALL"},
    "streams": [{"name": "orders"}],
    "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
}


def document(**changes: Any) -> dict[str, Any]:
    """The smallest specification. A section is changed in what is given of it; anything else is replaced."""
    made = deepcopy(SMALLEST)
    for name, value in changes.items():
        made[name] = {**made.get(name, {}), **value} if isinstance(value, Mapping) else value
    return made


def smallest(**changes: Any) -> EnvironmentSpec:
    made = document(**changes)
    return parse_spec(yaml.safe_dump(made), f"{made['name']}.yaml")


def pipeline(stream: str = "orders", **changes: Any) -> dict[str, Any]:
    return {"stream": stream, "database": "LAKE", "schema": "RAW", **changes}


def one_pipeline(**changes: Any) -> dict[str, Any]:
    """The change of a document that has one pipeline."""
    return {"pipelines": [pipeline(**changes)]}


def changed(model: Model, path: str, value: object) -> Model:
    """A copy of a specification, or of a section, with another value at `aws.key.arn`."""
    name, _, rest = path.partition(".")
    return model.model_copy(update={name: changed(getattr(model, name), rest, value) if rest else value})


def problems(**changes: Any) -> list[str]:
    """Returns what is wrong with `document(**changes)`; nothing is an empty list."""
    try:
        smallest(**changes)
    except ConfigError as error:
        return error.problems
    return []


class Told(str):
    """Equals every text that it fits: … stands for anything."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        parts = map(re.escape, self.split("…"))
        return isinstance(other, str) and re.fullmatch(".*".join(parts), other, re.DOTALL) is not None

    __hash__ = str.__hash__


def told(*texts: str) -> list[Told]:
    """Returns what `problems` has to be."""
    return [Told(text) for text in texts]
