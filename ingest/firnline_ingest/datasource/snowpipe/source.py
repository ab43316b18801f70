"""The data source "snowpipe" of PySpark's Python data source API: batches and streams into a Snowflake table.

Spark's id of a query is in its checkpoint, and its tasks are told it with the number of the batch: by both, and by the number
of its partition, a task finds what an earlier attempt has added.
"""

# ruff: noqa: N802, N803 (the names are Spark's)

import logging
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from pyspark import TaskContext
from pyspark.sql import Row
from pyspark.sql import types as spark
from pyspark.sql.datasource import DataSource, DataSourceStreamWriter, DataSourceWriter, WriterCommitMessage

from firnline_ingest.datasource.plain import row_encoder
from firnline_ingest.datasource.snowpipe.errors import BatchUnknown, PlanUnchecked
from firnline_ingest.datasource.snowpipe.options import SINK, SnowpipeOptions
from firnline_ingest.errors import ConfigError, FirnlineError
from firnline_ingest.identifiers import CHANNEL_SEPARATOR

if TYPE_CHECKING:
    from firnline_ingest.datasource.snowpipe.partition import PartitionKey, Written

FORMAT = "snowpipe"
QUERY_ID, BATCH_ID = "sql.streaming.queryId", "streaming.sql.batchId"
"""Properties that Spark gives the tasks of a streaming query (StreamExecution and MicroBatchExecution)."""

log = logging.getLogger(__name__)


class RowsAdded(WriterCommitMessage):
    """The rows of one task, by what became of them."""

    def __init__(self, written: "Written", key: "PartitionKey") -> None:
        self.rows, self.known, self.rejected = written.rows, written.known, written.rejected
        self.dead_letters = written.dead_letters
        self.query, self.channel = key.query, key.channel


class SnowpipeDataSource(DataSource):
    """A table of Snowflake, for writes. Raises ConfigError for its options."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._parsed = SnowpipeOptions.parse(options)

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def writer(self, schema: spark.StructType, overwrite: bool) -> "SnowpipeWriter":
        return SnowpipeWriter(self._parsed, checked(schema, is_overwrite=overwrite))

    def streamWriter(self, schema: spark.StructType, overwrite: bool) -> "SnowpipeStreamWriter":
        """Raises PlanUnchecked. A job of `write` is not asked: a task of it that is tried again is all that could differ."""
        if not (self._parsed.replayable or self._parsed.unchecked):
            raise PlanUnchecked(self._parsed.name)
        return SnowpipeStreamWriter(self._parsed, checked(schema, is_overwrite=overwrite))


class SnowpipeWriter(DataSourceWriter):
    """One job's rows: each once, however often a task of it is tried; a job that is run again adds its rows again."""

    def __init__(self, options: SnowpipeOptions, schema: spark.StructType) -> None:
        self._options, self._schema = options, schema
        self._run = uuid4().hex

    def write(self, iterator: Iterator[Row]) -> RowsAdded:
        """Raises what PartitionWriter.write raises."""
        return add_rows(self._options, self._schema, iterator, self._run, 0, run=self._run[:12])

    def commit(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Removes the job's channels, of which a pipe has no more than 2,000."""
        from firnline_ingest.datasource.snowpipe.table import SnowflakeTable

        table = SnowflakeTable.of(self._options)
        _say_dead_letters(messages, self._options)
        for message in messages:
            assert isinstance(message, RowsAdded)
            try:
                table.channels.drop(table.target, message.channel)
            except FirnlineError as error:
                log.warning(
                    "channel.kept", extra={"channel": message.channel, "problem": error.id, "cause": error.what}
                )

    def abort(self, messages: Sequence[WriterCommitMessage | None]) -> None:
        """Nothing can be taken back."""


class SnowpipeStreamWriter(DataSourceStreamWriter):
    """The batches of a streaming query."""

    def __init__(self, options: SnowpipeOptions, schema: spark.StructType) -> None:
        self._options, self._schema = options, schema

    def write(self, iterator: Iterator[Row]) -> RowsAdded:
        """Raises BatchUnknown, and what PartitionWriter.write raises."""
        task = TaskContext.get()
        query, batch = (task and task.getLocalProperty(each) for each in (QUERY_ID, BATCH_ID))
        if not query or not batch:
            raise BatchUnknown
        return add_rows(self._options, self._schema, iterator, query.replace("-", ""), int(batch))

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        """Looks for partitions that the batch had when it was run before, and has no more. Raises BatchDiffers."""
        from firnline_ingest.datasource.snowpipe.table import SnowflakeTable

        added = _say_dead_letters(messages, self._options)
        if added:
            SnowflakeTable.of(self._options).refuse_left_over(
                added[0].query, batchId, len(messages), _channel(self._options)
            )

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:
        """Nothing can be taken back, and nothing needs to: the batch is run again, and adds what is missing."""


def add_rows(
    options: SnowpipeOptions, schema: spark.StructType, rows: Iterator[Row], query: str, batch: int, *, run: str = ""
) -> RowsAdded:
    """Returns when every row is committed, or kept as a dead letter. Raises what PartitionWriter.write raises, and ConfigError
    for the table.
    """
    from firnline_ingest.datasource.snowpipe.letters import RowLetters, writable
    from firnline_ingest.datasource.snowpipe.partition import PartitionWriter
    from firnline_ingest.datasource.snowpipe.table import SnowflakeTable

    table = SnowflakeTable.of(options)
    table.check(schema.names)
    key = _key(options, query, batch, run)
    letters = RowLetters(table.letters, options.name, str(table.target), key) if table.letters else None
    writer = PartitionWriter(table.channels, table.target, key, tolerance=options.tolerance, letters=letters)
    made = writable(schema, row_encoder(schema))
    return RowsAdded(writer.write(map(made, rows)), key)


def _say_dead_letters(messages: Sequence[WriterCommitMessage | None], options: SnowpipeOptions) -> list[RowsAdded]:
    """Returns the messages of tasks. Their dead letters are in the driver's log, in words: nobody has set a logger up there."""
    added = [message for message in messages if isinstance(message, RowsAdded)]
    if count := sum(message.dead_letters for message in added):
        log.warning("%s: %d rows could not be rows of the table and are in %s", SINK, count, options.dead_letters)
    return added


def _key(options: SnowpipeOptions, query: str, batch: int, run: str) -> "PartitionKey":
    from firnline_ingest.datasource.snowpipe.partition import PartitionKey

    task = TaskContext.get()
    partition = 0 if task is None else task.partitionId()
    return PartitionKey(query, batch, partition, _channel(options, run)(partition))


def _channel(options: SnowpipeOptions, run: str = "") -> Callable[[int], str]:
    """Names a partition's channel."""
    parts = ("spark", options.name, *([run] if run else []))
    return lambda partition: CHANNEL_SEPARATOR.join((*parts, str(partition))).upper()


def checked(schema: spark.StructType, *, is_overwrite: bool) -> spark.StructType:
    """Returns the schema. Raises ConfigError."""
    problems = ["mode: must be append: a channel only adds rows"] if is_overwrite else []
    if len({name.lower() for name in schema.names}) < len(schema.names):
        problems.append("schema: two columns have the same name; Snowflake's are found whatever the case")
    if not schema.names:
        problems.append("schema: it has no column")
    if problems:
        raise ConfigError(SINK, problems)
    return schema
