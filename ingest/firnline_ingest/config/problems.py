"""Problems of a document, a sentence for each: its path there, what was expected, and what was probably meant."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from pydantic import BaseModel, ValidationError

from firnline_ingest.config.hints import (
    field_names,
    form_hint,
    name_hint,
    path_of,
    required_form,
    sections_at,
    short_form,
    text_form,
    word_hint,
)
from firnline_ingest.config.other_names import here_called

MAY_HOLD_A_KEY = r"://([^/]*[@?#]|[^/]*/.*([?#]|[^/]{25}))"
"""A URL with a password, a query, or a part as long as a key."""
KIND = r"literal\[.*\]|list\[\w+\]|str|int|bool|[A-Z]\w+|\[key\]"
"""What pydantic calls a kind of value among several, or the name of an entry."""
NO_MAPPING = ("model_type", "model_attributes_type")
OTHER_WORDS = {"list_type": "must be a list", "dict_type": "must be a mapping of names to values"}
"""Of documents, and not of Python."""
LONGEST_SHOWN = 200  # characters of a wrong value; the shortest private key has more


def described(model: type[BaseModel], error: ValidationError, document: object) -> list[str]:
    """In the order of the document's fields."""
    problems = [_untagged(problem, document) for problem in error.errors()]
    return [_describe(model, problem) for problem in problems if not _is_of_another_kind(problem, problems)]


def with_short_forms(model: type[BaseModel], error: ValidationError, document: object) -> object:
    """The document with a section for each word that stands for one; the same document where there is none."""
    for problem in error.errors():
        location = _untagged(problem, document)["loc"]
        if problem["type"] in NO_MAPPING and location:
            form = short_form(sections_at(model, location), problem.get("input"))
            document = _replaced(document, location, form) if form is not None else document
    return document


def _replaced(document: Any, location: tuple[str | int, ...], value: object) -> Any:
    """A copy with another value in that place; the same document where there is no such place."""
    first, *rest = location
    if isinstance(document, list) and isinstance(first, int):
        pairs: Iterable[tuple[int | str, Any]] = enumerate(document)
        return [
            _replaced(each, tuple(rest), value) if at == first and rest else value if at == first else each
            for at, each in pairs
        ]
    if not isinstance(document, dict) or first not in document:
        return document
    return {**document, first: _replaced(document[first], tuple(rest), value) if rest else value}


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
    path = path_of(location) or "the document"
    if problem["type"] == "extra_forbidden":
        name = str(location[-1])
        if name in field_names(model, location[:-1]):
            return f"{path}: does not go with the type that is given beside it; remove it, or give another type."
        return f"{path}: unknown name; {here_called(name, path) or name_hint(model, location)}"
    if problem["type"] == "missing":
        return f"{path}: is required."
    if problem["type"] == "union_tag_not_found":
        return f"{path}.type: is required."
    if problem["type"] == "union_tag_invalid":
        tag, tags = problem["ctx"]["tag"], problem["ctx"]["expected_tags"]
        return f"{path}.type: input should be one of {tags} (got {tag!r}){word_hint(tag, tags)}"
    if problem["type"] in NO_MAPPING:
        given, form = problem.get("input"), form_hint(sections_at(model, location), problem.get("input"))
        needs = f"must be a mapping of names to values{form and f', such as {form}'}"
        return f"{path}: {'is empty' if given is None else needs}"
    if problem["type"] == "string_type" and not _is_word(problem) and (form := text_form(model, location)):
        return f"{path}: must be {form}{_got(path, problem.get('input'))}"
    message = OTHER_WORDS.get(problem["type"], str(problem["msg"])).removeprefix("Value error, ")
    message = message.replace(" after validation", "")
    if not message[:2].isupper():
        message = message[:1].lower() + message[1:]
    return f"{path}: {message}{_meant(model, problem)}{_got(path, problem.get('input'))}{_near(problem)}"


def _near(problem: Mapping[str, Any]) -> str:
    is_word = problem["type"] in ("enum", "literal_error")
    return word_hint(problem.get("input"), str(problem["ctx"]["expected"])) if is_word else ""


def _meant(model: type[BaseModel], problem: Mapping[str, Any]) -> str:
    """The end of the message: how to write what was meant."""
    is_word = _is_word(problem)
    match problem["type"]:
        case "literal_error" if names := [
            name for each in sections_at(model, problem["loc"]) for name in each.model_fields
        ]:
            return f", or a mapping with {', '.join(names)}"
        case "literal_error" if not re.search(" or |,", str(problem["ctx"]["expected"])):
            return ", which is the only one there is"
        case "list_type" if is_word:
            return "; put it between brackets"
        case "list_type":
            return f", such as [{required_form(sections_at(model, problem['loc'])) or 'a, b'}]"
        case "string_type" if is_word:
            return "; put it between quotes"
    return ""


def _is_word(problem: Mapping[str, Any]) -> bool:
    return isinstance(problem.get("input"), str | int | float | date)


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
