"""Errors of `format("snowpipe")`, beside the errors of snowflake/."""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, Retryable, SnowflakeError, declared


@declared
class QueryForeign(SnowflakeError, Fatal):
    """The channels of this name belong to another query, or to the same one from before its checkpoint was removed."""

    channel: str
    query: str | None
    own: str

    id = "FL-2511"
    message = "The channel {channel} has rows of {whose}, and this is query {own}."
    next_step = (
        "start from the checkpoint that belongs to those rows. To begin from the start, give the query another "
        "name: rows that it reads from the source again are then added again. Two queries into one table need two names."
    )
    causes = 'A query with `format("snowpipe")` has the `name` of another one, or a new checkpoint'
    remedy = (
        "the checkpoint that the rows belong to; or another `name`, if the rows that are read again may be there twice"
    )

    @property
    def whose(self) -> str:
        return f"query {self.query}" if self.query else "another program"


@declared
class BatchDiffers(SnowflakeError, Fatal):
    """A batch that Spark ran again does not have the rows that it had."""

    channel: str
    batch: int
    why: str

    id = "FL-2512"
    message = (
        "Batch {batch} was run again with other rows than those that are in the table: partition channel {channel}: {why}. "
        "Nothing was added through this channel; other partitions of this run may have added rows of the batch again."
    )
    next_step = (
        "compare this batch's rows with the source. Then make the plan replayable (no random values, after a shuffle "
        "sortWithinPartitions over all columns, as many cores as before), and begin with a new checkpoint and another name."
    )
    causes = (
        'A batch of `format("snowpipe")` was run again and had other rows, or its rows in another order or other partitions: a '
        "random or a current value, a shuffle, files that were packed otherwise, a source that can't be read again"
    )
    remedy = (
        "rows of that batch may be missing or there twice: compare them with the source. Then a plan that gives the same rows "
        "each time, a new checkpoint and another `name`"
    )


@declared
class CheckpointBehind(SnowflakeError, Fatal):
    channel: str
    batch: int
    committed: int

    id = "FL-2513"
    message = "The channel {channel} has rows of batch {committed}, and the checkpoint is at batch {batch}: it is an older copy."
    next_step = "start from the newest checkpoint; a batch that was planned again need not have the rows it had."
    causes = 'The checkpoint of a query with `format("snowpipe")` is an older copy: the table has rows of later batches'
    remedy = "the newest checkpoint; or another `name`, if the rows that are read again may be there twice"


@declared
class RowTooLarge(SnowflakeError, Fatal):
    number: int
    partition: int
    size: int
    most: int

    id = "FL-2514"
    message = "Row {number:,} of partition {partition} has {size:,} bytes as JSON, and at most {most:,} can be sent."
    next_step = (
        "give a place to keep such rows by the option deadLetters, or leave them out or cut them in the query (length "
        "of the column); rows before it are in the table, and are not added again."
    )
    causes = 'A row of `format("snowpipe")` is larger than Snowflake takes'
    remedy = "the option `deadLetters` keeps it and goes on; or leave it out or cut it in the query, for example by `length(…)`"


@declared
class RowUnwritable(SnowflakeError, Fatal):
    number: int
    partition: int
    cause: str

    id = "FL-2520"
    message = "Row {number:,} of partition {partition} can't be written: {cause}."
    next_step = (
        "give a place to keep such rows by the option deadLetters, or leave them out or change them in the query; "
        "rows before it are in the table, and are not added again."
    )
    causes = 'A row of `format("snowpipe")` has a value that can\'t be written, such as a time before the year 1 in UTC'
    remedy = "the option `deadLetters` keeps it and goes on; or leave it out or change it in the query"


@declared
class FrameRowsRejected(SnowflakeError, Fatal):
    table: str
    batch: int
    partition: int
    rejected: str
    cause: str

    id = "FL-2515"
    message = "{table} rejected {rejected} of partition {partition} of batch {batch}: {cause}"
    next_step = (
        "look at SELECT * FROM ERROR_TABLE({table}); correct the query or the table. To go on with them in the error "
        "table, set tolerance to all."
    )
    causes = 'The table rejected rows of `format("snowpipe")`: a type, a NOT NULL'
    remedy = "SELECT * FROM ERROR_TABLE(…); the option `tolerance` = `all` goes on, and they stay in the error table"


@declared
class AttemptReplaced(SnowflakeError, Retryable):
    """Another attempt at the partition, or another query of this name, has opened the channel after this one."""

    channel: str
    cause: str

    id = "FL-2516"
    message = "The channel {channel} was opened elsewhere: {cause}"
    next_step = "nothing, if it was another attempt of the same task; two queries need two names."
    causes = "Two attempts of a Spark task write the same partition at once, or two queries have one `name`. The later goes on"
    remedy = "nothing; two queries need two names"


@declared
class RowsUncounted(SnowflakeError, Retryable):
    channel: str
    sent: int
    counted: int

    id = "FL-2517"
    message = "The channel {channel} has committed {sent:,} rows, and counted {counted:,}: how many were rejected is not known."
    next_step = "nothing: the batch is run again, and adds no row twice."
    causes = 'Snowflake has committed rows of `format("snowpipe")`, and its counters say fewer for half a minute'
    remedy = "nothing: the batch is run again, and adds no row twice; if it comes back, report it"


class BatchUnknown(SnowflakeError, Fatal):
    id = "FL-2518"
    causes = 'Rows of `format("snowpipe")` came without the id of their query and batch, which Spark gives its tasks'
    remedy = "`writeStream` for streams, `write` for batches"

    def __init__(self) -> None:
        super().__init__(
            "Spark does not say which query and batch this task is of, so no row can be told from one that is added again.",
            next_step="use df.writeStream for a stream and df.write for a batch, on Spark 4.0 or newer.",
        )


@declared
class PlanNotReplayable(SnowflakeError, Fatal):
    """A DataFrame's plan may have other rows, or an order of its own, each time that Spark runs a batch."""

    problems: Sequence[str]

    id = "FL-2519"
    message = "A batch may have other rows when it is run again: {problems:; }."
    next_step = (
        "change what is named. A query in which that can't be changed stops with FL-2512 when a batch is run again, where rows "
        "may be there twice."
    )
    causes = (
        "`replayable(…)` has looked at a DataFrame's plan: it has a random value, a shuffle without an order behind it, a part "
        "of its rows (`limit`, `sample`), or an operator or a source of which nothing is known"
    )
    remedy = "another way to the same rows: the message has each place; without the check the query is as exact as FL-2512 finds"


@declared
class PlanUnchecked(SnowflakeError, Fatal):
    """A query starts whose plan nobody has looked at."""

    name: str

    id = "FL-2521"
    message = (
        "Nobody has looked at the plan of {name!r}: each row is there once only if a batch has the same rows when it is run "
        "again."
    )
    next_step = (
        "write what replayable(…) returns: replayable(frame).writeStream, as the last step before it. With "
        'option("unchecked", "true") the query runs without: at least once, unless the plan gives the same rows again.'
    )
    causes = (
        'A stream with `format("snowpipe")` is not of a DataFrame that `replayable(…)` returned, or something was done with that '
        "DataFrame before it was written"
    )
    remedy = (
        "`replayable(frame).writeStream`; or the option `unchecked` = `true`: at least once, where the plan gives other rows "
        "when a batch is run again"
    )
