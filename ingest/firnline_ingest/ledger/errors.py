"""Refusals of the ledger, and why."""

from firnline_ingest.aws.next_steps import GIVE_CREDENTIALS, REPORT_REQUEST, STALE_CREDENTIALS, WHO_ASKED
from firnline_ingest.aws.trust import untrusted
from firnline_ingest.errors import Fatal, LedgerError, Retryable, declared
from firnline_ingest.values import ShardKey, TargetTable


@declared
class LedgerTableMissing(LedgerError, Fatal):
    """The checkpoint table is not there."""

    table: str

    id = "FL-2101"
    message = "The ledger's DynamoDB table {table!r} does not exist."
    next_step = (
        "if it was deleted, restore it first (aws dynamodb restore-table-to-point-in-time, within 35 days): a new one "
        "has no incidents, and no checkpoint of what Snowflake has no token for. If there never was one, create it "
        "with your environment's stack, or set ledger.create to true and let the engine do it."
    )
    causes = "The table was never created, or was deleted"
    remedy = (
        "restore it to a point in time; else make it. Snowflake's tokens place every shard again; what they can't say is "
        "noted as an incident"
    )


@declared
class LedgerTableForeign(LedgerError, Fatal):
    """The table exists, and is not a ledger."""

    table: str
    found: str

    id = "FL-2102"
    message = "The DynamoDB table {table!r} has the key ({found}), not (stream, shard): another program's table."
    next_step = "give ledger.table a name of its own."
    causes = "Another program's table, for example KCL's"
    remedy = "a name of its own"


@declared
class LedgerUnavailable(LedgerError, Retryable):
    """DynamoDB could not be reached, or refused for a while."""

    table: str
    cause: str

    id = "FL-2103"
    message = "The ledger {table!r} can't be reached: {cause}."
    next_step = "{advice}"
    causes = "DynamoDB throttles or can't be reached"
    remedy = "capacity mode, network; if a certificate is not trusted, `aws.ca_file`"

    @property
    def advice(self) -> str:
        return (
            untrusted(self.cause)
            or "nothing is lost, and reading goes on by itself; if it lasts, look at the table's throttling, the "
            "role's permissions (docs/permissions.md) and the network."
        )


@declared
class LedgerForbidden(LedgerError, Fatal):
    """The role may not do what the ledger needs."""

    table: str
    operation: str
    cause: str

    id = "FL-2107"
    message = "dynamodb:{operation} on the ledger {table!r} was denied: {cause}"
    next_step = f"allow dynamodb:{{operation}} on the table{{and_key}} {WHO_ASKED}."
    causes = "The caller lacks an action on the table; the message names them"
    remedy = "[which policy has it](permissions.md)"

    @property
    def and_key(self) -> str:
        return " and kms:Decrypt on the table's key" if "kms" in self.cause.lower() else ""


@declared
class LedgerUnauthenticated(LedgerError, Fatal):
    """There are no AWS credentials, or AWS does not know them: no right would help."""

    table: str
    operation: str
    cause: str

    id = "FL-4201"
    message = "There are no AWS credentials for dynamodb:{operation} on the ledger {table!r}: {cause}"
    next_step = GIVE_CREDENTIALS
    causes = "AWS does not know the process's credentials, or there are none: no right would help"
    remedy = "`aws sts get-caller-identity` has to answer there"


@declared
class LedgerRequestMalformed(LedgerError, Fatal):
    """DynamoDB has no such request: a defect of ours, or what answers is not DynamoDB."""

    table: str
    operation: str
    cause: str
    request: str

    id = "FL-2108"
    message = "dynamodb:{operation} on the ledger {table!r} was refused as malformed: {cause} The request: {request}"
    next_step = REPORT_REQUEST
    causes = "**DynamoDB calls a request malformed**: a defect of Firnline; or `aws.endpoints` leads to another service"
    remedy = "`aws.endpoints`; else report the message: it has the request, without values"


@declared
class LedgerCredentialsStale(LedgerError, Retryable):
    """The credentials have expired, or the clock is wrong."""

    table: str
    operation: str
    cause: str

    id = "FL-1209"
    message = (
        "dynamodb:{operation} on the ledger {table!r} was refused for the credentials, which were good before: {cause}"
    )
    next_step = STALE_CREDENTIALS
    causes = "DynamoDB says the same"
    remedy = "the same"


