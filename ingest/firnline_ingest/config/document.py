"""Turns a document into a model, or into one error that lists everything wrong with it.

Each problem names its path in the document, what was expected and, for a misspelt name, the nearest valid one.
EngineConfig and EnvironmentSpec are both read here.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from firnline_ingest.config.other_names import here_called
from firnline_ingest.errors import ConfigError, did_you_mean

Model = TypeVar("Model", bound=BaseModel)
MAY_HOLD_A_KEY = r"://([^/]*[@?#]|[^/]*/.*([?#]|[^/]{25}))"
"""A URL with a password, a query, or a part as long as a key."""
KIND = r"literal\[.*\]|list\[\w+\]|str|int|bool|[A-Z]\w+|\[key\]"
"""What pydantic calls a kind of value among several, or the name of an entry."""
NO_MAPPING = ("model_type", "model_attributes_type")
OTHER_WORDS = {"list_type": "is no list", "dict_type": "is no mapping of names to values"}
"""Of documents, and not of Python."""
LONGEST_SHOWN = 200  # characters of a wrong value; the shortest private key has more


class Section(BaseModel):
    """The base of every part of a document: strict, closed, immutable; docstrings under fields are their description.

    Built when it is first used: reading a specification does not wait for the engine's configuration.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    @classmethod
    def default(cls) -> Self:
        """The section as it is where a document does not mention it. Nothing is validated, so nothing is built for it."""
        return super().model_construct()

    def changed(self, options: Iterable[str] | None = None) -> dict[str, Any]:
        """Returns what differs from its defaults, as a document says it; a section that has a `type` keeps it.

        `options` are the fields to look at, all of them where absent.
        """
        include = None if options is None else set(options)
        if not self.model_fields_set & (include or type(self).model_fields.keys()):
            return _with_types(self, {})  # nothing is built for what says nothing
        said = self.model_dump(mode="json", by_alias=True, exclude_defaults=True, include=include)
        return _with_types(self, said)


def _with_types(section: Any, said: dict[str, Any]) -> dict[str, Any]:
    """The `type` that tells a section from the others in its place is a default of its model, so pydantic leaves it out."""
    for name, field in type(section).model_fields.items():
        value, key = getattr(section, name), field.alias or name
        if key in said and isinstance(value, BaseModel):
            said[key] = _with_types(value, said[key])
        elif key in said and isinstance(value, list) and value and isinstance(value[0], BaseModel):
            said[key] = [_with_types(each, document) for each, document in zip(value, said[key], strict=True)]
    return {"type": section.type, **said} if "type" in type(section).model_fields else said


def parse(model: type[Model], document: object, source: str) -> Model:
    """Raises ConfigError with all problems of `document`; `source` names it in the message (a path, or an option)."""
    try:
        # JSON mode lets strict models accept enums and paths as the text that documents hold.
        return model.model_validate(document, strict=None)
    except ValidationError as error:
        problems = [_untagged(problem, document) for problem in error.errors()]
        told = [_describe(model, problem) for problem in problems if not _is_of_another_kind(problem, problems)]
        raise ConfigError(source, told) from None


def _untagged(problem: Mapping[str, Any], document: object) -> Mapping[str, Any]:
    """The problem with the path that the document has: pydantic adds the kind of section that a `type` chose, and each kind
    that a value may be, as if it were a part of the path."""
    location, here, told = list[str | int](), document, None
    for part in problem["loc"]:
        is_there = not isinstance(part, str) or (isinstance(here, dict) and part in here)
        if isinstance(here, dict) and here.get("type") == part and here is not told:
            told = here  # only once: a callable has a field of that name
            continue
        if not is_there and re.fullmatch(KIND, str(part)):
            continue
        location.append(part)
        inner = here[part] if isinstance(here, dict) and part in here else None
        here = here[part] if isinstance(here, list) and isinstance(part, int) else inner
    return {**problem, "loc": tuple(location)}


def _is_of_another_kind(problem: Mapping[str, Any], problems: Iterable[Mapping[str, Any]]) -> bool:
    """True for errors of union members that the value was clearly not meant to be."""
    at, given = problem["loc"], problem.get("input")
    beside = {other["type"] for other in problems if other is not problem and other["loc"][: len(at)] == at}
    if problem["type"] == "literal_error":
        return isinstance(given, dict) and bool(beside)
    if problem["type"] in NO_MAPPING:
        return "literal_error" in beside
    return problem["type"] in ("list_type", "int_type", "bool_type") and "string_type" in beside


