"""What the columns of a result are called where the query doesn't say: after the expression, as it was written.

`SELECT COUNT(*), a + 1 FROM t` has the columns COUNT(*) and A + 1.
"""

from itertools import zip_longest

from firnline_local.snowflake.sql.lexer import Token, TokenKind, tokenize

ENDS = frozenset(
    {"FROM", "WHERE", "HAVING", "QUALIFY", "LIMIT", "OFFSET", "FETCH", "UNION", "EXCEPT", "MINUS", "INTERSECT", ";"}
)
ENDS_BEFORE_BY = frozenset({"GROUP", "ORDER"})  # WITHIN GROUP ends nothing
DEPTHS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def written_columns(sql: str) -> list[str]:
    """The text of each column of the outermost SELECT, upper-cased outside of quotes."""
    tokens = tokenize(sql)
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
    return [_text(sql, column) for column in columns]


def _outer_select(tokens: list[Token]) -> int:
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
