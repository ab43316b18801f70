"""The columns of the rows that a pipeline's query makes, read from its text; Spark alone knows those of a function.

Only a plain SELECT is read, whose expressions have names: of any other one nothing is said.
"""

import re
from collections.abc import Iterator, Sequence

from firnline_ingest.config.query import POSITION, PipelineQuery

LEXEMES = (
    r"""(?s)(?P<blank>\s+|--[^\n]*|/\*.*?\*/)|(?P<text>'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*")|(?P<quoted>`(?:[^`]|``)+`)"""
    r"""|(?P<word>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<sign>\|>|.)"""
)
OTHER_FORMS = ("UNION", "INTERSECT", "EXCEPT", "MINUS", "LATERAL", "PIVOT", "UNPIVOT", "|>")
INSIDE = (
    *(
        "AND",
        "OR",
        "NOT",
        "IN",
        "LIKE",
        "ILIKE",
        "RLIKE",
        "REGEXP",
        "IS",
        "BETWEEN",
        "DIV",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
    ),
    *("INTERVAL", "DISTINCT", "ALL"),
)
"""Words behind which an expression goes on: what follows is not its alias."""
VALUES = ("END", "NULL", "TRUE", "FALSE", "UNKNOWN", "YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
OPENS, CLOSES = "([<", ")]>"

Tokens = Sequence[tuple[str, str]]


def columns_of_query(query: PipelineQuery) -> frozenset[str] | None:
    """Returns None where the text alone does not tell all of them."""
    if query.sql is None:
        return None
    tokens = list(_tokens(query.sql))
    if not tokens or not _is(tokens[0], "SELECT") or any(_is(each, *OTHER_FORMS) for each in tokens):
        return None
    given = [_name(part[0]) for part in _listed(list(_tokens(query.schema_)), OPENS, CLOSES) if part]
    found: set[str] = set()
    for part in _listed(_before_from(tokens[1:]), OPENS[:2], CLOSES[:2]):
        names = _names(part, given)
        if names is None:
            return None
        found |= names
    return frozenset(name for name in found if name.lower() != POSITION)


def _names(part: Tokens, given: Sequence[str]) -> set[str] | None:
    """The names of an expression's columns; None where Spark makes one up."""
    if not part:
        return None
    if part[-1] == ("sign", "*") and (len(part) == 1 or (len(part) == 3 and part[1] == ("sign", "."))):
        return set(given)
    if len(part) == 1 or (len(part) == 3 and part[1] == ("sign", ".")):
        name = _name(part[-1])
        same = {each for each in given if each.lower() == name.lower()}
        return {name} | same if same or name.lower() == POSITION else None
    if len(part) > 2 and _is(part[-2], "AS"):
        return {_name(part[-1])} if part[-1][0] in ("word", "quoted") else None
    kind, text = part[-2]
    ends = kind in ("quoted", "text", "number") or text in (")", "]") or (kind == "word" and text.upper() not in INSIDE)
    is_alias = part[-1][0] == "quoted" or (part[-1][0] == "word" and part[-1][1].upper() not in VALUES)
    return {_name(part[-1])} if ends and is_alias else None


def _before_from(tokens: Tokens) -> Tokens:
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token[1] in ("(", "[")) - (token[1] in (")", "]")) if token[0] == "sign" else 0
        if depth == 0 and _is(token, "FROM") and not (index and _is(tokens[index - 1], "DISTINCT")):
            return tokens[:index]
    return tokens


def _listed(tokens: Tokens, opens: str, closes: str) -> list[Tokens]:
    """Cut at the commas of the first level."""
    parts: list[list[tuple[str, str]]] = [[]]
    depth = 0
    for token in tokens:
        if token[0] == "sign":
            depth += (token[1] in opens) - (token[1] in closes)
        if token == ("sign", ",") and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return list(parts)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    for found in re.finditer(LEXEMES, text):
        if found.lastgroup is not None and found.lastgroup != "blank":
            yield found.lastgroup, found[0]


def _name(token: tuple[str, str]) -> str:
    return token[1][1:-1].replace("``", "`") if token[0] == "quoted" else token[1]


def _is(token: tuple[str, str], *words: str) -> bool:
    return token[0] in ("word", "sign") and token[1].upper() in words
