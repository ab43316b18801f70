"""Refusals and losses of a channel, as errors of ours: from its opening to the proof of its rows."""

from typing import Self

from firnline_ingest.errors import Fatal, Retryable, SnowflakeError, counted, declared
from firnline_ingest.values import ShardKey


@declared
class ChannelLimitReached(SnowflakeError, Fatal):
    pipe: str
    channel: str
    cause: str

    id = "FL-3132"
    message = "The pipe {pipe} has as many channels as it can have, so {channel} can't be opened: {cause}"
    next_step = (
        'look for channels that nobody uses (SHOW CHANNELS IN PIPE "{pipe}"), of applications or streams that are '
        "gone; a stream's own ended shards give theirs back. Snowflake's support can raise the limit (2,000 a pipe), and a "
        "pipe of its own (`pipe`) has its own limit."
    )
    causes = "The pipe has its 2,000 channels"
    remedy = "SHOW CHANNELS: whose are they; a pipe of its own; Snowflake's support"


@declared
class OpenRefused(SnowflakeError, Fatal):
    """A 4xx answer that is about neither a privilege nor a limit."""

    channel: str
    cause: str

    id = "FL-3133"
    message = "Snowflake refused a request about channel {channel}: {cause}"
    next_step = (
        "read Snowflake's own words above; if they say nothing about your objects, a proxy between answers instead of "
        "Snowflake, or this is a defect of ours: please report it."
    )
    causes = "A 4xx answer that is about no privilege: a proxy between, or a defect of ours"
    remedy = "read Snowflake's own words in the message"


@declared
class ChannelLost(SnowflakeError, Retryable):
    """The channel's handle is stale: another client opened it after us, or the service wants it opened again."""

    channel: str
    cause: str
    server_message: str = ""
    """The last error of the channel's status, if it is newer than the channel's opening."""

    id = "FL-3102"
    message = "The channel {channel} must be opened again: {cause}{said}"
    next_step = "nothing: it is opened again, and rows that were not committed are read again."
    causes = "The channel was opened elsewhere, or the service wants it opened again"
    remedy = "nothing"

    @property
    def said(self) -> str:
        return self.server_message and f" ({self.server_message})"


class ChannelStalled(ChannelLost):
    """Nothing was committed for long: another opener discarded the rows, or commits take longer than that."""

    id = "FL-3135"
    causes = "Nothing was committed for minutes; the next wait is twice as long"
    remedy = "status.snowflake.com, unless it is seen once, after a process that was frozen"

    @classmethod
    def after(cls, channel: str, seconds: float) -> Self:
        return cls(channel, f"nothing of it was committed for {seconds:.0f} s")


@declared
class AppendsRefused(SnowflakeError, Fatal):
    """Each row costs the channel, and the service gives no reason: giving up one record after the other does not help."""

    channel: str
    rows: int
    cause: str

    id = "FL-3134"
    message = (
        "The channel {channel} was lost with each of {rows} rows in a row, each sent alone, and with the next: {cause}"
    )
    next_step = (
        "look at what stands between the engine and Snowflake (a proxy that cuts requests, uploads that don't get "
        "through); the rows are in the dead letters, and what follows is read again at the next start."
    )
    causes = "Rows cost the channel one after the other, and Snowflake gives no reason"
    remedy = "what stands between: a proxy, uploads that don't get through. The rows are dead letters `refused`"


@declared
class ClientLost(SnowflakeError, Retryable):
    """The SDK's client is stale (the pipe failed over); it and all its channels are recreated."""

    pipe: str
    cause: str

    id = "FL-3103"
    message = "The client of pipe {pipe} must be recreated: {cause}"
    next_step = "nothing: a failover takes some minutes, and the engine goes on by itself."
    causes = "The pipe failed over"
    remedy = "nothing; it takes minutes"


@declared
class AccessLost(ClientLost):
    """The service refused the client's requests: a right was taken away, or the table or pipe is gone. What the client was
    refused it keeps, so it and all its channels are recreated, and the opening says whether it lasts."""

    target: str
    role: str

    id = "FL-3136"
    message = (
        "Role {role} may not write to {target} any more, or it does not exist: the client of pipe {pipe} must be recreated. "
        "Snowflake says: {cause}"
    )
    next_step = (
        "if somebody revoked a privilege or dropped the table, give it back: `firnline validate` says what is "
        "missing. The engine goes on by itself once it is there, and rows that were not committed are read again."
    )
    causes = "A right was taken away from the role, or the table or pipe is gone, while rows were sent. Nothing is lost"
    remedy = "the grant, or UNDROP; `firnline validate` says which privilege is missing; the engine goes on by itself"


@declared
class Backpressure(SnowflakeError, Retryable):
    """The SDK's buffers are full; the same rows are offered again."""

    channel: str
    cause: str

    id = "FL-3104"
    message = "The channel {channel} takes no more rows for now: {cause}"
    next_step = "nothing: reading slows down."
    causes = "The SDK's buffers are full"
    remedy = "nothing, unless it lasts: Snowflake takes less than Kinesis gives"


@declared
class RowsRejected(SnowflakeError, Fatal):
    key: ShardKey
    table: str
    rows: int
    up_to: str
    cause: str
    accept: str = ""
    """Options of the command beside the token."""

    id = "FL-3105"
    message = "{table} rejected {how_many} of shard {key}, at or before {up_to}: {cause}"
    next_step = (
        "look at SELECT * FROM ERROR_TABLE({table}); correct the table or the producer, or set tolerance to all. To accept what "
        "was rejected, once the engine is stopped: firnline resume --config engine.json --stream {key.stream} --shard "
        "{key.shard_id} {accept}--accept-errors {up_to}"
    )
    causes = "The table refused a row: a type, a NOT NULL. With `tolerance: none` its shard stops there at every start"
    remedy = (
        "`firnline audit` says which records and why, or SELECT * FROM ERROR_TABLE(…); fix the table or the producer; "
        "`firnline resume --config engine.json --stream STREAM --shard SHARD --accept-errors TOKEN`"
    )

    @property
    def how_many(self) -> str:
        return counted(self.rows, "row")


@declared
class CountsDisagree(SnowflakeError, Fatal):
    key: ShardKey
    sent: int
    counted: int
    at: str

    id = "FL-3106"
    message = "Shard {key} sent {sent} rows up to {at}, and the channel counted {counted}: {why}."
    next_step = (
        "find the other writer (SHOW CHANNELS), and run firnline audit; then, once the engine is stopped: firnline resume "
        "--config engine.json --stream {key.stream} --shard {key.shard_id} --from proven"
    )
    causes = "**the channel counted other rows than were sent**"
    remedy = "find the other writer, `firnline audit`"

    @property
    def why(self) -> str:
        return (
            "somebody else writes to it"
            if self.counted > self.sent
            else "the others are lost, or somebody else moved its token"
        )
