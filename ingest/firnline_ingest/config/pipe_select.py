"""Statements of pipes: one matches a record's keys with columns by name, or takes values out of it with a SELECT.

Only as much of SQL is read as tells which key goes into which column (`sql-reference/sql/create-pipe`, `copy-into-table`): an
expression that is a path, `$1:a.b` or `$1['a']`, is known; any other one is computed, and says nothing here. The keys of a path
keep their case, unlike keys that are matched by name.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from firnline_ingest.config.rows import Metadata, MetadataForm, PartName, PipeRows
from firnline_ingest.identifiers import InvalidIdentifier, stored_name

LEXEMES = (
    r"""(?s)(?P<blank>\s+|--[^\n]*|//[^\n]*|/\*.*?\*/)|(?P<text>'(?:[^'\\]|''|\\.)*')|(?P<quoted>"(?:[^"]|"")+")"""
    r"""|(?P<word>\$?[\w$]+)|(?P<sign>::|=>|[^\s'"])"""
)
OPENS, CLOSES = ("(", "["), (")", "]")
POSITION: tuple[PartName, ...] = ("shard_id", "sequence_number", "sub_sequence_number", "row")
"""The parts of the metadata that tell one row of a stream from another."""


NO_EXPRESSION = ("SELECT", "FROM", "WHERE", "UNION", "INTERSECT", "EXCEPT", "MINUS", "HAVING", "QUALIFY")
"""Words that are in one only in parentheses."""

BEHIND_A_SOURCE = {
    *(
        "WHERE",
        "JOIN",
        "INNER",
        "LEFT",
        "RIGHT",
        "FULL",
        "CROSS",
        "NATURAL",
        "ASOF",
        "LATERAL",
        "GROUP",
        "HAVING",
        "QUALIFY",
    ),
    *(
        "ORDER",
        "LIMIT",
        "UNION",
        "INTERSECT",
        "EXCEPT",
        "MINUS",
        "SAMPLE",
        "TABLESAMPLE",
        "PIVOT",
        "UNPIVOT",
        "MATCH_RECOGNIZE",
    ),
}
"""Words that are not alias of one."""

MAKES_SEVERAL = ("JOIN", "FLATTEN", "UNION", "LATERAL")
Tokens = list[tuple[str, str]]
STEPS = {("sign", sign) for sign in ":.[]"}


class UnreadableSelect(ValueError):
    """A text that is not a list of expressions."""


class Selected(NamedTuple):
    """One expression of a SELECT over records."""

    path: tuple[str, ...] | None
    """Keys into the record, from the first level on; empty for the record itself, None for what is computed."""
    alias: str = ""
    """As Snowflake stores it. COPY goes by the order of expressions, and by no alias."""


@dataclass(frozen=True, slots=True)
class PipeDefinition:
    """The COPY statement of a pipe, as SHOW PIPES has it."""

    table: tuple[str, ...] = ()
    """The names as they are stored; without the schema's where none is written."""
    columns: tuple[str, ...] = ()
    """Those behind COPY INTO, as they are stored; all of the table's where none is named."""
    selected: tuple[Selected, ...] | None = None
    """None where keys are matched with columns by name."""
    is_streaming: bool = True
    """Otherwise it loads files."""
    beyond: str = ""
    """The clauses behind the source of a SELECT: WHERE, which drops records, or a join or FLATTEN, which makes other rows; the
    source with them where it is a SELECT itself."""

    @property
    def rows(self) -> PipeRows:
        """Returns how many rows it makes of each that it is sent, as far as its clauses say."""
        if not self.beyond:
            return PipeRows.ONE
        first, *rest = _tokens(self.beyond)
        words = (token for before, token in pairwise([first, *rest]) if before not in STEPS)
        goes_on = any(_is_word(token, word) for token in words for word in MAKES_SEVERAL)
        return PipeRows.SOME if _is_word(first, "WHERE") and not goes_on else PipeRows.SEVERAL

    @classmethod
    def read(cls, text: str) -> "PipeDefinition | None":
        """Returns None for text that is not understood: a definition may be hidden from a role."""
        try:
            return _Definition(list(_tokens(text))).read()
        except (UnreadableSelect, InvalidIdentifier):
            return None


