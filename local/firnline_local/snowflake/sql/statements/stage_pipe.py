"""What a pipe from a stage reads: `FROM @stage/path`, JSON, matched by column name.

Anything that would load other rows than are loaded here is refused by name.
"""

from firnline_local.snowflake.catalog import Table
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.stages import FileSource, OnError
from firnline_local.snowflake.sql.properties import boolean, word
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.stage import read_location
from firnline_local.snowflake.sql.token_reader import TokenReader

CASE_MODES = ("CASE_INSENSITIVE", "CASE_SENSITIVE")
FIXED = {
    "STRIP_OUTER_ARRAY": "false",
    "STRIP_NULL_VALUES": "false",
    "ALLOW_DUPLICATE": "false",
    "ENABLE_OCTAL": "false",
}
"""Options of JSON at the one value that is known."""


def read_file_source(context: Context, reader: TokenReader, table: Table) -> tuple[FileSource, str]:
    """With the case mode."""
    stage, path = read_location(context, reader, "READ")
    mode, on_error, is_json = "", OnError.SKIP_FILE, False
    while not reader.at_end:
        option = reader.word()
        reader.expect("=")
        match option:
            case "FILE_FORMAT":
                _read_format(reader, table)
                is_json = True
            case "MATCH_BY_COLUMN_NAME":
                mode = word(reader)
            case "ON_ERROR":
                on_error = _on_error(word(reader))
            case _:
                raise NotKnown(f"{option} in a pipe from a stage")
    if not is_json or mode not in CASE_MODES:
        raise NotKnown("a pipe from a stage but with FILE_FORMAT = (TYPE = JSON …) and MATCH_BY_COLUMN_NAME")
    folder = f"{path.rstrip('/')}/" if path else ""
    return FileSource(stage=stage, path=folder, on_error=on_error), mode


def _on_error(given: str) -> OnError:
    """`sql-reference/sql/create-pipe`: ABORT_STATEMENT is no option of a pipe."""
    if given == "ABORT_STATEMENT":
        raise CompilationFault("ON_ERROR = ABORT_STATEMENT is not supported in a pipe.")
    if given not in set(OnError):
        raise NotKnown(f"ON_ERROR = {given}")
    return OnError(given)


def _read_format(reader: TokenReader, table: Table) -> None:
    given: dict[str, str] = {}
    reader.expect("(")
    while not reader.accept(")"):
        key = reader.word()
        reader.expect("=")
        given[key] = boolean(reader) if key in FIXED else word(reader)
        reader.accept(",")
    if given.pop("TYPE", "") != "JSON":
        raise NotKnown("a pipe from files that are not JSON")
    if given.pop("COMPRESSION", "AUTO") not in ("AUTO", "GZIP"):
        raise NotKnown("a compression but AUTO and GZIP")
    binary = given.pop("BINARY_FORMAT", "HEX")
    if binary != "BASE64" and any(column.type.family == "BINARY" for column in table.columns):
        raise NotKnown(f"BINARY_FORMAT = {binary} for a table with BINARY columns: only BASE64")
    if others := [key for key, value in given.items() if FIXED.get(key) != value]:
        raise NotKnown(f"{others[0]} = {given[others[0]]} of JSON files")
