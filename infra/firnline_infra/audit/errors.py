"""Errors of an audit that could not be done. What an audit found wrong is not an error: it is in its report.

AuditError
├── NotAuditable        the rows don't say where they come from
├── CallableAbsent      what a function of the pipeline's leaves out can't be determined without it
├── StartUnknown        only the engine's ledger knows where its claim begins
├── UnknownPipeline     the configuration has no such stream
├── EndInTheFuture      the claim can't reach beyond now
├── TableUnreadable     the reader may not select, or there is no table
├── ErrorTableUnreadable    the same for the rows that Snowflake rejected
├── QueryFailed         Snowflake did not answer a statement to its end
├── StreamSilent        Kinesis gave nothing for minutes
├── RowsUnordered       Snowflake's answer was not in the order that was asked for
├── LatestUnreadable    the reader may not see the table of latest rows, or there is none
├── WarehouseUnusable   the reader may not use the warehouse
└── LatencyUnknown      rows don't say when they came, or when they became visible
"""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, FirnlineError, Retryable, declared, did_you_mean


class AuditError(FirnlineError):
    """The audit could not be done, so nothing is proven and nothing is refuted."""

    id = "FL-5000"


@declared
class CallableAbsent(AuditError, Fatal):
    """A function that makes the pipeline's rows is not here, and without it missing can't be distinguished from left out."""

    stream: str
    path: str
    why: str

    id = "FL-5011"
    message = (
        "The callable {path} of stream {stream!r} can't be imported here, and {why}: which records have to be in the "
        "table can't be determined without it."
    )
    causes = "A pipeline's `callable` can't be imported where the audit runs, and it decides which records are filtered"
    remedy = "put its module on PYTHONPATH where the audit runs, as it is in the engine's archive."


@declared
class QueryUnaudited(AuditError, Fatal):
    """A pipeline's query may make several rows of a record, and only Spark says how many."""

    stream: str

    id = "FL-5013"
    message = (
        "The query of stream {stream!r} decides how many rows a record has, and it is not run here: a row too many or "
        "too few can't be told from what the query made."
    )
    next_step = (
        "rely on the receipts (firnline status), which hold what was sent against what Snowflake counted; a format "
        "that makes one row of a record can be audited."
    )
    causes = (
        "A pipeline has a `query` and a format that makes several rows of a record: how many it has, Spark alone says"
    )
    remedy = "none: its receipts and its ledger say what was proven of each shard"


@declared
class NotAuditable(AuditError, Fatal):
    """The metadata of the rows lacks what tells one record from another."""

    stream: str
    parts: Sequence[str]
    is_left_out: bool = False

    id = "FL-5001"
    message = (
        "The rows of stream {stream!r} don't say which record they come from: {parts} {are} switched off in the pipeline's "
        "metadata."
    )
    next_step = "set {form}{options}; rows that were written without it can't be audited."
    causes = "The pipeline leaves out a part of the metadata that tells a row's place"
    remedy = "switch it on: `metadata.shard_id`, `metadata.sequence_number`"

    @property
    def are(self) -> str:
        return "is" if len(self.parts) == 1 else "are"

    @property
    def options(self) -> str:
        return " and ".join(f"metadata.{part}: true" for part in self.parts)

    @property
    def form(self) -> str:
        return "metadata.form: object and " if self.is_left_out else ""


@declared
class TableUnreadable(AuditError, Fatal):
    """The table does not exist, or the reader may not select from it."""

    table: str
    role: str
    cause: str

    id = "FL-5002"
    message = "Role {role} can't read the table {table}: {cause}"
    next_step = (
        "check the table's name in the configuration, and grant the role USAGE on its database and schema: GRANT "
        "SELECT ON TABLE {table} TO ROLE {role}. If no warehouse is active, name one with --warehouse."
    )
    causes = "The reader sees no such table"
    remedy = "the grants of the reader role"


@declared
class LatestUnreadable(AuditError, Fatal):
    """The table of latest rows does not exist, or the reader may not see how old it is."""

    table: str
    role: str

    id = "FL-5012"
    message = "Role {role} sees no dynamic table {table}, or not which moment it shows."
    next_step = (
        "make it (`firnline up`), and grant the role what it needs: GRANT SELECT, MONITOR ON DYNAMIC TABLE {table} TO ROLE "
        "{role}."
    )
    causes = "The reader sees no table of latest rows, or none that was refreshed"
    remedy = "`firnline up` makes it, and grants the reader SELECT and MONITOR on it"


