"""Puts a DataFrame's rows into a stream, at least once: Kinesis has no transactions, and a repeated task puts its rows again.

A row is a record: the columns of the raw record as they are, or all columns as one JSON object, or as a line of csv.
"""

import csv
import io
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql import Row
from pyspark.sql import types as spark
from pyspark.sql.datasource import DataSourceStreamWriter, DataSourceWriter, WriterCommitMessage

from firnline_ingest.datasource.options import SOURCE, SourceOptions
from firnline_ingest.datasource.plain import encode, plain_of, row_encoder
from firnline_ingest.errors import ConfigError
from firnline_ingest.sink.client import sink_client
from firnline_ingest.sink.errors import RecordUnfit
from firnline_ingest.sink.keys import MOST_CHARACTERS, random_keys
from firnline_ingest.sink.kinesis_sink import KinesisSink
from firnline_ingest.sink.options import SinkOptions

DATA, KEY, HASH_KEY = "data", "partition_key", "explicit_hash_key"
JSON, CSV = "json", "csv"
NESTED = (spark.ArrayType, spark.MapType, spark.StructType)


@dataclass
class PutRows(WriterCommitMessage):
    """The number of records that one task put."""

    records: int


class KinesisWriter(DataSourceWriter):
    """A batch of rows, put by `df.write`."""

    def __init__(self, options: SourceOptions, schema: spark.StructType, *, is_overwrite: bool) -> None:
        """Raises ConfigError for a schema that makes no records, and for the mode overwrite."""
        self._options = options
        self._schema = _checked(options, schema, is_overwrite=is_overwrite)

    def write(self, iterator: Iterator[Row]) -> PutRows:
        """Raises SinkFailed, with how many records are in the stream."""
        return put_rows(self._options, self._schema, iterator)


class KinesisStreamWriter(DataSourceStreamWriter):
    """The batches of a streaming query, put by `df.writeStream`."""

    def __init__(self, options: SourceOptions, schema: spark.StructType, *, is_overwrite: bool) -> None:
        """Raises ConfigError as `KinesisWriter` does."""
        self._options = options
        self._schema = _checked(options, schema, is_overwrite=is_overwrite)

    def write(self, iterator: Iterator[Row]) -> PutRows:
        """Raises SinkFailed, with how many records are in the stream."""
        return put_rows(self._options, self._schema, iterator)

    def commit(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Nothing is left to do: each record was acknowledged."""

    def abort(self, messages: Sequence[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Nothing can be taken back."""


def put_rows(options: SourceOptions, schema: spark.StructType, rows: Iterator[Row]) -> PutRows:
    """Returns when every row is acknowledged. Raises RecordUnfit for a row that no stream takes, and SinkFailed."""
    settings = SinkOptions(ordered=options.ordered)
    record = _encoded(schema, _encoder(options, schema)) if options.format else _as_it_is(schema)
    key_of = _key_of(options, schema)
    with KinesisSink(sink_client(options.aws, settings), options.stream, settings, key=random_keys()) as sink:
        for row in rows:
            data, key, hash_key = record(row)
            if data is None:
                raise RecordUnfit(options.stream, f"has no {DATA}")
            sink.put(data, key_of(row) if key is None else key, hash_key=hash_key)
        return PutRows(sink.close().records)


Record = tuple[bytes | None, str | None, str | None]
"""The data, the partition key and the explicit hash key."""


def _as_it_is(schema: spark.StructType) -> Callable[[Row], Record]:
    places = {name: place for place, name in enumerate(schema.names)}

    def record(row: Row) -> Record:
        data = row[places[DATA]]
        key, hash_key = (row[places[name]] if name in places else None for name in (KEY, HASH_KEY))
        return data.encode() if isinstance(data, str) else None if data is None else bytes(data), key, hash_key

    return record


def _encoded(schema: spark.StructType, encoded: Callable[[Row], bytes]) -> Callable[[Row], Record]:
    """Returns what makes a record of all columns but the keys."""
    keys = {name: place for place, name in enumerate(schema.names) if name in (KEY, HASH_KEY)}

    def record(row: Row) -> Record:
        key, hash_key = (row[keys[name]] if name in keys else None for name in (KEY, HASH_KEY))
        return encoded(row), key, hash_key

    return record


def _encoder(options: SourceOptions, schema: spark.StructType) -> Callable[[Row], bytes]:
    if options.format == CSV:
        return line_encoder(schema, options.delimiter, without=(KEY, HASH_KEY))
    return row_encoder(schema, without=(KEY, HASH_KEY))


def line_encoder(schema: spark.StructType, delimiter: str, *, without: Collection[str]) -> Callable[[Row], bytes]:
    """Returns what makes a row one line of fields (RFC 4180) without a line break behind it; a null is an empty field."""
    fields = [(place, plain_of(each.dataType)) for place, each in enumerate(schema.fields) if each.name not in without]

    def line(row: Row) -> bytes:
        text = io.StringIO()
        values = ("" if row[place] is None else _text(plain(row[place])) for place, plain in fields)
        csv.writer(text, delimiter=delimiter).writerow(values)  # its line break is what it quotes fields for
        return text.getvalue().removesuffix("\r\n").encode()

    return line


def _text(plain: object) -> str:
    """A text as it is, other values as JSON writes them."""
    return plain if isinstance(plain, str) else encode(plain).decode()


def _key_of(options: SourceOptions, schema: spark.StructType) -> Callable[[Row], str | None]:
    """The key that `partitionBy` makes of a row; None without any value."""
    parts = [(schema.names.index(name), plain_of(schema[name].dataType)) for name in options.partition_by]

    def key(row: Row) -> str | None:
        values = [None if row[place] is None else plain(row[place]) for place, plain in parts]
        if all(value is None for value in values):
            return None
        texts = ["" if each is None else _text(each) for each in values]
        return options.partition_delimiter.join(texts)[:MOST_CHARACTERS] or None

    return key


def _checked(options: SourceOptions, schema: spark.StructType, *, is_overwrite: bool) -> spark.StructType:
    """Returns the schema."""
    kinds = {field.name: field.dataType.simpleString() for field in schema.fields}
    problems = ["mode: must be append: a stream can't be overwritten"] if is_overwrite else []
    if len({name.lower() for name in schema.names}) < len(schema.names):
        problems.append("schema: two columns have the same name")
    if options.format not in (None, JSON, CSV):
        problems.append(
            f"format: must be json or csv for a write, or absent for the columns of the raw record, and is {options.format}"
        )
    if options.format == CSV:
        problems += [
            f"schema: {each.name} is {kinds[each.name]}, for which a line of csv has no form: to_json makes it a text"
            for each in schema.fields
            if isinstance(each.dataType, NESTED)
        ]
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
    return schema