@declared
class Fenced(LedgerError, Retryable):
    """Another engine opened the shard after us; what it does is right, so this attempt yields."""

    key: ShardKey
    holder: str

    id = "FL-2104"
    message = "Shard {key} was opened by {opener} after this one."
    next_step = (
        "nothing, if a task was retried or moved. If two engines run under one application name: stop one (firnline "
        "stop)."
    )
    causes = "Another attempt opened the shard: a retried or moved task, or a second engine"
    remedy = "nothing, unless it repeats: FL-2105"

    @property
    def opener(self) -> str:
        return self.holder or "another attempt"


@declared
class FencedRepeatedly(LedgerError, Fatal):
    """Two engines keep taking a shard from each other."""

    key: ShardKey
    times: int
    minutes: float

    id = "FL-2105"
    message = "Shard {key} was taken away from this engine {times} times in {minutes:.0f} minutes."
    next_step = "two engines run under one application name; stop the other one, or name this one differently."
    causes = "Two engines take shards from each other"
    remedy = "stop one"


@declared
class AnotherEngineRuns(LedgerError, Fatal):
    """A second engine under one application name."""

    application: str
    holder: str

    id = "FL-2106"
    message = "Another engine runs as application {application!r}: {holder}, and its heart beats."
    next_step = (
        "stop it first (firnline stop), and what starts it again by itself; if a second engine is meant, give it "
        "another application name."
    )
    causes = "A second engine under one application name, that is alive"
    remedy = "`firnline stop`, or another name"


@declared
class RunDisplaced(LedgerError, Fatal):
    """The application's name was taken over from a run whose heart was not heard."""

    application: str
    holder: str

    id = "FL-1207"
    message = (
        "Application {application!r} was taken over by another engine: {holder}. This one had been frozen, or out of "
        "the ledger's reach, for longer than the other one looked for its heart beats; it writes nothing more."
    )
    next_step = (
        "nothing: the other engine goes on after what is proven. If both are meant to run, give one of them another "
        "application name; if this happens by itself, look for what froze this process."
    )
    causes = (
        "This engine was frozen, or could not reach the ledger, for longer than ten beats while another one was started"
    )
    remedy = "nothing: the other one goes on. Two that are both meant to run need two names"


@declared
class LedgerBehind(LedgerError, Fatal):
    """The channel's token lies before what was proven."""

    key: ShardKey
    committed: str
    proven: str

    id = "FL-2110"
    message = (
        "The channel of {key} stands at {committed}, before {proven}, which was proven: somebody else wrote to it, "
        "or it was dropped and recreated."
    )
    next_step = (
        "find the other writer (SHOW CHANNELS). To go on after what was proven, once the engine is stopped: firnline resume "
        "--config engine.json --stream {key.stream} --shard {key.shard_id} --from proven. After a failover to another account, "
        "whose table has less: --from trim-horizon, which sends what the stream still holds behind the channel's own token; "
        "then firnline dead-letters replay --again for what was replayed since the replica was made."
    )
    causes = (
        "**the channel's token lies before what was proven**: the channel was dropped or its token moved, or the "
        "account failed over to a replica that has less"
    )
    remedy = (
        "find out who (SHOW CHANNELS), audit, then `firnline resume --config engine.json --stream STREAM --from proven`; after a "
        "failover `--from trim-horizon`, then `firnline dead-letters replay --again` "
        "([why](when-snowflake-changes.md))"
    )


@declared
class ChannelDropped(LedgerError, Fatal):
    """The channel has no token any more, and did not expire: what was committed and not proven can't be determined."""

    key: ShardKey
    table: str
    proven: str
    is_quiet: bool
    idle_ms: int

    id = "FL-2112"
    message = "The channel of {key} into {table} is gone, and it did not expire ({why}): somebody dropped it{after}."
    next_step = (
        "find out who dropped it, and run firnline audit: rows that were committed and not proven will come twice. Then go on, "
        "once the engine is stopped: firnline resume --config engine.json --stream {key.stream} --shard {key.shard_id} --from "
        "proven"
    )
    causes = (
        "**a channel that had a token is empty, and did not expire** (30 days unused, nothing in flight), or another "
        "one is there than the one that the first rows were sent to: it was dropped, or a failover lost it"
    )
    remedy = (
        "who? SHOW CHANNELS. `firnline audit`; rows that were committed in its last seconds would come twice; then "
        "`firnline resume --config engine.json --stream STREAM --from proven`"
    )

    @property
    def after(self) -> str:
        return f", after {self.proven} was proven" if self.proven else " before anything of it was proven"

    @property
    def why(self) -> str:
        return (
            f"nothing was in flight, and it was used {self.idle_ms // 86_400_000} days ago"
            if self.is_quiet
            else "rows may have been in flight"
        )