@declared
class LatencyUnknown(AuditError, Fatal):
    """No row of the table tells when its record came, or when it became visible itself."""

    table: str
    cause: str
    advice: str

    id = "FL-5701"
    message = "The latency of {table} can't be determined: {cause}."
    next_step = "{advice}."
    causes = "Rows don't say when their record came, or the table keeps no commit times"
    remedy = "`metadata.approximate_arrival: true`; `row_timestamp: true`, of a standard table"


@declared
class ErrorTableUnreadable(AuditError, Fatal):
    """Snowflake keeps rejected rows, and the reader may not see them."""

    table: str
    role: str
    cause: str

    id = "FL-5003"
    message = "Role {role} can't read ERROR_TABLE({table}): {cause}"
    next_step = (
        "GRANT SELECT ERROR TABLE ON TABLE {table} TO ROLE {role}; without it, every rejected row would look as if it "
        "were missing."
    )
    causes = "The reader may not read the error table"
    remedy = "GRANT SELECT ERROR TABLE ON TABLE … TO ROLE …"


@declared
class StartUnknown(AuditError, Fatal):
    """LATEST is a moment that only the engine's ledger knows, and an audit doesn't read that."""

    stream: str

    id = "FL-5004"
    message = (
        "The pipeline of stream {stream!r} began at LATEST: the time of the engine's first start, of which neither "
        "the stream nor the table knows."
    )
    causes = "The stream's oldest record could not be determined"
    remedy = (
        "name that time, or any later one: --since 2026-01-31T12:00:00Z. Records that arrived earlier may then be "
        "absent."
    )


@declared
class QueryFailed(AuditError, Retryable):
    """Snowflake broke off, or refused a statement that it should have answered."""

    wanted: str
    cause: str

    id = "FL-5005"
    message = "Snowflake could not tell {wanted}: {cause}"
    causes = "A query of the audit failed"
    remedy = (
        "run the same command again; it changes nothing, and begins from the start. If it lasts, run the statement by hand as "
        "the reader's role."
    )


@declared
class PipelineNotAudited(AuditError, Fatal):
    """No pipeline of the configuration reads that stream."""

    stream: str
    known: Sequence[str]

    id = "FL-5006"
    message = "The configuration has no pipeline of a stream {stream!r}; {hint}"
    causes = "`--pipeline` names a stream that no pipeline reads"
    remedy = "give --pipeline the stream's name as the configuration has it, or leave it out to look at them all."

    @property
    def hint(self) -> str:
        return did_you_mean(self.stream, self.known)


@declared
class StreamSilent(AuditError, Retryable):
    """Kinesis answered no read of a shard for minutes."""

    shard: str
    seconds: float
    cause: str

    id = "FL-5007"
    message = "Shard {shard} could not be read for {seconds:.0f} s: {cause}"
    causes = "A shard did not answer up to the audit's end"
    remedy = (
        "if other consumers use up the shard's five reads a second, audit when they rest, or raise their polling "
        "interval; else check the network, and run the audit again."
    )


@declared
class RowsUnordered(AuditError, Fatal):
    """The comparison walks both sides in the order of positions, and is worth nothing without it."""

    shard: str
    before: str
    after: str

    id = "FL-5008"
    message = (
        "Snowflake returned the rows of shard {shard} out of the order that was asked for: {before} before {after}."
    )
    causes = "Snowflake gave rows in another order than was asked for"
    remedy = (
        "run the audit again; if it lasts, report it with the table's DDL: a collation or a masking policy may "
        "change how the metadata compares."
    )


@declared
class EndInTheFuture(AuditError, Fatal):
    """The audit was asked about records that have yet to arrive."""

    until: str
    now: str

    id = "FL-5009"
    message = "--until {until} lies in the future: by the stream's own clock it is {now}."
    causes = "The audit was asked to read up to a time that has not come"
    remedy = "leave --until out to audit up to now, or name an earlier time."


@declared
class WarehouseUnusable(AuditError, Fatal):
    """Queries need a warehouse, and the reader may not use this one."""

    warehouse: str
    role: str
    cause: str

    id = "FL-5010"
    message = "Role {role} can't use the warehouse {warehouse}: {cause}"
    next_step = "GRANT USAGE ON WAREHOUSE {warehouse} TO ROLE {role}, or name another one with --warehouse."
    causes = "The reader has no warehouse, or may not use it"
    remedy = "GRANT USAGE ON WAREHOUSE … TO ROLE …; the user's DEFAULT_WAREHOUSE"
