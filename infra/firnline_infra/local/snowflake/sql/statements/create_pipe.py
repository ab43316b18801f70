"""CREATE PIPE for streaming: by column name, into a table that the role can write.

A transformation (COPY INTO … FROM (SELECT $1:…)) is refused: nothing here computes one, and rows that went in
untransformed would be wrong in silence.
"""

from firnline_infra.local.snowflake.catalog import Pipe, Table, kinds
from firnline_infra.local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_infra.local.snowflake.sql.result import Result
from firnline_infra.local.snowflake.sql.scope import Context
from firnline_infra.local.snowflake.sql.settings import apply_settings, read_settings
from firnline_infra.local.snowflake.sql.statements.creation import Modifiers, created, kept, place
from firnline_infra.local.snowflake.sql.words import Words

CASE_MODES = ("CASE_INSENSITIVE", "CASE_SENSITIVE")
STREAMING_SOURCE = "TABLE ( DATA_SOURCE ( TYPE =>"


def create_pipe(context: Context, words: Words, modifiers: Modifiers) -> Result:
    where = place(context, words, kinds.PIPE, modifiers)
    settings = read_settings(words, kinds.PIPE, stops=("AS",))
    words.expect("AS")
    definition = words.rest()
    table, mode = _read_copy(context, Words(definition))
    if where.kept:
        return kept(where)
    for privilege in ("SELECT", "INSERT"):
        context.require(privilege, table)
    pipe = where.create(context, Pipe, table=table, definition=definition, match_by_column_name=mode)
    apply_settings(pipe, settings)
    return created(kinds.PIPE, where)


def _read_copy(context: Context, words: Words) -> tuple[Table, str]:
    """The table, and how field names are matched with column names."""
    words.expect("COPY INTO")
    table = context.readable_table(words.name(), privilege="INSERT")
    if words.starts("("):
        raise NotKnown("a pipe with a transformation: columns are matched by name only")
    words.expect("FROM")
    if words.starts("(") or words.starts("@"):
        raise NotKnown("a pipe with a transformation or from a stage: only TABLE(DATA_SOURCE(TYPE => 'STREAMING'))")
    words.expect(STREAMING_SOURCE)
    source = words.string()
    if source.upper() != "STREAMING":
        raise NotKnown(f"the data source {source}")
    words.expect(") )")
    mode = ""
    while not words.at_end:
        option = words.word()
        words.expect("=")
        value = words.word()
        if option == "MATCH_BY_COLUMN_NAME" and value in CASE_MODES:
            mode = value
        elif option != "CLUSTER_AT_INGEST_TIME":
            raise NotKnown(f"{option} = {value} in a streaming pipe")
    if not mode:
        raise CompilationFault("A streaming pipe needs MATCH_BY_COLUMN_NAME or a transformation.")
    return table, mode
