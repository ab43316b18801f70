"""Streams that are named by a regular expression, and the tables that their names make.

A pattern is matched against the whole of a stream's name. A table's template may hold `{stream}`, and the pattern's groups
by number or name: `RAW_{1}`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from string import Formatter
from typing import Annotated, Protocol, TypeVar

from pydantic import AfterValidator

from firnline_ingest.identifiers import table_name, written_name


def _compiles(text: str) -> str:
    """Raises ValueError for what is not a regular expression."""
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return text


NamePattern = Annotated[str, AfterValidator(_compiles)]
"""A regular expression, in Python's syntax, of whole names."""


class Matching(Protocol):
    """Fields by which a pattern matches names (shared with PatternConfig)."""

    @property
    def streams(self) -> str: ...
    @property
    def exclude(self) -> Iterable[str]: ...


Pattern = TypeVar("Pattern", bound=Matching)


def wildcard(pattern: str) -> str:
    """A name with one *, as IAM reads it, that every name that matches has: `clicks-*`, `*_cat`; or `*`, where the pattern's
    text tells neither beginning nor end plainly, and the whole name, where it is one.
    """
    units = re.findall(r"\\.|[^\\]", pattern, re.DOTALL)
    begins = list(takewhile(_is_plain, units))
    rest = units[len(begins) :]
    if not rest:
        return _text(begins)
    if "|" in rest or "(?" in pattern:
        return "*"  # perhaps of the whole: that would need a parser
    if rest[0] in ("*", "?", "{"):
        begins = begins[:-1]
    ends = list(takewhile(_is_plain, reversed(rest)))[::-1]
    if rest[len(rest) - len(ends) - 1].startswith("\\"):
        ends = []  # perhaps the number of a group or of a character
    return f"{_text(begins)}*{_text(ends)}"


def _is_plain(unit: str) -> bool:
    return re.fullmatch(r"\\[.-]|[A-Za-z0-9_-]", unit, re.ASCII) is not None


def _text(units: Iterable[str]) -> str:
    return "".join(unit[-1] for unit in units)


def groups_of(pattern: Matching, stream: str) -> Mapping[str, str] | None:
    """Returns what a table's template may hold, by name; None if the stream's name does not match, or is left out."""
    found = re.fullmatch(pattern.streams, stream, re.ASCII)
    if found is None or stream in pattern.exclude:
        return None
    numbered = {str(number): text or "" for number, text in enumerate(found.groups(), start=1)}
    named = {name: text or "" for name, text in found.groupdict().items()}
    return {**numbered, **named, "stream": stream}


def that_match(patterns: Iterable[Pattern], stream: str) -> list[Pattern]:
    """More than one is an overlap, which nobody may read by."""
    return [pattern for pattern in patterns if groups_of(pattern, stream) is not None]


def literal_overlaps(patterns: Iterable[Pattern]) -> Iterator[tuple[Pattern, Pattern, str]]:
    """Two patterns and a name that both match, as far as their texts alone tell: one that is a name the other matches, too."""
    seen: list[Pattern] = []
    for pattern in patterns:
        for other in seen:
            for name in (pattern.streams, other.streams):
                if name == pattern.streams == other.streams or len(that_match((pattern, other), name)) == 2:
                    yield other, pattern, name
                    break
        seen.append(pattern)


def expanded(template: str, groups: Mapping[str, str]) -> str:
    """The table's name as a configuration writes it. What is not an identifier gets the name that such a stream's table has."""
    parts = list(Formatter().parse(template))
    if all(name is None for _, name, *_ in parts):
        return "".join(plain for plain, *_ in parts)
    text = "".join(plain + (groups[name] if name else "") for plain, name, *_ in parts)
    return text if text.startswith('"') else written_name(table_name(text))


def check_template(template: str, pattern: str) -> None:
    """Raises ValueError for a place that the pattern does not fill."""
    known = re.compile(pattern)
    names = {"stream", *known.groupindex, *(str(number) for number in range(1, known.groups + 1))}
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"table is not a template: {error}") from None
    for _, name, form, conversion in parts:
        if name is not None and (name not in names or form or conversion):
            shown = name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
            raise ValueError(f"table has a place {{{shown}}} that nothing fills; known are {', '.join(sorted(names))}")
