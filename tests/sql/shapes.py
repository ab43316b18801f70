"""Shapes of statements: what a grammar could tell apart stays, and names, literals and how many there are go.

A shape is a key, not SQL. The words of the dialect stand in it as they are; every name is n, every literal is x or 0.
"""

import re
from functools import cache

from sqlfluff.core.dialects import dialect_selector

TOKEN = re.compile(
    r"""
    (?P<skip>   \s+ | --[^\n]* | /\*.*?\*/ )
  | (?P<string> '(?:[^'\\]|''|\\.)*' | \$\$.*?\$\$ )
  | (?P<quoted> "(?:[^"]|"")*" )
  | (?P<number> \d+(?:\.\d*)?(?:[eE][+-]?\d+)? | \.\d+ )
  | (?P<stage>  (?<=\s)@[^\s;)]+ | file://[^\s']+ )
  | (?P<word>   [A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)* )
  | (?P<symbol> => | :: | \|\| | <= | >= | <> | != | . )
    """,
    re.VERBOSE | re.DOTALL,
)
PLACES = ("file:///", "@")
"""How the literals of PUT, LIST and REMOVE begin, which grammars read."""
ENUMERATED = re.compile("'[A-Z_-]+'")
"""What an option may be, as in WAREHOUSE_SIZE = 'XSMALL': a grammar lists them."""
SAME_AGAIN = re.compile(r"(?P<item>(?:[^,()]|\([^()]*\))+) , (?P=item)(?= [,)]| FROM| TO| ON|$)")


@cache
def words_of(dialect: str) -> frozenset[str]:
    known = dialect_selector(dialect)
    return frozenset(word.upper() for kind in ("reserved_keywords", "unreserved_keywords") for word in known.sets(kind))


def shape(dialect: str, sql: str) -> str:
    """A word right before a parenthesis is a function's, and stays; its database and schema do not."""
    plain = sql.strip().rstrip(";")
    parts = [
        _part(dialect, match.lastgroup, match[0], called=plain.startswith("(", match.end()))
        for match in TOKEN.finditer(plain)
        if match.lastgroup and match.lastgroup != "skip"
    ]
    text = re.sub(r"n(?: \. n)+", "n", " ".join(parts))
    while (shorter := SAME_AGAIN.sub(r"\g<item>", text)) != text:
        text = shorter
    return text


def _part(dialect: str, kind: str, text: str, *, called: bool) -> str:
    match kind:
        case "string":
            return "x"
        case "number":
            return "0"
        case "quoted":
            return "n"
        case "word" if called:
            return text.rpartition(".")[2].upper()
        case "word" if text.upper() in words_of(dialect):
            return text.upper()
        case "word":
            return "n"
        case "stage":
            return "@n"
    return text


def without_literals(sql: str) -> str:
    """The statement on one line, with its words and names, and nothing of what somebody's data or keys are."""
    return TOKEN.sub(_plain, sql.strip().rstrip(";"))


def _plain(match: re.Match[str]) -> str:
    match match.lastgroup:
        case "skip":
            return " "
        case "string":
            if ENUMERATED.fullmatch(match[0]) and match.string[: match.start()].rstrip().endswith("="):
                return match[0]
            return next((f"'{kept}x'" for kept in PLACES if match[0].startswith(f"'{kept}")), "'x'")
        case "number":
            return "1"
    return match[0]
