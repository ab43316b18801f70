"""Puts a DataFrame's rows into a stream, at least once: Kinesis has no transactions, and a repeated task puts its rows again.

A row is a record: the columns of the raw record as they are, or all columns as one JSON object.
"""

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import msgspec
from pyspark.sql import Row
from pyspark.sql import types as spark
from pyspark.sql.datasource import DataSourceStreamWriter, DataSourceWriter, WriterCommitMessage

from firnline_ingest.datasource.options import SOURCE, SourceOptions
from firnline_ingest.errors import ConfigError
from firnline_ingest.sink.client import sink_client
from firnline_ingest.sink.keys import by_fields, by_number
from firnline_ingest.sink.kinesis_sink import KinesisSink
from firnline_ingest.sink.options import SinkOptions

DATA, KEY, HASH_KEY = "data", "partition_key", "explicit_hash_key"
JSON = "json"

_encode = msgspec.json.Encoder(decimal_format="number", enc_hook=str).encode


@dataclass
class PutRows(WriterCommitMessage):
    """What one task put."""

    records: int


class KinesisWriter(DataSourceWriter):
    """A batch of rows, put by `df.write`."""

    def __init__(self, options: SourceOptions, schema: spark.StructType, *, is_overwrite: bool) -> None:
        """Raises ConfigError for a schema that makes no records, and for the mode overwrite."""
        self._options = options
        self._names = _checked(options, schema, is_overwrite=is_overwrite)

    def write(self, iterator: Iterator[Row]) -> PutRows:
        """Raises SinkFailed, with how many records are in the stream."""
        return put_rows(self._options, self._names, iterator)


class KinesisStreamWriter(DataSourceStreamWriter):
    """The batches of a streaming query, put by `df.writeStream`."""

    def __init__(self, options: SourceOptions, schema: spark.StructType, *, is_overwrite: bool) -> None:
        """Raises ConfigError as `KinesisWriter` does."""
        self._options = options
        self._names = _checked(options, schema, is_overwrite=is_overwrite)

    def write(self, iterator: Iterator[Row]) -> PutRows:
        """Raises SinkFailed, with how many records are in the stream."""
        return put_rows(self._options, self._names, iterator)

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Nothing is left to do: each record was acknowledged."""

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Nothing can be taken back."""


def put_rows(options: SourceOptions, names: Sequence[str], rows: Iterator[Row]) -> PutRows:
    """Returns when every row is acknowledged. Raises RecordUnfit for a row that no stream takes, and SinkFailed."""
    settings = SinkOptions(ordered=options.ordered)
    key_of = (
        by_fields(*options.partition_by, delimiter=options.partition_delimiter) if options.partition_by else by_number
    )
    record = _as_json(names) if options.format == JSON else _as_it_is(names)
    with KinesisSink(sink_client(options.aws, settings), options.stream, settings, key=key_of) as sink:
        for row in rows:
            data, key, hash_key = record(row)
            sink.put(data, key, hash_key=hash_key)
        return PutRows(sink.close().records)


Record = tuple[bytes, str | None, str | None]
"""The data, the partition key and the explicit hash key."""


def _as_it_is(names: Sequence[str]) -> Callable[[Row], Record]:
    places = {name: place for place, name in enumerate(names)}

    def record(row: Row) -> Record:
        data = row[places[DATA]]
        key, hash_key = (row[places[name]] if name in places else None for name in (KEY, HASH_KEY))
        return data.encode() if isinstance(data, str) else bytes(data or b""), key, hash_key

    return record


def _as_json(names: Sequence[str]) -> Callable[[Row], Record]:
    keys = {name: place for place, name in enumerate(names) if name in (KEY, HASH_KEY)}

    def record(row: Row) -> Record:
        content = {name: _plain(value) for name, value in zip(names, row, strict=True) if name not in keys}
        key, hash_key = (row[keys[name]] if name in keys else None for name in (KEY, HASH_KEY))
        return _encode(content), key, hash_key

    return record


def _plain(value: Any) -> Any:
    """A value as JSON has it: times by ISO 8601, bytes in base64."""
    match value:
        case Row():
            return {name: _plain(each) for name, each in zip(value.__fields__, value, strict=True)}
        case list():
            return [_plain(each) for each in value]
        case dict():
            return {str(name): _plain(each) for name, each in value.items()}
        case bytes() | bytearray():
            return base64.b64encode(value).decode()
        case datetime() | date():
            return value.isoformat()
    return value


def _checked(options: SourceOptions, schema: spark.StructType, *, is_overwrite: bool) -> Sequence[str]:
    """Returns the names of the columns."""
    kinds = {field.name: field.dataType.simpleString() for field in schema.fields}
    problems = ["mode: must be append: a stream can't be overwritten"] if is_overwrite else []
    if options.format not in (None, JSON):
        problems.append(
            f"format: must be json for a write, or absent for the columns of the raw record, and is {options.format}"
        )
    if options.format is None and kinds.get(DATA) not in ("binary", "string"):
        problems.append(f"schema: a column {DATA} of the type binary or string is required, or the format json")
    if options.format is None and (others := kinds.keys() - {DATA, KEY, HASH_KEY}):
        problems.append(
            f"schema: {', '.join(sorted(others))} would be dropped: select {DATA}, {KEY} and {HASH_KEY}, or set format to json"
        )
    problems += [
        f"schema: {name} must be of the type string, and is {kinds[name]}"
        for name in (KEY, HASH_KEY)
        if kinds.get(name, "string") != "string"
    ]
    problems += [f"partitionBy: there is no column {name}" for name in options.partition_by if name not in kinds]
    if problems:
        raise ConfigError(SOURCE, problems)
    return list(kinds)
