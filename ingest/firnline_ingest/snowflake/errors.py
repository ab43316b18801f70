"""Refusals of Snowflake, as errors of ours; the SDK's codes are read in sdk_errors.py, the connector's in connection.py."""

from collections.abc import Sequence
from pathlib import Path

from firnline_ingest.errors import Fatal, Retryable, SnowflakeError, declared
from firnline_ingest.identifiers import quoted
from firnline_ingest.snowflake.grants import WantedPrivilege, grant_statements
from firnline_ingest.snowflake.private_key import CONVERT, MAKE
from firnline_ingest.values import ShardKey

SHOWN = 80
"""Letters of a statement that a message quotes."""


class KeyUnusable(SnowflakeError, Fatal):
    id = "FL-3001"
    causes = "The key is encrypted, or not an RSA key; or its file may not be read"
    remedy = f"`{CONVERT}`"

    def __init__(self, place: str, cause: str) -> None:
        super().__init__(
            f"The Snowflake user's private key ({place}) can't be used: {cause}",
            next_step=f"convert the key to unencrypted PKCS#8 PEM: {CONVERT} (with -inform DER if it is not text). "
            f"Or make a new one ({MAKE}), and register its public half at the user.",
        )


@declared
class KeyAbsent(SnowflakeError, Retryable):
    """Nothing is where the key should be; a file that is being replaced is gone for a moment."""

    place: str
    cause: str

    id = "FL-3131"
    message = "The Snowflake user's private key is not in its place ({place}): {cause}"
    next_step = (
        "put an unencrypted PKCS#8 PEM there, or name another place in snowflake.private_key; an engine that runs "
        "looks again by itself."
    )
    causes = "The key's file or variable is not there; a file that is being replaced is gone for a moment"
    remedy = "put the key there, or correct `snowflake.private_key`"


@declared
class HostUnknown(SnowflakeError, Fatal):
    host: str
    cause: str

    id = "FL-3002"
    message = "Snowflake's host {host} can't be reached: {cause}"
    next_step = "check snowflake.account (or snowflake.url), DNS, and that the network lets the engine reach port 443."
    causes = "There is no such name in the DNS"
    remedy = "`snowflake.account`, `snowflake.url`, egress on port 443"


class CertificateUntrusted(SnowflakeError, Fatal):
    id = "FL-3003"
    causes = "A proxy or private endpoint with an authority of its own, or a host that the certificate does not name"
    remedy = "`snowflake.ca_file`; for another name, `snowflake.account` and `snowflake.url`"

    def __init__(self, host: str, cause: str, *, is_for_another_name: bool = False) -> None:
        super().__init__(
            f"The certificate of {host} is not trusted: {cause}",
            next_step="check snowflake.account and snowflake.url (snowflake.host of a specification): no authority helps with a "
            "certificate that is for other names. Write a hyphen for each underscore of the account's name in the host."
            if is_for_another_name
            else "if a proxy or a private endpoint has its own authority, name its PEM file in snowflake.ca_file.",
        )


class ColumnsUndecided(SnowflakeError, Retryable):
    """A person has not said yet whether keys get a column; their records wait in the stream."""

    id = "FL-3137"
    causes = (
        "A pipeline with `adds_columns: approved` has records with keys that have no column and that are not decided "
        "about yet. The records wait in the stream"
    )
    remedy = "`firnline columns ENV` lists them; `--approve` adds them, `--decline KEY` lets the records go on without"

    def __init__(self, table: str, keys: Sequence[str]) -> None:
        named = ", ".join(keys[:5]) + (f" and {len(keys) - 5} more" if len(keys) > 5 else "")
        super().__init__(
            f"{len(keys)} new keys wait for a column of {table} to be approved: {named}. Their records, and those behind them in "
            "their shards, are not read on; nothing is lost while the stream keeps them.",
            next_step="firnline columns ENV (or --config engine.json) lists them; with --approve the engine adds them, with "
            "--decline KEY their values are not kept. The engine goes on by itself.",
        )


@declared
class AuthoritiesUnreadable(SnowflakeError, Retryable):
    """Certificate authorities can't be read: what is mounted late, or replaced, is gone for a moment."""

    file: Path
    cause: str

    id = "FL-3018"
    message = "The certificate authorities of snowflake.ca_file can't be read from {file} here: {cause}"
    next_step = (
        "put the PEM file there on the driver and on every executor (in the image, or by "
        "aws.runtime.kubernetes.volumes), or name another place in snowflake.ca_file; an engine that runs looks again "
        "by itself."
    )
    causes = "The file of `snowflake.ca_file` is not where the engine runs, may not be read, or is not PEM"
    remedy = "put it on the driver and on every executor: in the image, or as a volume of the pods"


