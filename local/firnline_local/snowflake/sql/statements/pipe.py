"""CREATE PIPE, into a table that the role can write: for streaming, by column name or with a SELECT, or from a stage.

The SELECT has a path into the row for each column, `$1:a.b::VARCHAR`, or the row itself, `$1`. Snowflake can compute more, and
load more than JSON by column name from a stage; here anything else is refused, because rows that went in otherwise would be
wrong in silence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from firnline_local.snowflake.catalog import Column, DataType, Pipe, Table, kinds
from firnline_local.snowflake.catalog.errors import CompilationFault, InvalidIdentifier, NotKnown
from firnline_local.snowflake.catalog.storage import FileSource
from firnline_local.snowflake.catalog.tables import PipeColumn
from firnline_local.snowflake.sql.properties import apply_settings, read_settings, word
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statement import TokenKind, parse
from firnline_local.snowflake.sql.statements.create import Modifiers, read_new_object
from firnline_local.snowflake.sql.statements.storage import read_location
from firnline_local.snowflake.sql.token_reader import TokenReader

CASE_MODES = ("CASE_INSENSITIVE", "CASE_SENSITIVE")


def read_file_source(context: Context, reader: TokenReader, table: Table) -> tuple[FileSource, str]:
    """The source of files, and the case mode."""
    stage, path = read_location(context, reader, "READ")
    given = reader.options(FILE_OPTIONS, of="a pipe from a stage")
    mode = given.get("MATCH_BY_COLUMN_NAME", "")
    if "FILE_FORMAT" not in given or mode not in CASE_MODES:
        raise NotKnown("a pipe from a stage but with FILE_FORMAT = (TYPE = JSON …) and MATCH_BY_COLUMN_NAME")
    if (on_error := given.get("ON_ERROR", "SKIP_FILE")) != "SKIP_FILE":
        raise NotKnown(f"ON_ERROR = {on_error} in a pipe from a stage")
    binary = given["FILE_FORMAT"]
    if binary != "BASE64" and any(column.type.family == "BINARY" for column in table.columns):
        raise NotKnown(f"BINARY_FORMAT = {binary} for a table with BINARY columns: only BASE64")
    folder = f"{path.rstrip('/')}/" if path else ""
    return FileSource(stage=stage, path=folder), mode


def _binary_format(reader: TokenReader) -> str:
    """BINARY_FORMAT of `(TYPE = JSON BINARY_FORMAT = BASE64)`"""
    given = reader.enclosed_options({"TYPE": word, "BINARY_FORMAT": word}, of="JSON files")
    if given.get("TYPE") != "JSON":
        raise NotKnown("a pipe from files that are not JSON")
    return str(given.get("BINARY_FORMAT", "HEX"))


FILE_OPTIONS = {"FILE_FORMAT": _binary_format, "MATCH_BY_COLUMN_NAME": word, "ON_ERROR": word}
STREAMING_OPTIONS = {"MATCH_BY_COLUMN_NAME": word, "CLUSTER_AT_INGEST_TIME": word}
STREAMING_SOURCE = "TABLE ( DATA_SOURCE ( TYPE =>"
SOURCE, STREAMING = "DATA_SOURCE", "STREAMING"


def create_pipe(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    new = read_new_object(context, reader, kinds.PIPE, modifiers)
    settings = read_settings(reader, kinds.PIPE, stops=("AS",))
    reader.expect("AS")
    definition = reader.rest
    copy = _read_copy(context, reader)
    if new.exists:
        return new.exists_status()
    for privilege in ("SELECT", "INSERT"):
        context.require(privilege, copy.table)
    pipe = new.create(
        context,
        Pipe,
        table=copy.table,
        definition=definition,
        match_by_column_name=copy.mode,
        transformation=copy.transformation,
        source=copy.source,
    )
    apply_settings(pipe, settings)
    return new.created_status()


@dataclass(frozen=True)
class Copy:
    """The contents of COPY INTO."""

    table: Table
    mode: str = ""
    """How keys are matched with column names."""
    transformation: tuple[PipeColumn, ...] = ()
    source: FileSource | None = None


def _read_copy(context: Context, reader: TokenReader) -> Copy:
    reader.expect("COPY INTO")
    table = context.readable_table(reader.name(), privilege="INSERT")
    targets = reader.listed(TokenReader.identifier, may_be_empty=True) if reader.starts("(") else []
    reader.expect("FROM")
    if reader.starts("@") or (reader.next is not None and reader.next.kind is TokenKind.STRING):
        if targets:
            raise NotKnown("a column list in a pipe from a stage")
        source, mode = read_file_source(context, reader, table)
        return Copy(table, mode, source=source)
    transformation = read_transformation(reader.parenthesised(), table, targets) if reader.starts("(") else ()
    if targets and not transformation:
        raise CompilationFault("A column list needs a SELECT: without one, columns are matched by name.")
    if not transformation:
        _read_source(reader)
    return Copy(table, _read_options(reader, is_transformed=bool(transformation)), transformation)


def _read_source(reader: TokenReader) -> None:
    reader.expect(STREAMING_SOURCE)
    source = reader.string()
    if source.upper() != "STREAMING":
        raise NotKnown(f"the data source {source}")
    reader.expect(") )")


def _read_options(reader: TokenReader, *, is_transformed: bool) -> str:
    mode = reader.options(STREAMING_OPTIONS, of="a streaming pipe").get("MATCH_BY_COLUMN_NAME")
    if mode is not None and mode not in CASE_MODES:
        raise NotKnown(f"MATCH_BY_COLUMN_NAME = {mode} in a streaming pipe")
    if mode and is_transformed:
        raise CompilationFault("MATCH_BY_COLUMN_NAME is not supported with copy transform.")
    if not mode and not is_transformed:
        raise CompilationFault("A streaming pipe needs MATCH_BY_COLUMN_NAME or a transformation.")
    return mode or ""


def read_transformation(select: str, table: Table, targets: Sequence[str]) -> tuple[PipeColumn, ...]:
    """`targets` are the columns behind COPY INTO; all of the table's, where none is named."""
    return selected(select, [_target_column(table, name) for name in targets] or list(table.columns))