def selected(text: str) -> tuple[Selected, ...]:
    """Returns what stands between SELECT and FROM. Raises UnreadableSelect."""
    tokens = list(_tokens(text))
    if len(list(_tokens(f"{text},"))) == len(tokens):
        raise UnreadableSelect("it ends in a comment, which would take in what comes behind it; leave that comment out")
    expressions = _listed(tokens)
    for each in expressions:
        _refuse_more(each)
    if any(not each for each in expressions):
        raise UnreadableSelect("an expression is missing at a comma, or it is empty")
    return tuple(map(_expression, expressions))


def paths_in(text: str) -> tuple[tuple[str, ...], ...]:
    """Returns each path into the record that stands anywhere in a SELECT, also inside of what is computed, in its order.

    Raises UnreadableSelect.
    """
    tokens = list(_tokens(text))
    starts = [index for index, token in enumerate(tokens) if token == ("word", "$1")]
    return tuple(_longest_path(tokens[start:]) for start in starts)


def _longest_path(tokens: Tokens) -> tuple[str, ...]:
    """The path that `tokens` begin with; a step that is computed ends it."""
    found: tuple[str, ...] = ()
    for end in range(1, len(tokens) + 1):
        if (path := _path(tokens[:end])) is not None:
            found = path
        elif end > 1 and tokens[end - 1] not in STEPS and tokens[end - 2] not in STEPS:
            break
    return found


def lost_position(
    expressions: Sequence[Selected] | None, columns: Sequence[str], metadata: Metadata, *, are_numbered: bool
) -> list[str]:
    """The columns, of those that have a row's position, that the SELECT does not fill with it. `columns` are those that it fills,
    in their order; `are_numbered`: whether the format makes several rows of a record.
    """
    if expressions is None:
        return []
    filled = {name: each.path for name, each in zip(columns, expressions, strict=False)}
    return [name for name in position_columns(metadata, are_numbered=are_numbered) if filled.get(name) != (name,)]


def position_columns(metadata: Metadata, *, are_numbered: bool) -> Iterable[str]:
    """The stored names of the columns that identify a row of a stream."""
    parts = metadata.parts(are_numbered=are_numbered)
    if metadata.form is MetadataForm.COLUMNS:
        return [metadata.name_of(part) for part in parts if part in POSITION]
    return metadata.columns(are_numbered=are_numbered)


