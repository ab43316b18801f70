"""Refuses what DynamoDB refuses of a request's expressions before it looks at a table, in its own words.

A word that an expression takes for an attribute's name must not be reserved, each placeholder must be defined, and each that is
defined must be used (Developer Guide, "Reserved words in DynamoDB" and "Expression attribute names", read on 2026-11-28). The
words and the order are those of dynalite 4.0.0, which was held against the service. What an expression's grammar says beside
that is left to moto.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords

EXPRESSIONS = (
    "UpdateExpression",
    "ConditionExpression",
    "KeyConditionExpression",
    "FilterExpression",
    "ProjectionExpression",
)
WITH_VALUES = {
    "DeleteItem": ("ConditionExpression",),
    "PutItem": ("ConditionExpression",),
    "Query": ("FilterExpression", "KeyConditionExpression"),
    "Scan": ("FilterExpression",),
    "UpdateItem": ("UpdateExpression", "ConditionExpression"),
}
NAMES, VALUES = "ExpressionAttributeNames", "ExpressionAttributeValues"
MARKS = {NAMES: "#", VALUES: ":"}
NOUNS = {"#": ("name used in the document path", "name"), ":": ("value used in expression", "value")}
WORD = re.compile(r"[#:]?[A-Za-z0-9_]+")
INDEX = re.compile(r"\[\s*\d+\s*\]")
OPERATORS = {"AND", "OR", "NOT", "BETWEEN", "IN"}
CLAUSES = {"SET", "REMOVE", "ADD", "DELETE"}


class InvalidExpression(Exception):
    pass


def refusal_of(operation: str, parameters: Mapping[str, Any]) -> str | None:
    """The message of the ValidationException that DynamoDB answers; None where its expressions are in order."""
    try:
        for request in _requests(parameters):
            _check(operation, request)
    except InvalidExpression as error:
        return str(error)
    return None


def _requests(parameters: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the request itself, and those that a batch or a transaction is made of."""
    yield parameters
    transaction, batch = parameters.get("TransactItems"), parameters.get("RequestItems")
    for item in transaction if isinstance(transaction, list) else ():
        yield from _mappings(item)
    yield from _mappings(batch)


def _mappings(found: Any) -> Iterator[Mapping[str, Any]]:
    yield from (each for each in found.values() if isinstance(each, Mapping)) if isinstance(found, Mapping) else ()


def _check(operation: str, request: Mapping[str, Any]) -> None:
    expressions = {kind: request[kind] for kind in EXPRESSIONS if isinstance(request.get(kind), str)}
    _check_used_at_all(operation, request, expressions)
    defined = {mark: _placeholders(request, where) for where, mark in MARKS.items()}
    used: dict[str, set[str]] = {"#": set(), ":": set()}
    for kind, text in expressions.items():
        _check_expression(kind, text, defined, used)
    for where, mark in MARKS.items():
        unused = [each for each in defined[mark] if each not in used[mark]]
        if unused:
            raise InvalidExpression(f"Value provided in {where} unused in expressions: keys: {{{', '.join(unused)}}}")


def _check_used_at_all(operation: str, request: Mapping[str, Any], expressions: Mapping[str, str]) -> None:
    if NAMES in request and not expressions:
        raise InvalidExpression(f"{NAMES} can only be specified when using expressions")
    kinds = WITH_VALUES.get(operation, ())
    if kinds and VALUES in request and not any(kind in expressions for kind in kinds):
        verb = "are" if len(kinds) > 1 else "is"
        named = " and ".join(kinds)
        raise InvalidExpression(f"{VALUES} can only be specified when using expressions: {named} {verb} null")


def _placeholders(request: Mapping[str, Any], where: str) -> list[str]:
    given = request.get(where)
    if not isinstance(given, Mapping):
        return []
    if not given:
        raise InvalidExpression(f"{where} must not be empty")
    for key in given:
        if not re.fullmatch(rf"{MARKS[where]}[0-9a-zA-Z_]+", key):
            raise InvalidExpression(f'{where} contains invalid key: Syntax error; key: "{key}"')
    return list(given)


def _check_expression(kind: str, text: str, defined: Mapping[str, list[str]], used: Mapping[str, set[str]]) -> None:
    if not text:
        raise InvalidExpression(f"Invalid {kind}: The expression can not be empty;")
    words = list(_words(text, OPERATORS | CLAUSES if kind == "UpdateExpression" else OPERATORS))
    for word in words:
        if word[0] not in NOUNS and word.upper() in ReservedKeywords.get_reserved_keywords():
            raise InvalidExpression(f"Invalid {kind}: Attribute name is a reserved keyword; reserved keyword: {word}")
    for word in words:
        mark = word[0]
        if mark in NOUNS and word not in defined[mark]:
            what, short = NOUNS[mark]
            raise InvalidExpression(
                f"Invalid {kind}: An expression attribute {what} is not defined; attribute {short}: {word}"
            )
        if mark in NOUNS:
            used[mark].add(word)


def _words(text: str, grammar: set[str]) -> Iterator[str]:
    """Yields the placeholders and the names of attributes; no function, operator, clause or index of a list."""
    text = INDEX.sub(" ", text)
    for match in WORD.finditer(text):
        is_function = text[match.end() :].lstrip().startswith("(") and match[0][0] not in NOUNS
        if not is_function and match[0].upper() not in grammar:
            yield match[0]