@declared
class KeyRefused(SnowflakeError, Fatal):
    user: str
    fingerprint: str
    cause: str

    id = "FL-3004"
    message = "Snowflake refused the key of user {user}: {cause}. Its public half has the fingerprint {fingerprint}."
    next_step = (
        "compare with RSA_PUBLIC_KEY_FP and RSA_PUBLIC_KEY_2_FP of DESC USER {user}; register the key, or use the one "
        "that is registered."
    )
    causes = "The registered public key is another one, or the clock is wrong"
    remedy = "compare the fingerprint with DESC USER; check the time"


@declared
class NotAllowed(SnowflakeError, Fatal):
    target: str
    role: str
    cause: str

    id = "FL-3005"
    message = "Role {role} may not write to {target}, or it does not exist. Snowflake says: {cause}"
    next_step = (
        "the role needs USAGE on the database and the schema, INSERT on the table (EVOLVE SCHEMA where it evolves), "
        "OPERATE on a pipe of its own, and USAGE on an Iceberg table's external volume (docs/permissions.md); "
        "`validate` says which of them is missing."
    )
    causes = "A grant is missing, or table or pipe is gone: for a minute, because one 404 passes"
    remedy = "[the grants](first-real-run.md), then `firnline validate`"


class TableMissing(SnowflakeError, Fatal):
    id = "FL-3006"
    causes = "No such table, or no privilege at all on it"
    remedy = "UNDROP TABLE, grant, or make it"

    def __init__(self, table: str, role: str, missing: Sequence[WantedPrivilege] = ()) -> None:
        super().__init__(
            f"The table {table} does not exist, or role {role} sees nothing of it{_lack(missing)}.",
            next_step=_grant_or(missing, role, "INSERT on it, and USAGE on its database and schema")
            + f" Where it was dropped: UNDROP TABLE {table}, before anything makes another one, which would begin empty. "
            "If there never was one: create it.",
        )


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
class SdkBlocked(SnowflakeError, Retryable):
    """A shard's thread does not come back from a call of the SDK."""

    key: ShardKey
    for_s: float

    id = "FL-3262"
    message = (
        "Snowflake's SDK has not returned from a call for shard {key} for {for_s:.0f} s. Its thread is left behind, "
        "and the shard is reopened with another client."
    )
    next_step = (
        "nothing: rows that were not committed are read again. If it happens again, restart the engine (firnline "
        "deploy), keep its log, and report it with the SDK's version."
    )
    causes = (
        "The SDK has not come back from a call for three minutes: its thread is left behind, and the shard is reopened "
        "with another client"
    )
    remedy = "nothing, unless it happens again: restart the engine and report it"


class PipeMissing(SnowflakeError, Fatal):
    id = "FL-3007"
    causes = "The named pipe is not there, or not visible"
    remedy = "make it, grant OPERATE, or leave `pipe` out"

    def __init__(self, pipe: str, role: str, missing: Sequence[WantedPrivilege] = ()) -> None:
        super().__init__(
            f"The pipe {pipe} does not exist, or role {role} sees nothing of it{_lack(missing)}.",
            next_step=_grant_or(missing, role, "OPERATE on it")
            + " If there is none: create it, or leave `pipe` out to use the table's default pipe.",
        )


class PositionLost(SnowflakeError, Fatal):
    """A pipe's SELECT leaves out what says which record a row is."""

    id = "FL-3301"
    causes = (
        "A pipe of one's own selects, and leaves out the column of the metadata or fills it with something else: keys "
        "behind `$1` keep their case, and COPY goes by the order of expressions. Nothing was written"
    )
    remedy = (
        "create the pipe again with what the message names ([a pipe that selects](targets.md#a-pipe-of-your-own)); or "
        "`audit: false`"
    )

    def __init__(self, pipe: str, lost: Sequence[str]) -> None:
        wanted = ", ".join(f"$1:{quoted(name)}" for name in lost)
        super().__init__(
            f"The SELECT of the pipe {pipe} does not put {wanted} into the column of that name, so that no row says which record "
            "it is, and nothing can prove that all are there.",
            next_step=f"create the pipe again with {wanted} at the place of that column (keys behind $1 keep their "
            f"case; COPY goes "
            "by the order of expressions, not by aliases); or set audit: false, if that is meant.",
        )


class PipeFilters(SnowflakeError, Fatal):
    """A pipe's SELECT keeps not one row of each record."""

    id = "FL-3305"
    causes = (
        "A pipe of one's own has WHERE, a join or FLATTEN behind its source: Snowflake drops records by it without a word, or "
        "makes several rows of one. Nothing was written"
    )
    remedy = (
        "declare it by `rows` of the pipe; or create it again without, and filter by `routes` or `transforms`, which "
        "count what they drop; or `audit: false` ([a pipe that selects](targets.md#a-pipe-of-your-own))"
    )

    def __init__(self, pipe: str, beyond: str, rows: str) -> None:
        shown = beyond if len(beyond) <= SHOWN else f"{beyond[:SHOWN]} …"
        super().__init__(
            f"The SELECT of the pipe {pipe} goes on behind its source: {shown}. Snowflake drops records by that without a word, "
            "or makes several rows of one, so that nothing can prove that all are there.",
            next_step=f"if that is meant, set rows: {rows} of the specification's pipe (pipe_rows: {rows} in engine.json); the "
            "audit then says which records it can't prove. Or create the pipe again without it, and filter by routes or "
            "transforms, which count what they drop; or set audit: false.",
        )