def selected(select: str, columns: Sequence[Column]) -> tuple[PipeColumn, ...]:
    """Returns what a SELECT puts into which column, one expression each."""
    tree = parse(select)
    if not isinstance(tree, exp.Select) or not _is_streaming(tree):
        raise NotKnown("a pipe from anything but TABLE(DATA_SOURCE(TYPE => 'STREAMING'))")
    if others := [key for key, value in tree.args.items() if value and key not in ("expressions", "from_")]:
        raise NotKnown(f"a pipe's SELECT with {others[0].upper().rstrip('S')}, which Snowflake has in preview")
    if len(tree.expressions) != len(columns):
        raise CompilationFault(
            f"Insert value list does not match column list expecting {len(columns)} but got {len(tree.expressions)}"
        )
    return tuple(_mapped(column, each) for column, each in zip(columns, tree.expressions, strict=True))


def _mapped(column: Column, written: exp.Expr) -> PipeColumn:
    expression = written.this if isinstance(written, exp.Alias) else written
    if isinstance(expression, exp.Cast):
        wanted = DataType.parse(expression.to.sql("snowflake"))
        if wanted.family != column.type.family:
            raise NotKnown(f"a cast to {wanted} for the column {column.name}, which is {column.type}")
        expression = expression.this
    if isinstance(expression, exp.Concat) and column.type.family == "VARCHAR":
        return PipeColumn(column.name, (), tuple(map(_text_or_path, expression.expressions)))
    return PipeColumn(column.name, _path(expression))


def _text_or_path(part: exp.Expr) -> str | tuple[str, ...]:
    if isinstance(part, exp.Literal) and part.is_string:
        return part.name
    if isinstance(part, exp.Cast) and DataType.parse(part.to.sql("snowflake")).family == "VARCHAR":
        return _path(part.this)
    raise NotKnown(f"{part.sql('snowflake')[:60]} in CONCAT: only texts, and paths that are cast to VARCHAR")


def _path(expression: exp.Expr) -> tuple[str, ...]:
    if _is_row(expression):
        return ()
    if isinstance(expression, exp.Bracket) and len(expression.expressions) == 1:
        key = expression.expressions[0]
        if isinstance(key, exp.Literal) and key.is_string:
            return (*_path(expression.this), key.name)
    if isinstance(expression, exp.JSONExtract):
        steps = expression.expression.expressions[1:] if isinstance(expression.expression, exp.JSONPath) else []
        if steps and all(isinstance(step.this, str) for step in steps):  # a number is a place in an array
            return (*_path(expression.this), *(str(step.this) for step in steps))
    raise NotKnown(f"{expression.sql('snowflake')[:60]} in a pipe: only $1 and paths into it, with or without a cast")


def _is_row(expression: exp.Expr) -> bool:
    return isinstance(expression, exp.Parameter) and expression.this.name == "1"


def _is_streaming(tree: exp.Select) -> bool:
    source = tree.args["from_"].this if tree.args.get("from_") else None
    function = source.this if isinstance(source, exp.TableFromRows) else None
    if not isinstance(function, exp.Anonymous) or function.name.upper() != SOURCE:
        return False
    return [each.expression.name.upper() for each in function.expressions if isinstance(each, exp.Kwarg)] == [STREAMING]


def _target_column(table: Table, name: str) -> Column:
    found = table.column(name)
    if found is None:
        raise InvalidIdentifier(name)
    return found
