"""The data source "kinesis" of PySpark's Python data source API, for batches and for streams, reading and writing.

A stream reader is one object in a process of its own, which Spark keeps for the life of a query, and its pickled copies in the
tasks. It works on every Spark from 4.0: those before 4.2 call latestOffset without arguments, and hand a restart's offset over
through partitions().
"""

# ruff: noqa: N802 (the methods' names are Spark's)

import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from firnline_ingest.datasource.options import LATEST, SourceOptions
from firnline_ingest.datasource.rows import SCHEMA, FrameRows
from firnline_ingest.datasource.shard import ShardRange, read_range

try:
    from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

    READS_ALL = True
    """Whether a run of availableNow reads everything that had arrived."""
except ImportError:  # before Spark 4.2: such a trigger runs one batch there
    READS_ALL = False

    class SupportsTriggerAvailableNow:  # type: ignore[no-redef]
        """Stands for Spark's mixin of the same name."""


if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient
    from pyarrow import RecordBatch

    from firnline_ingest.datasource.offset import ShardEnd, StreamOffset
    from firnline_ingest.datasource.writer import KinesisStreamWriter, KinesisWriter
    from firnline_ingest.kinesis.lineage import Lineage
    from firnline_ingest.kinesis.start import Pin

FORMAT = "kinesis"
LISTINGS = 4
"""So often a stream is listed before a parent that is not there is taken for expired."""
PLAN_EVERY_S = 1.0
"""The least time between two batches: each asks for the stream's shards."""


class KinesisDataSource(DataSource):
    """Amazon Kinesis Data Streams, for reads and writes of batches and streams. Raises ConfigError for its options."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._parsed = SourceOptions.parse(options)

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return SCHEMA

    def reader(self, schema: StructType) -> "KinesisReader":
        return KinesisReader(self._parsed, FrameRows(schema, self._parsed))

    def writer(self, schema: StructType, overwrite: bool) -> "KinesisWriter":
        from firnline_ingest.datasource.writer import KinesisWriter

        return KinesisWriter(self._parsed, schema, is_overwrite=overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> "KinesisStreamWriter":
        from firnline_ingest.datasource.writer import KinesisStreamWriter

        return KinesisStreamWriter(self._parsed, schema, is_overwrite=overwrite)

    def streamReader(self, schema: StructType) -> "KinesisStreamReader":
        return KinesisStreamReader(self._parsed, FrameRows(schema, self._parsed))


class ShardPartition(InputPartition):
    """One shard's part of a batch."""

    def __init__(self, wanted: ShardRange) -> None:
        super().__init__(wanted.key.shard_id)
        self.wanted = wanted


class KinesisReader(DataSourceReader):
    """A window of a stream: each shard in a partition, in order; shards beside one another."""

    def __init__(self, options: SourceOptions, rows: FrameRows) -> None:
        self._options = options
        self._rows = rows

    def partitions(self) -> Sequence[InputPartition]:
        from firnline_ingest.datasource.offset import start_text
        from firnline_ingest.kinesis.pin import server_time_ms
        from firnline_ingest.values import ShardKey, moment

        self._options.check_batch()
        self._rows.check()
        stream, end = self._options.stream, self._options.ending_position
        client, lineage = _looked_up(self._options)
        until_ms = int(moment(end).timestamp() * 1000) if end else server_time_ms(client, stream)
        begin, consumer = start_text(_begin(self._options, client)), _consumer(self._options)
        keys = [ShardKey(stream, lineage.stream_created_ms, shard) for shard in lineage.shards]
        return [ShardPartition(ShardRange(key, begin, until_ms, consumer_arn=consumer)) for key in keys]

    def read(self, partition: InputPartition) -> Iterator["RecordBatch"]:
        assert isinstance(partition, ShardPartition)
        return read_range(self._options, partition.wanted, self._rows)


class KinesisStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A streaming query's place in a stream."""

    def __init__(self, options: SourceOptions, rows: FrameRows) -> None:
        self._options = options
        self._rows = rows
        self._last: Mapping[str, Any] | None = None
        self._until_ms: int | None = None
        self._has_planned = False
        self._planned_s = float("-inf")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None, "_until_ms": None, "_planned_s": float("-inf")}

    def initialOffset(self) -> dict[str, Any]:
        from firnline_ingest.datasource.offset import StreamOffset, start_text

        self._options.check_stream()
        self._rows.check()
        client, lineage = _looked_up(self._options)
        begin = start_text(_begin(self._options, client))
        return StreamOffset(
            query=uuid4().hex,
            batch=0,
            stream=self._options.stream,
            stream_created_ms=lineage.stream_created_ms,
            begin=begin,
            starts={},
        ).as_document()

    def prepareForTriggerAvailableNow(self) -> None:
        from firnline_ingest.kinesis.pin import server_time_ms

        client, _ = _looked_up(self._options)
        self._until_ms = server_time_ms(client, self._options.stream)

    def latestOffset(self, start: Mapping[str, Any] | None = None, limit: object = None) -> dict[str, Any]:
        """Raises BatchUnread, StreamReplaced, and the errors of kinesis/errors.py."""
        from firnline_ingest.kinesis.errors import StreamReplaced

        time.sleep(max(0.0, self._planned_s + PLAN_EVERY_S - time.monotonic()))
        self._planned_s = time.monotonic()
        before = self._offset(start or self._last or self.initialOffset())
        _, lineage = _looked_up(self._options, before.starts)
        if lineage.stream_created_ms != before.stream_created_ms:
            raise StreamReplaced(before.stream)
        ends = self._ends_of(before)
        after = before.next(ends, lineage)
        # A batch that found nothing may be an earlier run's: only one of this run says that nothing is left.
        is_done = self._has_planned and dict(after.starts) == dict(before.starts)
        self._last = (before if is_done and self._until_ms is not None else after).as_document()
        self._has_planned = True
        return dict(self._last)

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> Sequence[InputPartition]:
        from firnline_ingest.datasource.offset import END
        from firnline_ingest.values import ShardKey

        self._options.check_stream()
        self._rows.check()
        self._last = end
        if start == end:
            return []
        plan, consumer = self._offset(end), _consumer(self._options)
        begins = {
            ShardKey(plan.stream, plan.stream_created_ms, shard): begin
            for shard, begin in plan.starts.items()
            if begin != END
        }
        return [
            ShardPartition(ShardRange(key, begin, self._until_ms, plan.query, plan.batch, consumer))
            for key, begin in begins.items()
        ]

    def read(self, partition: InputPartition) -> Iterator["RecordBatch"]:
        assert isinstance(partition, ShardPartition)
        return read_range(self._options, partition.wanted, self._rows)

    def commit(self, end: Mapping[str, Any]) -> None:
        from firnline_ingest.datasource.ends import BatchEnds

        plan = self._offset(end)
        BatchEnds.of(self._options, plan.query).forget_before(plan.batch)

    def _offset(self, document: Mapping[str, Any]) -> "StreamOffset":
        from firnline_ingest.datasource.offset import StreamOffset

        return StreamOffset.from_document(document, self._options.stream)

    def _ends_of(self, plan: "StreamOffset") -> "Mapping[str, ShardEnd]":
        """Returns where the batch ended that this offset planned. Raises BatchUnread if a shard of it was not read."""
        from firnline_ingest.datasource.ends import BatchEnds
        from firnline_ingest.datasource.errors import BatchUnread
        from firnline_ingest.datasource.offset import END

        wanted = [shard for shard, begin in plan.starts.items() if begin != END]
        if not wanted:
            return {}
        ends = BatchEnds.of(self._options, plan.query).of_batch(plan.batch)
        if missing := [shard for shard in wanted if shard not in ends]:
            raise BatchUnread(plan.stream, plan.batch, missing, str(self._options.metadata_path))
        return ends


def _looked_up(options: SourceOptions, starts: Mapping[str, str] | None = None) -> "tuple[KinesisClient, Lineage]":
    """A client and the stream's shards: listed again while a shard that is new has a parent which the listing lacks."""
    from firnline_ingest.datasource.offset import lacks_parents
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage

    client = kinesis_client(options.aws, attempts=5)
    lineage = read_lineage(client, options.stream)
    for _ in range(LISTINGS - 1):
        if not lacks_parents(lineage, starts or {}):
            break
        time.sleep(PLAN_EVERY_S)
        lineage = lineage.joined(read_lineage(client, options.stream))
    return client, lineage


def _consumer(options: SourceOptions) -> str | None:
    """Returns the ARN of the consumer that the shards are read by. Raises ConsumerMissing for a name that is not there."""
    if not options.consumer_name:
        return options.consumer_arn
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.consumers import find_arn
    from firnline_ingest.kinesis.lineage import read_summary

    client = kinesis_client(options.aws, attempts=5)
    return find_arn(client, options.stream, read_summary(client, options.stream).arn, options.consumer_name)


def _begin(options: SourceOptions, client: "KinesisClient") -> "Pin":
    """The starting position; `latest` becomes the service's time, so that no restart moves it. Raises StartInFuture."""
    from firnline_ingest.config.position import InitialPosition, StartAt
    from firnline_ingest.kinesis.pin import initial_pin

    if (begins := options.starts_at) is not None:
        position = InitialPosition(at=StartAt.AT_TIMESTAMP, timestamp=begins)
    else:
        position = InitialPosition(at=StartAt.LATEST if options.starting_position == LATEST else StartAt.TRIM_HORIZON)
    return initial_pin(position, client, options.stream)
