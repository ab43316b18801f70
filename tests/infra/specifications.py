"""Specifications of tests: the smallest one with other values, and what is wrong with it then."""

import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, TypeVar, get_args, get_origin

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
    """Returns what is wrong with `document(**changes)`; nothing is an empty list. Each names a path that a specification has."""
    found = _problems(document(**changes))
    assert [each for each in found if not names_a_path(each)] == [], "no specification has such a path"
    return found


def _problems(made: Mapping[str, Any]) -> list[str]:
    try:
        parse_spec(yaml.safe_dump(made), f"{made['name']}.yaml")
    except ConfigError as error:
        return error.problems
    return []


def names_a_path(problem: str, model: type[BaseModel] = EnvironmentSpec) -> bool:
    """Returns whether what stands before the colon is a field of the document; of a name that is unknown, all but the last."""
    place, _, said = problem.partition(": ")
    parts = re.sub(r"\[\d+\]", "", place).split(".")
    if said.startswith("unknown name"):
        parts = parts[:-1]
    models = [model]
    for number, part in enumerate(parts):
        found = [
            field for each in models for name, field in each.model_fields.items() if part in (field.alias or name,)
        ]
        if not found:
            return False
        if any(_is_free(field.annotation) for field in found):
            return True  # below it names are a person's own
        models = [section for field in found for section in sections_of(field.annotation)]
        if not models and number < len(parts) - 1:
            return False
    return True


def sections_of(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [section for argument in get_args(annotation) for section in sections_of(argument)]


def _is_free(annotation: object) -> bool:
    origin = get_origin(annotation)
    return (isinstance(origin, type) and issubclass(origin, Mapping)) or any(map(_is_free, get_args(annotation)))


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
