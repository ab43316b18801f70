"""Refusals of a migration, and why."""

from collections.abc import Sequence

from firnline_ingest.aws.next_steps import REPORT_REQUEST
from firnline_ingest.errors import Fatal, LedgerError, UsageError, declared, few


@declared
class SourceMissing(LedgerError, Fatal):
    table: str

    id = "FL-2421"
    message = "There is no DynamoDB table {table!r} to migrate from in this account and region."
    next_step = "the Kinesis Client Library names its table as its application, Openflow too: aws dynamodb list-tables."
    causes = "The table to migrate from is not in that account and region"
    remedy = "its name is the other consumer's application"


@declared
class TableTrouble(LedgerError, Fatal):
    """DynamoDB did not let the migration read or write a table; what was written so far is taken over by the next try."""

    table: str
    operation: str
    cause: str

    id = "FL-2422"
    message = "dynamodb:{operation} on {table!r} failed: {cause}"
    next_step = (
        "allow dynamodb:{operation} to whoever migrates (docs/moving.md lists what is needed), or wait if it is "
        "throttled; then run the same command again."
    )
    causes = "DynamoDB did not let the migration read or write"
    remedy = "the rights that [moving.md](moving.md#what-it-needs) lists; the same command again goes on"


@declared
class TableRequestMalformed(LedgerError, Fatal):
    """DynamoDB has no such request: a defect of ours, or what answers is not DynamoDB."""

    table: str
    operation: str
    cause: str
    request: str

    id = "FL-2431"
    message = "dynamodb:{operation} on {table!r} was refused as malformed: {cause} The request: {request}"
    next_step = REPORT_REQUEST
    causes = "**DynamoDB calls a request of a migration malformed**: a defect of Firnline; or the endpoint is another service's"
    remedy = "`aws.endpoints`; else report the message: it has the request, without values"


@declared
class SourceForeign(LedgerError, Fatal):
    table: str
    key: str

    id = "FL-2423"
    message = (
        "The table {table!r} has the key ({key}), and is neither a lease table of the Kinesis Client Library "
        "(leaseKey) nor Openflow's (streamName, shardId)."
    )
    next_step = "name the table with the leases; a worker's metrics and the coordinator's state are tables beside it."
    causes = "The table is not a lease table: its key is another one"
    remedy = "the table with the leases, not those beside it"


@declared
class SourceInUse(LedgerError, Fatal):
    """The other consumer still runs: its workers count a lease's counter up several times within the failover time."""

    table: str
    seconds: float
    changed: Sequence[str]
    owners: Sequence[str]

    id = "FL-2424"
    message = "{table!r} is still written to: within {seconds:.0f} s, {changed:count} of its items changed ({changed:few}).{who}"
    next_step = (
        "stop every worker of that consumer, and what starts it again; then run this command again. Nothing was "
        "written, or what was written was taken back."
    )
    causes = (
        "**the other consumer still runs**: something in its table changed while it was watched, or while rows were "
        "written, which were then taken back"
    )
    remedy = "stop its workers, and what starts them; again"

    @property
    def who(self) -> str:
        return f" Owners: {', '.join(self.owners)}." if self.owners else ""


@declared
class StreamKnown(LedgerError, Fatal):
    stream: str
    table: str
    shards: int

    id = "FL-2425"
    message = (
        "The ledger {table!r} has {shards} rows of {stream!r} already, which no migration wrote: an engine has read it."
    )
    next_step = (
        "a migration is for an application's first start. To begin again behind the other consumer, give this engine "
        "another application and ledger table, and an empty target table."
    )
    causes = "An engine has read the stream under this ledger already"
    remedy = "another application, another target table"


@declared
class NotMigratable(LedgerError, Fatal):
    table: str
    problems: Sequence[str]

    id = "FL-2426"
    message = "{table!r} can't be migrated as it is; nothing was written:\n{problems:list}"
    next_step = "what each line says; then the dry run again."
    causes = "Shards of which the table names no place, or a table of another stream; each is listed"
    remedy = "what each line says"


@declared
class JournalMissing(LedgerError, Fatal):
    table: str

    id = "FL-2427"
    message = "The table {table!r}, in which a migration notes what it writes, does not exist."
    next_step = (
        "set ledger.migration to true in the specification and run firnline up, which makes it; or set ledger.create "
        "in the engine's configuration, and migrate makes it."
    )
    causes = "The table in which the migration notes what it writes is not there"
    remedy = "`ledger.migration: true` and `firnline up`"


@declared
class EngineHasBegun(LedgerError, Fatal):
    stream: str
    shards: Sequence[str]

    id = "FL-2428"
    message = (
        "The migration of {stream!r} can't be undone: an engine has opened {shards:count} of its shards since "
        "({shards:few}), and rows are in the table."
    )
    next_step = (
        "stop the engine and start the other consumer where it stopped; what both took in is then doubled, and "
        "firnline audit names it."
    )
    causes = "`--undo` after an engine has opened shards"
    remedy = "[moving.md](moving.md#taking-it-back)"


@declared
class NothingMigrated(UsageError):
    stream: str
    table: str

    id = "FL-2429"
    message = "{table!r} knows of no migration of {stream!r}."
    next_step = "compare the stream's name and the ledger's table with those that were migrated."
    causes = "`--undo`, or `firnline audit --migrated`, of a stream that was not migrated, or whose journal is gone"
    remedy = "its name"


@declared
class MigrationNotOver(LedgerError, Fatal):
    table: str
    shards: Sequence[str]
    under_way: bool

    id = "FL-2432"
    message = "The table {table!r} is still needed: {why}"
    next_step = "{advice}"
    causes = (
        "`firnline migrate --finish` while a migration is under way, or could still be taken back. Nothing was removed"
    )
    remedy = "start the engine first, and audit what it took over"

    @property
    def why(self) -> str:
        return (
            f"the migration of {few(self.shards)} is under way."
            if self.under_way
            else f"no engine has opened {few(self.shards)} yet."
        )

    @property
    def advice(self) -> str:
        return (
            "finish it with the command that was interrupted (firnline migrate --apply, or --undo)."
            if self.under_way
            else "start the engine, see that it reads every shard (firnline status), and run firnline audit --migrated; or take "
            "the migration back: firnline migrate --undo."
        )


class UnclearCommand(UsageError):
    id = "FL-2430"
    causes = "Options that don't go together, a time without a zone or in the future, a stream that is not read"
    remedy = "what it says"
