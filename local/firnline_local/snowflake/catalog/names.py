"""Names as Snowflake reads them: unquoted text is upper-cased, quoted text keeps its case, "" in quotes is one quote.

Inside the catalog a name is always the stored one (no quotes); text is read here on its way in and written here on its
way out (docs.snowflake.com, `sql-reference/identifiers-syntax`).
"""

import re

from firnline_local.snowflake.catalog.errors import InvalidIdentifier

UNQUOTED = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
PLAIN = re.compile(r"[A-Z_][A-Z0-9_$]*")
PART = re.compile(r'"((?:[^"]|"")+)"|([^".\s]+)')


def read_identifier(text: str) -> str:
    """The stored name of one identifier. Raises InvalidIdentifier."""
    names = read_name(text)
    if len(names) != 1:
        raise InvalidIdentifier(text)
    return names[0]


def read_name(text: str) -> tuple[str, ...]:
    """The stored names of a dotted name, outermost first. Raises InvalidIdentifier."""
    names: list[str] = []
    position = 0
    while match := PART.match(text, position):
        names.append(_stored(match, text))
        if match.end() == len(text):
            return tuple(names)
        if text[match.end()] != ".":
            break
        position = match.end() + 1
    raise InvalidIdentifier(text)


def read_path_segment(text: str) -> str:
    """The stored name that a REST path stands for: case counts only inside quotes, and any character may be in it."""
    if len(text) > 2 and text.startswith('"') and text.endswith('"'):
        return text[1:-1].replace('""', '"')
    return text.upper()


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def display(*names: str) -> str:
    """A dotted name as Snowflake's messages write it: quoted only where it has to be."""
    return ".".join(name if PLAIN.fullmatch(name) else quote(name) for name in names)


def _stored(match: re.Match[str], text: str) -> str:
    if match[1] is not None:
        return match[1].replace('""', '"')
    if not UNQUOTED.fullmatch(match[2]):
        raise InvalidIdentifier(text)
    return match[2].upper()