class PositionColumnMissing(SnowflakeError, Fatal):
    """A table whose schema is fixed drops what says which record a row is."""

    id = "FL-3304"
    causes = (
        "A table of a fixed schema has no column for the metadata (KINESISMETADATA, unless `metadata` says otherwise), so that "
        "Snowflake would drop it from each row. Nothing was written"
    )
    remedy = "add the columns that the message names, and it goes on by itself; or `audit: false`"

    def __init__(self, table: str, lacking: Sequence[str]) -> None:
        named = ", ".join(map(quoted, lacking))
        super().__init__(
            f"The table {table} has no column {named}, and its schema does not evolve: no row would say which record it is, and "
            "nothing could prove that all are there.",
            next_step=f"its owner adds {named} (ALTER TABLE … ADD COLUMN; types in docs/records.md), or calls it in `metadata` "
            "as the table does; or set audit: false, if that is meant.",
        )


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


class GrantMissing(SnowflakeError, Fatal):
    """Found before a row flows: without EVOLVE SCHEMA a table would silently not follow."""

    id = "FL-3009"
    causes = "The engine's role lacks a privilege on a table that it sees"
    remedy = "the GRANT that the message spells out"

    def __init__(self, table: str, role: str, missing: Sequence[WantedPrivilege]) -> None:
        super().__init__(
            f"Role {role} may not write to {table} as it has to: it lacks {', '.join(map(str, missing))}.",
            next_step=f"{grant_statements(missing, role)} docs/permissions.md says why.",
        )


@declared
class ErrorLoggingOff(SnowflakeError, Fatal):
    table: str

    id = "FL-3008"
    message = "tolerance is `all`, and {table} keeps no rejected rows: they would be lost."
    next_step = "ALTER TABLE {table} SET ERROR_LOGGING = TRUE; or set tolerance to none."
    causes = "`tolerance: all` would lose rejected rows"
    remedy = "SET ERROR_LOGGING = TRUE; what was rejected meanwhile: `firnline audit --counters`"


class SnowflakeUnavailable(SnowflakeError, Retryable):
    id = "FL-3010"
    causes = "Throttling, 5xx, rows that are long in being committed"
    remedy = "status.snowflake.com, the network"

    def __init__(self, what: str, cause: str) -> None:
        super().__init__(
            f"Snowflake could not {what}: {cause}",
            next_step="nothing is lost, and the shard goes on by itself; if it lasts, see status.snowflake.com and the network.",
        )


@declared
class LoginRefused(SnowflakeError, Fatal):
    user: str
    role: str
    cause: str

    id = "FL-3011"
    message = "Snowflake refused a session of user {user} with role {role}: {cause}"
    next_step = (
        "check that the user is there and enabled (ALTER USER {user} SET DISABLED = FALSE), that its policies let it "
        "in, and GRANT ROLE {role} TO USER {user}."
    )
    causes = "The user is disabled, does not have the role, or a policy lets it in no more"
    remedy = "ALTER USER … SET DISABLED = FALSE; GRANT ROLE … TO USER …; it goes on by itself"


class StatementRefused(SnowflakeError, Retryable):
    """By a session that works: what it is about is one pipeline's."""

    id = "FL-3017"
    causes = "A SHOW or DESCRIBE of the driver got an answer that no missing object explains; its pipeline alone waits"
    remedy = "run it as the engine's role"

    def __init__(self, what: str, cause: str) -> None:
        super().__init__(
            f"Snowflake would not {what}: {cause}",
            next_step="it is asked again with every epoch; run the statement as the engine's role to see more.",
        )


@declared
class SdkUnusable(SnowflakeError, Fatal):
    cause: str

    id = "FL-3012"
    message = "The Snowpipe Streaming SDK can't be used: {cause}"
    next_step = (
        "it runs on Linux (x86-64 and ARM64, glibc 2.26 or newer), macOS on ARM64 and Windows; pip install "
        "'firnline-ingest[engine]' installs it."
    )
    causes = "No SDK for this platform, or it is not installed"
    remedy = "a supported platform; the `engine` extra"


def _lack(missing: Sequence[WantedPrivilege]) -> str:
    return f": it lacks {', '.join(map(str, missing))}" if missing else ""


def _grant_or(missing: Sequence[WantedPrivilege], role: str, needed: str) -> str:
    """The statements where it is known what is missing; else what a role needs."""
    return f"where it exists: {grant_statements(missing, role) or f'grant the role {needed}.'}"
