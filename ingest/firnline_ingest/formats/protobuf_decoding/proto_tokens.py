"""The words of a .proto text (protobuf.dev, "Language Specification", lexical elements), taken one after the other."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from firnline_ingest.formats.protobuf_decoding.errors import ProtoRefused

TOKEN = re.compile(
    r"""(?:\s|//[^\n]*|/\*.*?\*/)*+
    (?:(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*(?:(?<=[eE])[+-]\d+)?)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<open>/\*)|(?P<sign>[^\s\w"'])|(?P<end>\Z))""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
MOST_TOKENS = 400_000
CLOSERS = {"{": "}", "[": "]", "(": ")"}


class Token(NamedTuple):
    kind: str
    text: str
    at: int


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while True:
        found = TOKEN.match(text, at)
        if found is None or found.lastgroup in (None, "open"):  # a comment that does not end
            raise ProtoRefused(f"line {text.count(chr(10), 0, at) + 1} of its text is not of the language")
        yield Token(found.lastgroup, found[found.lastgroup], found.start(found.lastgroup))
        if found.lastgroup == "end":
            return
        at = found.end()


class Tokens:
    """A text's words, and how many were taken. Each method raises ProtoRefused for what does not stand there."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[Token] = []
        for token in _tokens(text):
            self._tokens.append(token)
            if len(self._tokens) > MOST_TOKENS:
                raise ProtoRefused("it is too large")
        self._next = 0

    @property
    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._tokens[self._next]
        if token.kind == "end":
            raise ProtoRefused("its text ends too early")
        self._next += 1
        return token

    def _is(self, text: str) -> bool:
        """Takes the token if it is this one."""
        if self._peek.text != text or self._peek.kind == "text":
            return False
        self._next += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._is(text):
            raise self._unexpected(text)

    def _unexpected(self, wanted: str) -> ProtoRefused:
        token = self._peek
        line = self._text.count("\n", 0, token.at) + 1
        return ProtoRefused(f"line {line}: {token.text[:20]!r} stands where {wanted} is expected")

    def _name(self) -> str:
        if self._peek.kind != "name":
            raise self._unexpected("a name")
        return self._take().text

    def _full_name(self) -> str:
        name = "." if self._is(".") else ""
        name += self._name()
        while self._is("."):
            name += "." + self._name()
        return name

    def _number(self) -> int:
        sign = -1 if self._is("-") else 1
        token = self._peek
        if token.kind != "number":
            raise self._unexpected("a number")
        try:
            value = int(token.text, 8 if re.fullmatch("0[0-7]+", token.text) else 0)
        except ValueError:
            raise self._unexpected("a whole number") from None
        self._next += 1
        if abs(value) >= 1 << 31:
            raise ProtoRefused(f"the number {token.text[:20]} is too large")
        return sign * value

    def _string(self) -> str:
        """Neither an import's path nor a syntax has escapes that count."""
        if self._peek.kind != "text":
            raise self._unexpected("a text")
        text = ""
        while self._peek.kind == "text":
            text += self._take().text[1:-1]
        return text

    def _skip_statement(self) -> None:
        """Skips to the semicolon, or behind the block that ends the statement."""
        while True:
            token = self._take()
            if token.kind != "sign":
                continue
            if token.text == ";":
                return
            if token.text in "{[(":
                self._skip_block(CLOSERS[token.text])
                if token.text == "{" and not self._is_in_statement():
                    return

    def _is_in_statement(self) -> bool:
        return self._peek.kind == "sign" and self._peek.text in ";,"

    def _skip_block(self, closer: str) -> None:
        closers = [closer]
        while closers:
            token = self._take()
            if token.kind == "sign" and token.text in "{[(":
                closers.append(CLOSERS[token.text])
            elif token.kind == "sign" and token.text in "}])" and token.text != closers.pop():
                raise self._unexpected("the end of a block")
