"""Reads a statement from left to right: keywords are accepted or expected, names and values are taken.

`end` refuses any clause that was not read: no clause is ever skipped in silence.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from firnline_local.snowflake.catalog.errors import NotKnown, SqlError
from firnline_local.snowflake.catalog.types import FAMILY, DataType
from firnline_local.snowflake.sql.statement import Statement, Token, TokenKind, syntax_fault

Item = TypeVar("Item")

MAX_NAME_PARTS = 3
IDENTIFIERS = (TokenKind.WORD, TokenKind.QUOTED)
OPENING, CLOSING = frozenset("(["), frozenset(")]")


class TokenReader:
    """The tokens of one statement and how far they were read."""

    def __init__(self, statement: Statement) -> None:
        self.sql = statement.text
        self._tokens = statement.tokens
        self._next = 0

    @property
    def next(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    @property
    def at_end(self) -> bool:
        return self.next is None

    def starts(self, phrase: str) -> bool:
        """Tells whether the next words are these, in any case."""
        wanted = phrase.split()
        found = self._tokens[self._next : self._next + len(wanted)]
        return [token.word for token in found] == wanted

    def accept(self, phrase: str) -> bool:
        """Takes the phrase if it is next."""
        if not self.starts(phrase):
            return False
        self._next += len(phrase.split())
        return True

    def accept_one(self, *phrases: str) -> str | None:
        """Takes the first of the phrases that is next."""
        return next((phrase for phrase in phrases if self.accept(phrase)), None)

    def choose(self, phrases: Iterable[str], *, after: str) -> str:
        """Takes the first of the phrases that is next. Raises NotKnown for anything else; `after` is what was read before."""
        phrase = self.accept_one(*phrases)
        if phrase is None:
            raise NotKnown(f"{after} {self.rest[:40]}")
        return phrase

    def separated(self, item: Callable[["TokenReader"], Item]) -> list[Item]:
        """Items with commas between them, at least one."""
        items = [item(self)]
        while self.accept(","):
            items.append(item(self))
        return items

    def listed(self, item: Callable[["TokenReader"], Item], *, may_be_empty: bool = False) -> list[Item]:
        """`(a, b)`"""
        self.expect("(")
        if may_be_empty and self.accept(")"):
            return []
        items = self.separated(item)
        self.expect(")")
        return items

    def options(self, known: Mapping[str, Callable[["TokenReader"], Any]], *, of: str) -> dict[str, Any]:
        """`KEY = value, …` up to the end or a closing parenthesis. Raises NotKnown for a key that is not among the known."""
        found: dict[str, Any] = {}
        while not self.at_end and not self.starts(")"):
            key = self.word()
            if key not in known:
                raise NotKnown(f"the property {key} of {of}")
            self.expect("=")
            found[key] = known[key](self)
            self.accept(",")
        return found

    def enclosed_options(self, known: Mapping[str, Callable[["TokenReader"], Any]], *, of: str) -> dict[str, Any]:
        """The same in parentheses."""
        self.expect("(")
        found = self.options(known, of=of)
        self.expect(")")
        return found

    def expect(self, phrase: str) -> None:
        if not self.accept(phrase):
            raise self.unexpected()

    def take(self) -> Token:
        token = self.next
        if token is None:
            raise self.unexpected()
        self._next += 1
        return token

    def word(self) -> str:
        """A keyword, upper-cased."""
        token = self.take()
        if token.kind is not TokenKind.WORD:
            raise self._at(token)
        return token.word

    def identifier(self) -> str:
        """The stored name of one identifier."""
        token = self.take()
        if token.kind not in IDENTIFIERS:
            raise self._at(token)
        return token.text if token.kind is TokenKind.QUOTED else token.text.upper()

    def name(self) -> tuple[str, ...]:
        """The stored names of a dotted name."""
        if self.starts("IDENTIFIER ("):
            raise NotKnown("IDENTIFIER(…)")
        parts = [self.identifier()]
        while self.accept("."):
            parts.append(self.identifier())
        if len(parts) > MAX_NAME_PARTS:
            raise self.unexpected()
        return tuple(parts)

    def string(self) -> str:
        token = self.take()
        if token.kind is not TokenKind.STRING:
            raise self._at(token)
        return token.text

    def integer(self) -> int:
        negative = self.accept("-")
        token = self.take()
        if token.kind is not TokenKind.NUMBER or not token.text.isdecimal():
            raise self._at(token)
        return -int(token.text) if negative else int(token.text)

    def type(self) -> DataType:
        """A column type, with its parameters."""
        start = self.take()
        spelled = start.word
        while (token := self.next) is not None and any(
            alias.startswith(f"{spelled} {token.word} ") or alias == f"{spelled} {token.word}" for alias in FAMILY
        ):
            spelled = f"{spelled} {self.take().word}"
        return DataType.parse(spelled + (f"({self.parenthesised()})" if self.starts("(") else ""))

    def parenthesised(self) -> str:
        """The source between a pair of parentheses, which may nest."""
        opening = self.take()
        if opening.word != "(":
            raise self._at(opening)
        depth, last = 1, opening
        while depth:
            last = self.take()
            depth += (last.word in OPENING) - (last.word in CLOSING)
        return self.sql[opening.end : last.start]

    def until(self, stops: frozenset[str]) -> str:
        """The source up to one of the keywords or symbols, outside of parentheses; at least one token of it."""
        first = last = self.take()
        depth = int(first.word in OPENING)
        while (token := self.next) is not None and (depth > 0 or token.word not in stops | CLOSING):
            last = self.take()
            depth += (last.word in OPENING) - (last.word in CLOSING)
        return self.sql[first.start : last.end]

    @property
    def rest(self) -> str:
        """The source of all that was not taken, byte for byte."""
        token = self.next
        return self.sql[token.start : self._tokens[-1].end] if token else ""

    def end(self) -> None:
        """Raises NotKnown for what is left: it may be a mistake, or a clause that a real account knows."""
        if not self.at_end:
            raise NotKnown(f"'{self.rest[:40]}' in {self.sql[:60]}")

    def unexpected(self) -> SqlError:
        token = self.next
        return syntax_fault(self.sql, token.start, token.text) if token else syntax_fault(self.sql, len(self.sql), "")

    def _at(self, token: Token) -> SqlError:
        return syntax_fault(self.sql, token.start, token.text)
