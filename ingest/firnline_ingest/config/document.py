"""Turns a document into a model, or into one error that lists everything wrong with it.

Each problem names its path in the document, what was expected and, for a misspelt name, the nearest valid one.
EngineConfig and EnvironmentSpec are both read here.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from firnline_ingest.config.other_names import here_called
from firnline_ingest.errors import ConfigError, did_you_mean

Model = TypeVar("Model", bound=BaseModel)
MAY_HOLD_A_KEY = re.compile(r"://([^/]*[@?#]|[^/]*/.*([?#]|[^/]{25}))")
"""A URL with a password, a query, or a part as long as a key."""
LONGEST_SHOWN = 200  # characters of a wrong value; the shortest private key has more


class Section(BaseModel):
    """The base of every part of a document: strict, closed, immutable; docstrings under fields are their description.

    Built when it is first used: whoever reads a specification does not wait for the engine's configuration.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    @classmethod
    def left_out(cls) -> Self:
        """As it is where a document says nothing of it. Nothing is validated, so nothing is built for it."""
        return super().model_construct()


def parse(model: type[Model], document: object, source: str) -> Model:
    """Raises ConfigError with all problems of `document`; `source` names it in the message (a path, or an option)."""
    try:
        # JSON mode lets strict models accept enums and paths as the text that documents hold.
        return model.model_validate(document, strict=None)
    except ValidationError as error:
        raise ConfigError(
            source, [_describe(model, _untagged(problem, document)) for problem in error.errors()]
        ) from None


def _untagged(problem: Mapping[str, Any], document: object) -> Mapping[str, Any]:
    """With the place as the document has it: pydantic names the kind of section that a `type` chose as if it were a part."""
    location, here = list[str | int](), document
    for part in problem["loc"]:
        if isinstance(here, dict) and part not in here and here.get("type") == part:
            continue
        location.append(part)
        inner = here[part] if isinstance(here, dict) and part in here else None
        here = here[part] if isinstance(here, list) and isinstance(part, int) else inner
    return {**problem, "loc": tuple(location)}


def _describe(model: type[BaseModel], problem: Mapping[str, Any]) -> str:
    location = problem["loc"]
    path = _path(location) or "the document"
    if problem["type"] == "extra_forbidden":
        name = str(location[-1])
        meant = here_called(name, path) or did_you_mean(name, _field_names(model, location[:-1]))
        return f"{path}: unknown name; {meant}"
    if problem["type"] == "missing":
        return f"{path}: is required."
    if problem["type"] in ("model_type", "model_attributes_type"):
        return f"{path}: {'is empty' if problem.get('input') is None else 'is no mapping of names to values'}"
    message = str(problem["msg"]).removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    if problem["type"] == "string_type" and isinstance(problem.get("input"), int | float | date):
        message += "; put it between quotes"
    return f"{path}: {message}{_got(path, problem.get('input'))}"


def _got(path: str, value: object) -> str:
    """Nothing that could be a key: neither by the name of its place nor by its length."""
    hidden = isinstance(value, dict | list) or "secret" in path or "key" in path or len(str(value)) > LONGEST_SHOWN
    hidden = hidden or MAY_HOLD_A_KEY.search(str(value)) is not None
    return "" if hidden else f" (got {value!r})"


def _path(location: Iterable[str | int]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _field_names(model: type[BaseModel], location: tuple[str | int, ...]) -> list[str]:
    """The valid names beside a misspelt one: follows the path through nested sections, lists and unions."""
    models = [model]
    for part in location:
        if isinstance(part, int):
            continue
        models = [
            nested
            for current in models
            if part in current.model_fields
            for nested in _sections(current.model_fields[part].annotation)
        ] or models
    return [name for current in models for name in current.model_fields]


def _sections(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [section for argument in get_args(annotation) for section in _sections(argument)]
