"""Cuts a statement into tokens, by Snowflake's rules for comments, quotes and escapes.

The statements that the catalog answers are read from these tokens; SELECT and DML go to sqlglot as text.
"""

import re
from dataclasses import dataclass, replace
from enum import Enum, auto

from firnline_local.snowflake.catalog.errors import SyntaxFault


class TokenKind(Enum):
    WORD = auto()
    QUOTED = auto()
    """An identifier in double quotes; its text is without them."""
    STRING = auto()
    """A string literal; its text is the value."""
    NUMBER = auto()
    SYMBOL = auto()


@dataclass(frozen=True, slots=True)
class Token:
    kind: TokenKind
    text: str
    start: int
    end: int
    """The position after its last character."""

    def moved(self, distance: int) -> "Token":
        return replace(self, start=self.start + distance, end=self.end + distance)

    @property
    def word(self) -> str:
        """Upper-cased, for a keyword or symbol; empty for what was quoted."""
        return self.text.upper() if self.kind in (TokenKind.WORD, TokenKind.SYMBOL) else ""


PATTERN = re.compile(
    r"""
    (?P<SKIP>    \s+ | --[^\n]* | //[^\n]* | /\*.*?\*/ )
  | (?P<STRING>  '(?:[^'\\]|''|\\.)*' )
  | (?P<DOLLAR>  \$\$.*?\$\$ )
  | (?P<QUOTED>  "(?:[^"]|"")+" )
  | (?P<NUMBER>  \d+(?:\.\d*)?(?:[eE][+-]?\d+)? | \.\d+ )
  | (?P<WORD>    [A-Za-z_][A-Za-z0-9_$]* )
  | (?P<SYMBOL>  => | ->> | :: | \|\| | <= | >= | <> | != | [^\s'"] )
    """,
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))|''", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}


def tokenize(sql: str) -> list[Token]:
    """Raises SyntaxFault for an unclosed quote or comment."""
    tokens: list[Token] = []
    position = 0
    while position < len(sql):
        match = PATTERN.match(sql, position)
        if match is None or (sql.startswith(("/*", "$$"), position) and match.lastgroup == "SYMBOL"):
            raise syntax_fault(sql, position, sql[position : position + 20])
        if match.lastgroup != "SKIP":
            tokens.append(_token(match))
        position = match.end()
    return tokens


def syntax_fault(sql: str, position: int, unexpected: str) -> SyntaxFault:
    before = sql[:position]
    return SyntaxFault(
        line=before.count("\n") + 1, position=position - (before.rfind("\n") + 1), unexpected=unexpected or "<EOF>"
    )


def _token(match: re.Match[str]) -> Token:
    text = match[0]
    start, end = match.span()
    match match.lastgroup:
        case "STRING":
            return Token(TokenKind.STRING, ESCAPE.sub(_unescaped, text[1:-1]), start, end)
        case "DOLLAR":
            return Token(TokenKind.STRING, text[2:-2], start, end)
        case "QUOTED":
            return Token(TokenKind.QUOTED, text[1:-1].replace('""', '"'), start, end)
        case group:
            return Token(TokenKind[group or "SYMBOL"], text, start, end)


def _unescaped(match: re.Match[str]) -> str:
    if match[0] == "''":
        return "'"
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else ESCAPED.get(match[3], match[3])