@declared
class TokenMissing(LedgerError, Retryable):
    """A channel that had a token has none. The table may have been replaced since the driver looked at it."""

    key: ShardKey
    table: str
    had: str

    id = "FL-2113"
    message = "The channel of {key} into {table} {was}, and is empty now: it or the table was replaced."
    next_step = (
        "nothing yet: no row is appended until the table was looked at again, one or two epochs from now; then "
        "the shard goes on, or says what was replaced."
    )
    causes = (
        "A channel that had a token is empty; the table may have been replaced a moment ago, so nothing is appended "
        "until the driver has looked at it again"
    )
    remedy = "wait two epochs: it goes on, or becomes FL-3107 or FL-2112"

    @property
    def was(self) -> str:
        return f"had committed up to {self.had}" if self.had else "may have taken rows that nobody saw committed"


@declared
class RoutingChanged(LedgerError, Fatal):
    """Records in flight were made by another configuration."""

    key: ShardKey

    id = "FL-2111"
    message = (
        "Records of {key} are rows that are not proven, or dead letters ahead of them, and the pipeline's conversion "
        "changed since they were made."
    )
    next_step = "finish with the old configuration: firnline drain --config engine.json; then run the new one."
    causes = (
        "Format, transforms, metadata, `max_row_bytes` or routes changed while rows were in flight, or dead letters "
        "kept ahead of them by an engine that was killed, or while the tables of a routed pipeline were not equally far, or "
        "while a record of several rows was in its table only in part"
    )
    remedy = (
        "`firnline drain` with the old configuration: it finishes what was begun and takes in nothing new; then run "
        "the new one"
    )


@declared
class TargetReplaced(LedgerError, Fatal):
    """The table or pipe is not the one that the channel was opened on."""

    key: ShardKey
    was: TargetTable
    found: TargetTable

    id = "FL-3107"
    message = (
        "The {changed} was replaced: shard {key} had opened its channel on the one made at {before}, this one was made at "
        "{after}."
    )
    next_step = "{advice}"
    causes = "The table or pipe was recreated under its name, or the table was swapped"
    remedy = (
        "[what was done, and where the rows are](when-snowflake-changes.md); swapped back it goes on by itself; else "
        "`firnline resume --config engine.json --stream STREAM --from proven` or `--from trim-horizon`"
    )

    @property
    def is_table(self) -> bool:
        return self.was.table_created_on != self.found.table_created_on

    @property
    def changed(self) -> str:
        return f"table {self.found}" if self.is_table else f"pipe {self.found.pipe}"

    @property
    def before(self) -> str:
        return self.was.table_created_on if self.is_table else self.was.pipe_created_on

    @property
    def after(self) -> str:
        return self.found.table_created_on if self.is_table else self.found.pipe_created_on

    @property
    def advice(self) -> str:
        return _after_table(self.key, self.before) if self.is_table else _after_pipe(self.key)


def _after_table(key: ShardKey, before: str) -> str:
    return (
        f"what was committed before is in the table made at {before}: dropped (UNDROP finds it), or under another name after "
        "a RENAME or SWAP (the log line table.replaced says which), and then renaming it back is enough. To go on into the "
        f"new one, once the engine is stopped: firnline resume --config engine.json --stream {key.stream} --from proven. "
        "After a failover to another account, and to load again what the stream still holds: --from trim-horizon, "
        "which repeats nothing that the "
        "channel has."
    )


def _after_pipe(key: ShardKey) -> str:
    return (
        "the rows are in the table, and what the engine sent in its last seconds may be there without its knowing: run "
        "firnline audit, then, once the engine is stopped: firnline resume --config engine.json "
        f"--stream {key.stream} --from proven, which sends again what was not proven. "
        "Next time pause the pipeline before the pipe is recreated: then nothing is in flight."
    )