def _refuse_more(tokens: Tokens) -> None:
    """FROM stands behind all expressions; in one of them only in parentheses, or as IS DISTINCT FROM. A key has any name."""
    depth = 0
    for before, token in pairwise([("sign", ","), *tokens]):
        depth += (token in (("sign", "("), ("sign", "["))) - (token in (("sign", ")"), ("sign", "]")))
        is_key = before in (("sign", ":"), ("sign", "."))
        is_compared = _is_word(before, "DISTINCT") and _is_word(token, "FROM")
        ends = not (depth or is_key or is_compared) and any(_is_word(token, each) for each in NO_EXPRESSION)
        if ends or token == ("sign", ";"):
            raise UnreadableSelect(
                f"{token[1]} is part of no expression; give expressions alone, with a comma between two"
            )
        if (before, token) == (("sign", "/"), ("sign", "*")):
            raise UnreadableSelect("a /* is not closed")


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text, without blanks and comments. Raises UnreadableSelect."""
    token, at = re.compile(LEXEMES), 0  # here: few specifications have an expression
    while at < len(text):
        match = token.match(text, at)
        if match is None or match.lastgroup is None:
            raise UnreadableSelect(f"a quote is not closed: {text[at : at + 40]}")
        if match.lastgroup != "blank":
            yield match.lastgroup, match[0]
        at = match.end()


def _listed(tokens: Tokens) -> list[Tokens]:
    """Cut at the commas of the first level. Raises UnreadableSelect."""
    parts, open_ = [Tokens()], list[str]()
    for kind, text in tokens:
        if kind == "sign" and text in OPENS:
            open_.append(text)
        elif kind == "sign" and text in CLOSES and (not open_ or OPENS.index(open_.pop()) != CLOSES.index(text)):
            raise UnreadableSelect(f"a {text} closes nothing")
        if (kind, text) == ("sign", ",") and not open_:
            parts.append([])
        else:
            parts[-1].append((kind, text))
    if open_:
        raise UnreadableSelect(f"a {open_[-1]} is not closed")
    return parts


def _expression(tokens: Tokens) -> Selected:
    rest, alias = _without_alias(tokens)
    return Selected(_path(_without_cast(rest)), alias)


def _without_alias(tokens: Tokens) -> tuple[Tokens, str]:
    """An alias stands behind AS, or alone behind a value."""
    if len(tokens) < 2 or tokens[-1][0] not in ("word", "quoted"):
        return tokens, ""
    *before, last = tokens
    is_said = _is_word(before[-1], "AS")
    is_alone = before[-1][0] in ("word", "quoted", "text") or before[-1] in (("sign", ")"), ("sign", "]"))
    if not is_said and not is_alone:
        return tokens, ""
    return before[:-1] if is_said else before, _alias(last[1]) if last[1][0] not in "$0123456789" else ""


def _alias(written: str) -> str:
    try:
        return stored_name(written)
    except InvalidIdentifier as error:
        raise UnreadableSelect(f"{written} is not an alias: put it between double quotes") from error


def _without_cast(tokens: Tokens) -> Tokens:
    """The tokens before the first cast on the first level; what follows it is a type."""
    depth = 0
    for index, (kind, text) in enumerate(tokens):
        depth += (kind == "sign" and text in OPENS) - (kind == "sign" and text in CLOSES)
        if (kind, text, depth) == ("sign", "::", 0):
            behind = tokens[index + 1 :]
            return tokens[:index] if _is_type(behind) else tokens
    return tokens


def _is_type(tokens: Tokens) -> bool:
    """A word, with parentheses or not, and further casts."""
    if not tokens or tokens[0][0] != "word":
        return False
    rest = tokens[1:]
    if rest and rest[0] == ("sign", "("):
        depth = 0
        for index, (kind, text) in enumerate(rest):
            depth += (kind == "sign" and text == "(") - (kind == "sign" and text == ")")
            if depth == 0:
                rest = rest[index + 1 :]
                break
    return not rest or (rest[0] == ("sign", "::") and _is_type(rest[1:]))


def _path(tokens: Tokens) -> tuple[str, ...] | None:
    if len(tokens) > 2 and tokens[0][0] in ("word", "quoted") and tokens[1] == ("sign", "."):
        tokens = tokens[2:]  # the source has an alias
    if not tokens or tokens[0] != ("word", "$1"):
        return None
    keys, at = list[str](), 1
    while at < len(tokens):
        sign = tokens[at][1] if tokens[at][0] == "sign" else ""
        if sign in (":", ".") and at + 1 < len(tokens) and tokens[at + 1][0] in ("word", "quoted"):
            kind, text = tokens[at + 1]
            keys.append(text[1:-1].replace('""', '"') if kind == "quoted" else text)
            at += 2
        elif sign == "[" and [kind for kind, _ in tokens[at + 1 : at + 3]] == ["text", "sign"]:
            keys.append(re.sub(r"''|\\(.)", lambda found: found[1] or "'", tokens[at + 1][1][1:-1]))
            at += 3
        else:
            return None
    return tuple(keys)


def _is_word(token: tuple[str, str], word: str) -> bool:
    return token[0] == "word" and token[1].upper() == word


class _Definition:
    """COPY INTO name [(columns)] FROM …"""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._at = 0

    def read(self) -> PipeDefinition:
        """Raises UnreadableSelect and InvalidIdentifier."""
        self._expect("COPY")
        self._expect("INTO")
        table = self._name()
        columns = self._columns() if not self._is("FROM") else ()
        self._expect("FROM")
        if self._at < len(self._tokens) and self._tokens[self._at] == ("sign", "("):
            return self._transformed(table, columns)
        return PipeDefinition(table, columns, is_streaming=_is_streamed(self._tokens[self._at :]))

    def _name(self) -> tuple[str, ...]:
        parts = [self._part()]
        while self._at < len(self._tokens) and self._tokens[self._at] == ("sign", "."):
            self._at += 1
            parts.append(self._part())
        return tuple(parts)

    def _part(self) -> str:
        if self._at >= len(self._tokens) or self._tokens[self._at][0] not in ("word", "quoted"):
            raise UnreadableSelect("a name is missing")
        self._at += 1
        return stored_name(self._tokens[self._at - 1][1])

    def _transformed(self, table: tuple[str, ...], columns: tuple[str, ...]) -> PipeDefinition:
        inside = self._parenthesised()
        if not inside or not _is_word(inside[0], "SELECT"):
            raise UnreadableSelect("no SELECT")
        depth = 0
        for index, token in enumerate(inside):
            depth += (token in (("sign", "("), ("sign", "["))) - (token in (("sign", ")"), ("sign", "]")))
            if depth == 0 and _is_word(token, "FROM"):
                found = tuple(map(_expression, _listed(inside[1:index])))
                return PipeDefinition(
                    table,
                    columns,
                    found,
                    is_streaming=_is_streamed(inside[index:]),
                    beyond=_beyond(inside[index + 1 :]),
                )
        raise UnreadableSelect("a SELECT from nothing")

    def _columns(self) -> tuple[str, ...]:
        named = [text for kind, text in self._parenthesised() if kind != "sign"]
        return tuple(map(stored_name, named))

    def _parenthesised(self) -> Tokens:
        start, depth = self._at + 1, 0
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            depth += (token == ("sign", "(")) - (token == ("sign", ")"))
            self._at += 1
            if depth == 0:
                return self._tokens[start : self._at - 1]
        raise UnreadableSelect("a ( is not closed")

    def _is(self, word: str) -> bool:
        return self._at < len(self._tokens) and _is_word(self._tokens[self._at], word)

    def _expect(self, word: str) -> None:
        if not self._is(word):
            raise UnreadableSelect(f"{word} is missing")
        self._at += 1


def _beyond(tokens: Tokens) -> str:
    """The clauses behind the source and its alias (docs.snowflake.com, LIMITEDACCESS/streaming-transformations/reference; "The
    PIPE object": "Filter rows", 2026-11-28)."""
    if tokens and tokens[0] == ("sign", "("):
        return " ".join(text for _, text in tokens)  # a derived table, which may flatten
    depth, rest = 0, tokens
    for index, token in enumerate(tokens):
        depth += (token == ("sign", "(")) - (token == ("sign", ")"))
        if depth == 0 and token == ("sign", ")"):
            rest = tokens[index + 1 :]
            break
    else:
        rest = []  # a stage
    if rest and _is_word(rest[0], "AS"):
        rest = rest[1:]
    if rest and rest[0][0] in ("word", "quoted") and rest[0][1].upper() not in BEHIND_A_SOURCE:
        rest = rest[1:]
    return " ".join(text for _, text in rest)


def _is_streamed(tokens: Tokens) -> bool:
    """TABLE(DATA_SOURCE(TYPE => 'STREAMING'))"""
    texts = [text.upper() for _, text in tokens]
    return "DATA_SOURCE" in texts and "'STREAMING'" in texts
