"""Errors of a table or a pipe: it is missing, it may not be written to, or it does not keep what it is sent."""

from collections.abc import Sequence
from typing import ClassVar

from firnline_ingest.errors import Fatal, Retryable, SnowflakeError, declared
from firnline_ingest.identifiers import quoted
from firnline_ingest.snowflake.grants import WantedPrivilege, grant_statements

SHOWN = 80
"""Letters of a statement that a message quotes."""


@declared
class ColumnsUndecided(SnowflakeError, Retryable):
    """A person has not said yet whether keys get a column; their records wait in the stream."""

    table: str
    keys: Sequence[str]

    id = "FL-3137"
    message = (
        "{keys:count} new keys wait for a column of {table} to be approved: {named}. Their records, and those behind them in "
        "their shards, are not read on; nothing is lost while the stream keeps them."
    )
    next_step = (
        "firnline columns ENV (or --config engine.json) lists them; with --approve the engine adds them, with "
        "--decline KEY their values are not kept. The engine goes on by itself."
    )
    causes = (
        "A pipeline with `adds_columns: approved` has records with keys that have no column and that are not decided "
        "about yet. The records wait in the stream"
    )
    remedy = "`firnline columns ENV` lists them; `--approve` adds them, `--decline KEY` lets the records go on without"

    @property
    def named(self) -> str:
        return ", ".join(self.keys[:5]) + (f" and {len(self.keys) - 5} more" if len(self.keys) > 5 else "")


class _Unseen:
    """Words for what an engine's role does not see: it is not there, or the role lacks each privilege on it."""

    role: str
    missing: Sequence[WantedPrivilege]
    needed: ClassVar[str]
    """The privileges that it takes, where it is not known which are missing."""

    @property
    def lack(self) -> str:
        return f": it lacks {', '.join(map(str, self.missing))}" if self.missing else ""

    @property
    def grant(self) -> str:
        return f"where it exists: {grant_statements(self.missing, self.role) or f'grant the role {self.needed}.'}"


@declared
class TableMissing(_Unseen, SnowflakeError, Fatal):
    table: str
    role: str
    missing: Sequence[WantedPrivilege] = ()

    id = "FL-3006"
    message = "The table {table} does not exist, or role {role} sees nothing of it{lack}."
    next_step = (
        "{grant} Where it was dropped: UNDROP TABLE {table}, before anything makes another one, which would begin empty. If "
        "there never was one: create it."
    )
    causes = "No such table, or no privilege at all on it"
    remedy = "UNDROP TABLE, grant, or make it"
    needed = "INSERT on it, and USAGE on its database and schema"


@declared
class TableRenamed(SnowflakeError, Fatal):
    """The table that the engine wrote to is there, under another name."""

    table: str
    now: str

    id = "FL-3261"
    message = "The table {table} was renamed while the engine ran: it is {now} now."
    next_step = (
        "nothing more is written, and nothing is lost. ALTER TABLE {now} RENAME TO {table}; and the engine goes on by "
        "itself. To keep the new name, name it in the specification (`table`), deploy, and read the runbook: its "
        "channels are others."
    )
    causes = "The table was renamed while the engine ran; the message has its new name"
    remedy = (
        "rename it back, and it goes on by itself; or name the new one in the specification, deploy, and `firnline "
        "resume --from proven`"
    )


@declared
class PipeMissing(_Unseen, SnowflakeError, Fatal):
    pipe: str
    role: str
    missing: Sequence[WantedPrivilege] = ()

    id = "FL-3007"
    message = "The pipe {pipe} does not exist, or role {role} sees nothing of it{lack}."
    next_step = "{grant} If there is none: create it, or leave `pipe` out to use the table's default pipe."
    causes = "The named pipe is not there, or not visible"
    remedy = "make it, grant OPERATE, or leave `pipe` out"
    needed = "OPERATE on it"


@declared
class PositionLost(SnowflakeError, Fatal):
    """A pipe's SELECT leaves out what says which record a row is."""

    pipe: str
    lost: Sequence[str]

    id = "FL-3301"
    message = (
        "The SELECT of the pipe {pipe} does not put {wanted} into the column of that name, so that no row says which record "
        "it is, and nothing can prove that all are there."
    )
    next_step = (
        "create the pipe again with {wanted} at the place of that column (keys behind $1 keep their case; COPY goes by the "
        "order of expressions, not by aliases); or set audit: false, if that is meant."
    )
    causes = (
        "A pipe of one's own selects, and leaves out the column of the metadata or fills it with something else: keys "
        "behind `$1` keep their case, and COPY goes by the order of expressions. Nothing was written"
    )
    remedy = (
        "create the pipe again with what the message names ([a pipe that selects](targets.md#a-pipe-of-your-own)); or "
        "`audit: false`"
    )

    @property
    def wanted(self) -> str:
        return ", ".join(f"$1:{quoted(name)}" for name in self.lost)


