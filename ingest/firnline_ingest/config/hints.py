"""Hints at what a mistaken document probably meant: the nearest name or word, and the form of a section."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from firnline_ingest.config.form import Form
from firnline_ingest.errors import did_you_mean, nearest

Location = tuple[str | int, ...]
EARLIER = {"unusable_records": "on_error", "also_streams": "stream_pattern"}
"""Names that fields had before the first release, as notes and copies may still have them, and those that they have."""


def path_of(location: Iterable[str | int]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def name_hint(model: type[BaseModel], location: Location) -> str:
    """The end of a sentence about a name that its section does not have: the nearest one there, or the place where it belongs."""
    name, beside = str(location[-1]), field_names(model, location[:-1])
    if EARLIER.get(name) in beside:
        return f"did you mean {EARLIER[name]!r}?"
    if nearest(name, beside) is None and (place := _elsewhere(model, location, beside)):
        return (
            f"did you mean {place!r}?"
            if "." in place
            else f"{place} is a section of its own, at the top of the document."
        )
    return did_you_mean(name, beside)


def word_hint(given: object, expected: str) -> str:
    """The end of a message about a word that is not among those that `expected` quotes; empty where none is near."""
    words = re.findall(r"'([^']*)'", expected)
    if not isinstance(given, str) or given in words:
        return ""
    plain = {_plain(word): word for word in words}
    near = nearest(_plain(given), plain)
    return f"; did you mean {plain[near]!r}?" if near else ""


def form_hint(sections: Sequence[type[BaseModel]], given: object) -> str:
    """Returns the form of a value that must be a section: with its `type`, with the field that takes the word that was
    given or the nearest one, with what it needs, or with its first field.

    Empty where nothing is known of it.
    """
    types = [name for each in sections if "type" in each.model_fields for name in _words_of(each, "type")]
    if types:
        near = nearest(_plain(given), types) if isinstance(given, str) else None
        return f"{{type: {near or types[0]}}}"
    words = [(word, name) for section in sections for name in section.model_fields for word in _words_of(section, name)]
    near = nearest(_plain(given), [_plain(word) for word, _ in words]) if isinstance(given, str) else None
    for word, name in words:
        if _plain(word) == near:
            return f"{{{name}: {word}}}"
    return required_form(sections) or next((f"{{{each}: …}}" for section in sections for each in _names(section)), "")


def short_form(sections: Sequence[type[BaseModel]], given: object) -> dict[str, str] | None:
    """The section that one word stands for, as `latest` does for {at: LATEST}: its `type`, or the one field that takes that word.

    None where several fields do, or where it is the name of a field: then nobody can say what was meant.
    """
    if not isinstance(given, str):
        return None
    meant, names = list[dict[str, str]](), [name for section in sections for name in _names(section)]
    for section in sections:
        for name in ("type",) if "type" in section.model_fields else _names(section):
            known = {_plain(word): word for word in _words_of(section, name)} if name in section.model_fields else {}
            if _plain(given) in known:
                meant.append({name: known[_plain(given)]})
    return meant[0] if len(meant) == 1 and _plain(given) not in map(_plain, names) else None


def short_words(sections: Sequence[type[BaseModel]]) -> list[str]:
    """The words that stand for a whole section of one of these kinds, and are all that it needs, in their order."""
    words = (word for section in sections for name in section.model_fields for word in _words_of(section, name))
    return [word for word in dict.fromkeys(words) if _is_whole(sections, short_form(sections, word))]


def _is_whole(sections: Sequence[type[BaseModel]], form: dict[str, str] | None) -> bool:
    for section in sections if form is not None else ():
        try:
            section.model_validate(form, strict=None)
        except ValidationError:
            continue
        return True
    return False


def required_form(sections: Sequence[type[BaseModel]]) -> str:
    """Returns what the first of them needs; empty if it needs nothing."""
    fields = sections[0].model_fields.items() if sections else ()
    required = [field.alias or name for name, field in fields if field.is_required()]
    return f"{{{', '.join(f'{name}: …' for name in required)}}}" if required else ""


def field_names(model: type[BaseModel], location: Location) -> list[str]:
    """The valid names beside a misspelt one: follows the path through nested sections, lists and unions."""
    models = [model]
    for part in location:
        if not isinstance(part, int):
            models = _nested(models, part) or models
    return [name for current in models for name in _names(current)]


def sections_at(model: type[BaseModel], location: Location) -> list[type[BaseModel]]:
    """The kinds of section that may stand there."""
    models = [model]
    for part in location:
        if not isinstance(part, int):
            models = _nested(models, part)
    return models


def text_form(model: type[BaseModel], location: Location) -> str:
    """Returns the form of the text that must stand there, in words and with an example; empty where it has none."""
    models, found = [model], list[Form]()
    for part in location:
        if fields := [
            field for each in models for name, field in each.model_fields.items() if part == (field.alias or name)
        ]:
            found = [form for field in fields for form in (*_forms(field.annotation), *_forms(tuple(field.metadata)))]
            models = [section for field in fields for section in _sections(field.annotation)]
    return found[0].words_and_example if len(set(found)) == 1 else ""


def _forms(annotation: object) -> Iterator[Form]:
    """Yields what a text may look like: of a field, of a list's items, of one of several kinds."""
    if isinstance(annotation, Form):
        yield annotation
    for argument in annotation if isinstance(annotation, tuple) else get_args(annotation):
        yield from _forms(argument)


def _elsewhere(model: type[BaseModel], location: Location, beside: Sequence[str]) -> str:
    """The path of the field of that very name in a section below this one, or in the nearest one around it."""
    name = str(location[-1])
    for inner in dict.fromkeys(beside):
        if name in (each for section in sections_at(model, (*location[:-1], inner)) for each in _names(section)):
            return path_of((*location[:-1], inner, name))
    for end in range(len(location) - 2, -1, -1):
        if name in (each for section in sections_at(model, location[:end]) for each in _names(section)):
            return path_of((*location[:end], name))
    return ""


def _names(section: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in section.model_fields.items()]


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


def _words_of(section: type[BaseModel], name: str) -> list[str]:
    return list(_words(section.model_fields[name].annotation))


def _words(annotation: Any) -> Iterator[str]:
    """The words that a field may be: of an enum, of literals, or of one of several kinds."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        yield from (str(each.value) for each in annotation)
    elif isinstance(annotation, str):
        yield annotation
    else:
        for argument in get_args(annotation):
            yield from _words(argument)


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")
