"""One statement of a client: its text, its tokens, and its tree.

The text is cut into tokens once, by Snowflake's rules for comments, quotes and escapes; the statements that the catalog
answers and the names of columns are read from these. The tree is sqlglot's, for queries and DML, made on first use.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from itertools import zip_longest
from typing import Self

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.snowflake import Snowflake
from sqlglot.errors import ParseError, TokenError

from firnline_local.snowflake.catalog.errors import CompilationFault, SqlError, SyntaxFault
from firnline_local.snowflake.sql.written_names import WrittenNames, refuse_foreign_names


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


ENDS = frozenset(
    {"FROM", "WHERE", "HAVING", "QUALIFY", "LIMIT", "OFFSET", "FETCH", "UNION", "EXCEPT", "MINUS", "INTERSECT", ";"}
)
ENDS_BEFORE_BY = frozenset({"GROUP", "ORDER"})  # WITHIN GROUP ends nothing
DEPTHS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


@dataclass(frozen=True)
class Statement:
    """A statement as a client sent it, read once."""

    text: str
    tokens: Sequence[Token]
    """Without the semicolons at the end."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Raises SyntaxFault."""
        tokens = tokenize(text)
        while tokens and tokens[-1].word == ";":
            tokens.pop()
        return cls(text, tokens)

    @cached_property
    def tree(self) -> exp.Expr:
        """Raises SyntaxFault, CompilationFault."""
        return parse(self.text)


def parse(sql: str) -> exp.Expr:
    """One statement. Raises SyntaxFault, NotKnown."""
    try:
        dialect = Snowflake()
        parser = WrittenNames(dialect=dialect, error_level=ErrorLevel.RAISE)
        statements = parser.parse(dialect.tokenize(sql), sql)
    except ParseError as error:
        raise _syntax_fault(sql, error) from error
    except TokenError as error:
        raise CompilationFault(f"syntax error: {error}") from error
    found = [
        statement for statement in statements if statement is not None and not isinstance(statement, exp.Semicolon)
    ]
    if len(found) != 1:
        raise CompilationFault(f"Actual statement count {len(found)} did not match the desired statement count 1.")
    refuse_foreign_names(found[0])
    return found[0]


def written_columns(statement: Statement) -> list[str]:
    """Returns the names of a result's columns where the query doesn't say: the text of each column of the outermost SELECT,
    upper-cased outside of quotes. `SELECT COUNT(*), a + 1 FROM t` has the columns COUNT(*) and A + 1.
    """
    tokens = statement.tokens
    start = _outer_select(tokens)
    columns: list[list[Token]] = [[]]
    depth = 0
    for token, following in zip_longest(tokens[start:], tokens[start + 1 :]):
        depth += DEPTHS.get(token.word, 0)
        by = following is not None and following.word == "BY"
        if depth < 0 or (depth == 0 and (token.word in ENDS or (by and token.word in ENDS_BEFORE_BY))):
            break
        if depth == 0 and token.word == ",":
            columns.append([])
        else:
            columns[-1].append(token)
    return [_text(statement.text, column) for column in columns]


def _outer_select(tokens: Sequence[Token]) -> int:
    """The position behind the first SELECT that is in no parentheses, or in the fewest."""
    depth, found = 0, (len(tokens) + 1, len(tokens))
    for position, token in enumerate(tokens):
        depth += DEPTHS.get(token.word, 0)
        if token.word == "SELECT":
            found = min(found, (depth, position + 1))
    start = found[1]
    while start < len(tokens) and tokens[start].word in ("DISTINCT", "ALL"):
        start += 1
    return start


def _text(sql: str, column: list[Token]) -> str:
    if not column:
        return ""
    parts: list[str] = []
    position = column[0].start
    for token in column:
        text = sql[token.start : token.end]
        parts += [sql[position : token.start], text.upper() if token.kind is TokenKind.WORD else text]
        position = token.end
    return "".join(parts)


def _syntax_fault(sql: str, error: ParseError) -> SqlError:
    first = error.errors[0] if error.errors else {}
    lines = sql.split("\n")
    line, column = int(first.get("line") or 1), int(first.get("col") or 0)
    position = sum(len(text) + 1 for text in lines[: line - 1]) + column
    word = str(first.get("highlight") or "")
    return syntax_fault(sql, max(0, position - len(word)), word)