@declared
class PipeFilters(SnowflakeError, Fatal):
    """A pipe's SELECT keeps not one row of each record."""

    pipe: str
    beyond: str
    rows: str

    id = "FL-3305"
    message = (
        "The SELECT of the pipe {pipe} goes on behind its source: {shown}. Snowflake drops records by that without a word, "
        "or makes several rows of one, so that nothing can prove that all are there."
    )
    next_step = (
        "if that is meant, set rows: {rows} of the specification's pipe (pipe_rows: {rows} in engine.json); the "
        "audit then says which records it can't prove. Or create the pipe again without it, and filter by routes or "
        "transforms, which count what they drop; or set audit: false."
    )
    causes = (
        "A pipe of one's own has WHERE, a join or FLATTEN behind its source: Snowflake drops records by it without a word, or "
        "makes several rows of one. Nothing was written"
    )
    remedy = (
        "declare it by `rows` of the pipe; or create it again without, and filter by `routes` or `transforms`, which "
        "count what they drop; or `audit: false` ([a pipe that selects](targets.md#a-pipe-of-your-own))"
    )

    @property
    def shown(self) -> str:
        return self.beyond if len(self.beyond) <= SHOWN else f"{self.beyond[:SHOWN]} …"


@declared
class PositionColumnMissing(SnowflakeError, Fatal):
    """A table whose schema is fixed drops what says which record a row is."""

    table: str
    lacking: Sequence[str]

    id = "FL-3304"
    message = (
        "The table {table} has no column {named}, and its schema does not evolve: no row would say which record it is, and "
        "nothing could prove that all are there."
    )
    next_step = (
        "its owner adds {named} (ALTER TABLE … ADD COLUMN; types in docs/records.md), or calls it in `metadata` "
        "as the table does; or set audit: false, if that is meant."
    )
    causes = (
        "A table of a fixed schema has no column for the metadata (KINESISMETADATA, unless `metadata` says otherwise), so that "
        "Snowflake would drop it from each row. Nothing was written"
    )
    remedy = "add the columns that the message names, and it goes on by itself; or `audit: false`"

    @property
    def named(self) -> str:
        return ", ".join(map(quoted, self.lacking))


@declared
class PipeReadsFiles(SnowflakeError, Fatal):
    pipe: str

    id = "FL-3302"
    message = "The pipe {pipe} loads files: nothing can be streamed through it."
    next_step = (
        "name a pipe from TABLE(DATA_SOURCE(TYPE => 'STREAMING')), or leave `pipe` out to use the table's default pipe."
    )
    causes = (
        "The pipe that is named loads files from a stage. One that merely has the table's name is passed over, and "
        "rows go through the default pipe"
    )
    remedy = "name a streaming pipe, or none"


@declared
class PipeLeadsElsewhere(SnowflakeError, Fatal):
    pipe: str
    into: str
    table: str

    id = "FL-3303"
    message = "The pipe {pipe} leads into {into}, and the pipeline's table is {table}."
    next_step = "name the pipe's own table as `table`, or a pipe of this table as `pipe`."
    causes = "The pipe that is named, or has the table's name, copies into another table"
    remedy = "correct `table` or `pipe`"


@declared
class GrantMissing(SnowflakeError, Fatal):
    """Found before a row flows: without EVOLVE SCHEMA a table would silently not follow."""

    table: str
    role: str
    missing: Sequence[WantedPrivilege]

    id = "FL-3009"
    message = "Role {role} may not write to {table} as it has to: it lacks {missing}."
    next_step = "{statements} docs/permissions.md says why."
    causes = "The engine's role lacks a privilege on a table that it sees"
    remedy = "the GRANT that the message spells out"

    @property
    def statements(self) -> str:
        return grant_statements(self.missing, self.role)


@declared
class ErrorLoggingOff(SnowflakeError, Fatal):
    table: str

    id = "FL-3008"
    message = "tolerance is `all`, and {table} keeps no rejected rows: they would be lost."
    next_step = "ALTER TABLE {table} SET ERROR_LOGGING = TRUE; or set tolerance to none."
    causes = "`tolerance: all` would lose rejected rows"
    remedy = "SET ERROR_LOGGING = TRUE; what was rejected meanwhile: `firnline audit --counters`"
