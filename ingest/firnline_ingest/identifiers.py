"""Names in Snowflake: what a person writes, what is stored, and the names that follow from a stream's.

"Stored" is the name as the catalog keeps it (ORDERS, or My Orders); "written" is how SQL, the SDK and a configuration
spell it (orders, or "My Orders"). Everything here is a function of its arguments: a channel or a table that was named
once is found again.
"""

import re
import zlib
from functools import lru_cache

from firnline_ingest.errors import Fatal, SnowflakeError, declared

MAX_CHARACTERS = 255  # docs.snowflake.com/en/sql-reference/identifiers-syntax
DEFAULT_PIPE_SUFFIX = "-STREAMING"
DEAD_LETTERS_SUFFIX = "_DEAD_LETTERS"
CHANNEL_SEPARATOR = "~"  # in no part of a channel's name, and the same inside a URL

_UNQUOTED = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_STORED_PLAIN = re.compile(r"[A-Z_][A-Z0-9_$]*")
_QUOTED = re.compile(r'"((?:[^"]|"")+)"')
_SHOWN_PART = r'"((?:[^"]|"")*)"|([^."]+)'


@declared
class InvalidIdentifier(SnowflakeError, Fatal, ValueError):
    """A name that Snowflake would not take. A ValueError as well, so that a document's model can collect it."""

    text: str
    why: str

    id = "FL-3120"
    message = "{text!r} is not a valid Snowflake identifier: {why}."
    next_step = (
        "write letters, digits, _ and $, beginning with a letter or _ (stored in upper case), or put the "
        'name between double quotes to keep it as it is: "My Orders".'
    )
    causes = "A name that needs quotes, or has too many characters"
    remedy = "quote it"


@lru_cache(maxsize=4096)
def stored_name(written: str) -> str:
    """The name that is stored for an identifier: quoted as it is, unquoted in upper case. Raises InvalidIdentifier."""
    if quoted_name := _QUOTED.fullmatch(written):
        name = quoted_name[1].replace('""', '"')
    elif _UNQUOTED.fullmatch(written):
        name = written.upper()
    else:
        raise InvalidIdentifier(written, _what_is_wrong(written))
    if len(name) > MAX_CHARACTERS:
        raise InvalidIdentifier(written, f"it has {len(name)} characters, {MAX_CHARACTERS} are allowed")
    if "\0" in name:
        raise InvalidIdentifier(written, "it holds a NUL")
    return name


def quoted(name: str) -> str:
    """A stored name for SQL, whatever it is made of."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    """A text for SQL, between single quotes; a backslash is an escape there too."""
    escaped = text.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def like_pattern(name: str) -> str:
    """The literal for SHOW ... LIKE that matches exactly a stored name, but for its case.

    LIKE has a backslash for its own escapes, and that backslash is written twice inside a literal.
    """
    return text_literal(name.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%"))


@lru_cache(maxsize=4096)
def written_name(name: str) -> str:
    """The plainest way to write a stored name: stored_name(written_name(name)) == name."""
    return name if _STORED_PLAIN.fullmatch(name) else quoted(name)


def shown_parts(name: str) -> tuple[str, ...]:
    """The stored names in a name as SHOW writes it: LAKE."my.schema".ORDERS. SHOW quotes a part only where it has to, and leaves
    a part without quotes as it is stored.
    """
    found = re.findall(_SHOWN_PART, name)
    return tuple(quoted_part.replace('""', '"') if quoted_part else plain for quoted_part, plain in found)


def table_name(stream: str) -> str:
    """The stored name of a stream's table: the Kafka connector's rule for a topic's.

    A valid identifier is upper-cased. In any other name each character that can't stand becomes _, and a hash of the
    whole is put behind it, so that a.b and a-b have tables of their own.
    """
    if _UNQUOTED.fullmatch(stream):
        return stream.upper()
    plain = stream.replace(".*", "")
    start = "" if re.match(r"[A-Za-z_]", plain) else "_"
    body = re.sub(r"[^A-Za-z0-9_$]", "_", plain)
    return f"{start}{body}_{_java_hash(stream)}".upper()


def default_pipe(table: str) -> str:
    """The pipe that Snowflake itself makes for a table (its stored name), as the SDK and SQL write it."""
    pipe = table + DEFAULT_PIPE_SUFFIX
    return pipe if _STORED_PLAIN.fullmatch(table) else quoted(pipe)


def dead_letters_name(table: str) -> str:
    """The stored name of the stage and the pipe that load files of dead letters into a table. A pipe with the table's own
    name would take over its streamed rows."""
    return f"{table}{DEAD_LETTERS_SUFFIX}"


def channel_name(application: str, stream: str, stream_created_ms: int, shard_id: str) -> str:
    """One name per application and shard of one incarnation of a stream.

    In upper case: the service opens a channel whatever the case, and tells a channel's status by its exact name.
    """
    return CHANNEL_SEPARATOR.join((application, stream, str(stream_created_ms), shard_id)).upper()


def routed_channel(channel: str, table: str) -> str:
    """The shard's channel into a table (its stored name) that its pipeline's routes name, beside the one into its own."""
    plain = table if _STORED_PLAIN.fullmatch(table) else f"{zlib.crc32(table.encode()):08X}"
    return channel + CHANNEL_SEPARATOR + plain


def _java_hash(text: str) -> int:
    """The absolute value of Java's 32-bit string hash, over UTF-16 units. Java's own abs leaves -2**31 negative."""
    value = 0
    units = text.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) & 0xFFFFFFFF
    return 2**32 - value if value >= 2**31 else value


def _what_is_wrong(written: str) -> str:
    if not written:
        return "it is empty"
    if written == '""':
        return "there is nothing between its quotes"
    if '"' in written:
        return "its double quotes don't pair (one inside a name is written twice)"
    if "." in written:
        return "it has a dot, and one name is wanted (database and schema have fields of their own)"
    return "it has characters that have to stand between double quotes"