def _describe(model: type[BaseModel], problem: Mapping[str, Any]) -> str:
    location = problem["loc"]
    path = _path(location) or "the document"
    if problem["type"] == "extra_forbidden":
        name = str(location[-1])
        valid = _field_names(model, location[:-1])
        if name in valid:
            return f"{path}: does not go with the type that is given beside it; remove it, or give another type."
        return f"{path}: unknown name; {here_called(name, path) or did_you_mean(name, valid)}"
    if problem["type"] == "missing":
        return f"{path}: is required."
    if problem["type"] == "union_tag_not_found":
        return f"{path}.type: is required."
    if problem["type"] == "union_tag_invalid":
        return f"{path}.type: input should be one of {problem['ctx']['expected_tags']} (got {problem['ctx']['tag']!r})"
    if problem["type"] in NO_MAPPING:
        return f"{path}: {'is empty' if problem.get('input') is None else _no_mapping(model, problem)}"
    message = OTHER_WORDS.get(problem["type"], str(problem["msg"])).removeprefix("Value error, ")
    message = message.replace(" after validation", "")
    if not message[:2].isupper():
        message = message[:1].lower() + message[1:]
    return f"{path}: {message}{_meant(model, problem)}{_got(path, problem.get('input'))}"


def _meant(model: type[BaseModel], problem: Mapping[str, Any]) -> str:
    """The end of the message: how to write what was meant."""
    is_word = isinstance(problem.get("input"), str | int | float | date)
    match problem["type"]:
        case "literal_error" if names := _section_names(model, problem["loc"]):
            return f", or a mapping with {', '.join(names)}"
        case "literal_error" if not re.search(" or |,", str(problem["ctx"]["expected"])):
            return ", which is the only one there is"
        case "list_type" if is_word:
            return "; put it between brackets"
        case "list_type":
            return f", such as [{_form(_sections_at(model, problem['loc'])) or 'a, b'}]"
        case "string_type" if is_word:
            return "; put it between quotes"
    return ""


def _no_mapping(model: type[BaseModel], problem: Mapping[str, Any]) -> str:
    """Shows the form that is meant; a word that names a kind of section is put where it belongs."""
    given, kinds = problem.get("input"), _sections_at(model, problem["loc"])
    types = [
        name for each in kinds if "type" in each.model_fields for name in get_args(each.model_fields["type"].annotation)
    ]
    named = given if given in types else types[0] if types else None
    form = _form(kinds) if named is None else f"{{type: {named}}}"
    return "is no mapping of names to values" + (f", such as {form}" if form else "")


def _form(sections: Sequence[type[BaseModel]]) -> str:
    """What the first of them needs; empty where it needs nothing."""
    fields = sections[0].model_fields.items() if sections else ()
    required = [field.alias or name for name, field in fields if field.is_required()]
    return f"{{{', '.join(f'{name}: …' for name in required)}}}" if required else ""


def _got(path: str, value: object) -> str:
    """Nothing that could be a key: neither by the name of its place nor by its length."""
    hidden = isinstance(value, dict | list) or "secret" in path or "key" in path or len(str(value)) > LONGEST_SHOWN
    hidden = hidden or re.search(MAY_HOLD_A_KEY, str(value)) is not None
    return "" if hidden else f" (got {_as_written(value)})"


def _as_written(value: object) -> str:
    """The value as YAML and JSON write it, not as Python does."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(value) if isinstance(value, date) else repr(value)


def _path(location: Iterable[str | int]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _field_names(model: type[BaseModel], location: tuple[str | int, ...]) -> list[str]:
    """The valid names beside a misspelt one: follows the path through nested sections, lists and unions."""
    models = [model]
    for part in location:
        if not isinstance(part, int):
            models = _nested(models, part) or models
    return [field.alias or name for current in models for name, field in current.model_fields.items()]


def _section_names(model: type[BaseModel], location: tuple[str | int, ...]) -> list[str]:
    """The names of the section that a value may be in place of a word; none where it may be none."""
    return [name for current in _sections_at(model, location) for name in current.model_fields]


def _sections_at(model: type[BaseModel], location: tuple[str | int, ...]) -> list[type[BaseModel]]:
    """The kinds of section that may stand there."""
    models = [model]
    for part in location:
        if not isinstance(part, int):
            models = _nested(models, part)
    return models


def _nested(models: Iterable[type[BaseModel]], part: str) -> list[type[BaseModel]]:
    return [
        nested
        for current in models
        if part in current.model_fields
        for nested in _sections(current.model_fields[part].annotation)
    ]


def _sections(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [section for argument in get_args(annotation) for section in _sections(argument)]
