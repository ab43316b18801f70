"""CREATE PIPE for streaming, into a table that the role can write: by column name, or with a SELECT of paths."""

from dataclasses import dataclass

from firnline_local.snowflake.catalog import Pipe, Table, kinds
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.pipes import PipeColumn
from firnline_local.snowflake.sql.properties import listed
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.settings import apply_settings, read_settings
from firnline_local.snowflake.sql.statements.creation import Modifiers, created, kept, place
from firnline_local.snowflake.sql.statements.transformation import read_transformation
from firnline_local.snowflake.sql.words import Words

CASE_MODES = ("CASE_INSENSITIVE", "CASE_SENSITIVE")
STREAMING_SOURCE = "TABLE ( DATA_SOURCE ( TYPE =>"


def create_pipe(context: Context, words: Words, modifiers: Modifiers) -> Result:
    where = place(context, words, kinds.PIPE, modifiers)
    settings = read_settings(words, kinds.PIPE, stops=("AS",))
    words.expect("AS")
    definition = words.rest()
    copy = _read_copy(context, Words(definition))
    if where.kept:
        return kept(where)
    for privilege in ("SELECT", "INSERT"):
        context.require(privilege, copy.table)
    pipe = where.create(
        context,
        Pipe,
        table=copy.table,
        definition=definition,
        match_by_column_name=copy.mode,
        transformation=copy.transformation,
    )
    apply_settings(pipe, settings)
    return created(kinds.PIPE, where)


@dataclass(frozen=True)
class Copy:
    """What COPY INTO says."""

    table: Table
    mode: str = ""
    """How keys are matched with column names."""
    transformation: tuple[PipeColumn, ...] = ()


def _read_copy(context: Context, words: Words) -> Copy:
    words.expect("COPY INTO")
    table = context.readable_table(words.name(), privilege="INSERT")
    targets = listed(words, Words.identifier) if words.starts("(") else []
    words.expect("FROM")
    if words.starts("@"):
        raise NotKnown("a pipe from a stage: only TABLE(DATA_SOURCE(TYPE => 'STREAMING'))")
    transformation = read_transformation(words.parenthesised(), table, targets) if words.starts("(") else ()
    if targets and not transformation:
        raise CompilationFault("A column list needs a SELECT: without one, columns are matched by name.")
    if not transformation:
        _read_source(words)
    return Copy(table, _read_options(words, is_transformed=bool(transformation)), transformation)


def _read_source(words: Words) -> None:
    words.expect(STREAMING_SOURCE)
    source = words.string()
    if source.upper() != "STREAMING":
        raise NotKnown(f"the data source {source}")
    words.expect(") )")


def _read_options(words: Words, *, is_transformed: bool) -> str:
    mode = ""
    while not words.at_end:
        option = words.word()
        words.expect("=")
        value = words.word()
        if option == "MATCH_BY_COLUMN_NAME" and value in CASE_MODES:
            mode = value
        elif option != "CLUSTER_AT_INGEST_TIME":
            raise NotKnown(f"{option} = {value} in a streaming pipe")
    if mode and is_transformed:
        raise CompilationFault("MATCH_BY_COLUMN_NAME is not supported with copy transform.")
    if not mode and not is_transformed:
        raise CompilationFault("A streaming pipe needs MATCH_BY_COLUMN_NAME or a transformation.")
    return mode
