"""CREATE TABLE as Flink SQL writes it: names, columns and options, as far as a source table has them.

https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/table/sql/create/

No parser of others reads the example of the connector's own page: sqlglot has no dialect of Flink, and sqlfluff's (4.5) refuses
`VARCHAR(128) NOT NULL METADATA VIRTUAL`. On all else the tests hold this reader against sqlfluff's grammar.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

CREATE_TABLE = re.compile(
    r"\bCREATE\s+(?:TEMPORARY\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>(?:`[^`]+`|[\w.])+)\s*\(", re.IGNORECASE
)
WITH = re.compile(r"\bWITH\s*\(", re.IGNORECASE)
PARTITIONED = re.compile(r"\bPARTITIONED\s+BY\s*\(", re.IGNORECASE)
OPTION = re.compile(r"'((?:[^']|'')*)'\s*=\s*'((?:[^']|'')*)'", re.DOTALL)
COLUMN = re.compile(r"(`[^`]+`|\w+)\s+(.+)", re.DOTALL)
METADATA = re.compile(r"\bMETADATA\b(?:\s+FROM\s+'([^']+)')?", re.IGNORECASE)
NOT_A_COLUMN = re.compile(r"\s*(WATERMARK\s+FOR|PRIMARY\s+KEY|CONSTRAINT|UNIQUE|LIKE)\b", re.IGNORECASE)
COMMENT = re.compile(r"'(?:[^']|'')*'|`[^`]*`|(--[^\n]*|/\*.*?\*/)", re.DOTALL)
NOT_NULL = re.compile(r"\s+NOT\s+NULL\b", re.IGNORECASE)
BEHIND_A_TYPE = re.compile(
    r"\s+(NOT\s+NULL|NULL|COMMENT|PRIMARY\s+KEY|METADATA|VIRTUAL)\b.*", re.IGNORECASE | re.DOTALL
)
COMPUTED = re.compile(r"AS\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FlinkColumn:
    name: str
    type: str
    """As it is written; empty of a computed column."""
    is_nullable: bool = True
    metadata: str | None = None
    """The key of the connector's metadata that it has."""
    computed: str | None = None


@dataclass(frozen=True, slots=True)
class FlinkTable:
    name: str
    columns: tuple[FlinkColumn, ...]
    options: dict[str, str]
    clauses: tuple[str, ...]
    """What is neither: watermarks, keys, partitions."""


def creates_a_table(text: str) -> bool:
    """Returns whether a statement does; a comment is none."""
    return CREATE_TABLE.search(_without_comments(text)) is not None


def tables(text: str) -> Iterator[FlinkTable]:
    """Raises ValueError for a bracket that is not closed."""
    plain = _without_comments(text)
    starts = list(CREATE_TABLE.finditer(plain))
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        statement = plain[start.start() : following.start() if following else len(plain)]
        body, rest = _bracketed(statement, start.end() - start.start() - 1)
        columns, clauses = _columns(body)
        partitions = PARTITIONED.search(rest)
        if partitions is not None:
            clauses.append(f"PARTITIONED BY ({_bracketed(rest, partitions.end() - 1)[0].strip()})")
        found = WITH.search(rest)
        options = _bracketed(rest, found.end() - 1)[0] if found else ""
        given = {name.replace("''", "'"): value.replace("''", "'") for name, value in OPTION.findall(options)}
        yield FlinkTable(start["name"].replace("`", ""), tuple(columns), given, tuple(clauses))


def _without_comments(text: str) -> str:
    return COMMENT.sub(lambda found: " " if found[1] else found[0], text)


def _columns(body: str) -> tuple[list[FlinkColumn], list[str]]:
    columns: list[FlinkColumn] = []
    clauses: list[str] = []
    for part in map(str.strip, _split(body)):
        found = COLUMN.fullmatch(part)
        if NOT_A_COLUMN.match(part) or found is None:
            clauses += [" ".join(part.split())] if part else []
            continue
        name, rest = found[1].strip("`"), found[2].strip()
        if COMPUTED.match(rest):
            columns.append(FlinkColumn(name, "", computed=" ".join(rest.split())))
            continue
        of_metadata = METADATA.search(rest)
        key = None if of_metadata is None else of_metadata[1] or name
        columns.append(FlinkColumn(name, BEHIND_A_TYPE.sub("", rest).strip(), NOT_NULL.search(rest) is None, key))
    return columns, clauses


def _split(text: str) -> Iterator[str]:
    """At commas outside of brackets and quotes."""
    depth, begin, quote = 0, 0, ""
    for at, each in enumerate(text):
        if quote:
            quote = "" if each == quote else quote
        elif each in "'`":
            quote = each
        elif each in "(<":
            depth += 1
        elif each in ")>":
            depth -= 1
        elif each == "," and depth == 0:
            yield text[begin:at]
            begin = at + 1
    yield text[begin:]


def _bracketed(text: str, begin: int) -> tuple[str, str]:
    """Returns what stands between the bracket at `begin` and the one that closes it, and what follows."""
    depth, quote = 0, ""
    for at in range(begin, len(text)):
        each = text[at]
        if quote:
            quote = "" if each == quote else quote
        elif each in "'`":
            quote = each
        elif each == "(":
            depth += 1
        elif each == ")":
            depth -= 1
            if depth == 0:
                return text[begin + 1 : at], text[at + 1 :]
    raise ValueError("a bracket is not closed")
