"""The columns of a DataFrame: the raw record, or the columns of a declared schema that a format fills.

The formats are the engine's own (docs/records.md). A record that can't be read by its format, or whose values do not fit the
schema, is treated as Spark's own readers treat one: `mode` says how.
"""

import json
import math
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING, Any

import msgspec
from pyspark.sql import types as spark

from firnline_ingest.config.format import Decoder, Format
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.datasource.errors import RecordMalformed
from firnline_ingest.datasource.options import SOURCE, Mode, SourceOptions
from firnline_ingest.errors import ConfigError
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.contents import decoder_of
from firnline_ingest.records.rejection import Unusable
from firnline_ingest.schemas import SchemaRegistries
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    import pyarrow as pa

METADATA: Mapping[str, str] = {
    "data": "binary",
    "partition_key": "string",
    "sequence_number": "string",
    "sub_sequence_number": "bigint",
    "arrival": "timestamp",
    "shard_id": "string",
    "stream": "string",
}
"""The type of each column of the raw schema."""
SCHEMA = ", ".join(f"{name} {kind}" for name, kind in METADATA.items())
PLACES = {name: place for place, name in enumerate(METADATA)}
CORRUPT = "_corrupt_record"
"""Spark's own default name of the column that has a record which could not be read."""
MOST_BYTES = 16_777_216
MOST_DIGITS = 18
"""The power of ten of the largest BIGINT."""
DECIMALS = Context(prec=76, rounding=ROUND_HALF_UP)
TEXTS = {"csv"}
"""Formats whose values are texts."""
NOT_TEXT = {"boolean", "tinyint", "smallint", "int", "bigint", "float", "double"}
Convert = Callable[[Any], Any]

_decode = msgspec.json.Decoder(float_hook=Decimal).decode
_encode = msgspec.json.Encoder(decimal_format="number").encode


@dataclass(frozen=True)
class Column:
    """A column of a declared schema: filled from the record's metadata, or from a key of its content."""

    name: str
    type: spark.DataType
    place: int | None = None
    """Of the metadata that fills it."""
    convert: Convert | None = None
    """Of the value of its key; neither of the two for `_corrupt_record`."""

    def value_in(self, found: Mapping[str, Any]) -> Any:
        """The value of its key: as the column is written, or in capitals, as formats write the columns that they name."""
        return found[self.name] if self.name in found else found.get(self.name.upper())


class FrameRows:
    """Makes Arrow batches of one schema; pickled with the reader."""

    def __init__(self, schema: spark.StructType | None, options: SourceOptions) -> None:
        """`schema` is the user's own, or the raw one; None stands for that."""
        self._options = options
        self._schema = None if schema is None or _is_raw(schema, options) else schema
        self._columns: Sequence[Column] = ()
        self._decoder: Decoder | None = None
        self._is_ready = False

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_columns": (), "_decoder": None, "_is_ready": False}

    def check(self) -> None:
        """Raises ConfigError for a schema that the options do not fill, and for a format that is not one."""
        if self._schema is None or self._is_ready:
            return
        if self._options.format is None:
            raise ConfigError(
                SOURCE, ["format: is required with a schema of one's own: json, csv, avro, or a format's JSON"]
            )
        of = format_of(self._options)
        self._columns = _columns(self._schema, self._options, is_text=of.type in TEXTS)
        self._decoder = decoder_of(of, lambda found: found, MOST_BYTES, SchemaRegistries(self._options.aws))
        self._is_ready = True

    def batch(self, records: Sequence[Record], key: ShardKey) -> "pa.RecordBatch":
        """Raises RecordMalformed in the mode FAILFAST, and the errors of a schema registry."""
        import pyarrow as pa

        self.check()
        if self._schema is None:
            types = {name: arrow_type(spark_type(kind)) for name, kind in METADATA.items()}
            made: Sequence[Sequence[Any]] = [_metadata(record, key) for record in records]
        else:
            types = {column.name: arrow_type(column.type) for column in self._columns}
            made = list(self._rows(records, key))
        columns = [pa.array([row[place] for row in made], type_) for place, type_ in enumerate(types.values())]
        return pa.RecordBatch.from_arrays(columns, names=list(types))

    def _rows(self, records: Sequence[Record], key: ShardKey) -> Iterator[Sequence[Any]]:
        for record in records:
            metadata = _metadata(record, key)
            try:
                yield from [self._row(document, metadata) for document in self._documents(record.Data)]
            except (Unusable, msgspec.MsgspecError, ValueError, ArithmeticError, RecursionError) as error:
                if self._options.mode is Mode.FAILFAST:
                    raise RecordMalformed(str(key), record.SequenceNumber, str(error)) from error
                if self._options.mode is Mode.PERMISSIVE:
                    yield [_of_malformed(column, metadata, record.Data) for column in self._columns]

    def _row(self, document: bytes, metadata: Sequence[Any]) -> Sequence[Any]:
        found = _decode(document)
        if not isinstance(found, dict):
            raise ValueError("it is not a JSON object")
        return [
            metadata[column.place]
            if column.place is not None
            else column.convert and _converted(column.name, column.convert, column.value_in(found))
            for column in self._columns
        ]

    def _documents(self, data: bytes) -> Iterator[bytes]:
        return iter([data]) if self._decoder is None else self._decoder(data)


def _is_raw(schema: spark.StructType, options: SourceOptions) -> bool:
    found = {field.name: field.dataType.simpleString() for field in schema.fields}
    return options.format is None and list(found.items()) == list(METADATA.items())


def _columns(schema: spark.StructType, options: SourceOptions, *, is_text: bool) -> Sequence[Column]:
    """Raises ConfigError with every problem."""
    declared = {field.name.lower() for field in schema.fields}
    if len(declared) < len(schema.fields):
        raise ConfigError(SOURCE, ["schema: two columns have the same name"])
    problems = [f"metadata.{name}: the schema has no column {name}" for name in options.metadata.keys() - declared]
    columns = []
    for field in schema.fields:
        source, kind = options.metadata.get(field.name.lower()), field.dataType.simpleString()
        if source is not None:
            if kind != METADATA[source]:
                problems.append(
                    f"metadata.{field.name}: the column is of the type {kind}, and {source} of {METADATA[source]}"
                )
            columns.append(Column(field.name, field.dataType, place=PLACES[source]))
        elif field.name == CORRUPT:
            if kind != "string":
                problems.append(f"schema: {CORRUPT} must be of the type string, and is of {kind}")
            columns.append(Column(field.name, field.dataType))
        else:
            convert = converter(field.dataType)
            columns.append(
                Column(
                    field.name, field.dataType, convert=_from_text(convert) if is_text and kind in NOT_TEXT else convert
                )
            )
        if not field.nullable:
            problems.append(f"schema: {field.name} must not be NOT NULL: a record may lack it")
    if problems:
        raise ConfigError(SOURCE, problems)
    return columns


def _metadata(record: Record, key: ShardKey) -> Sequence[Any]:
    """The values of the raw schema's columns."""
    arrival = record.ApproximateArrivalTimestamp
    return (
        record.Data,
        record.PartitionKey,
        record.SequenceNumber,
        record.position.sub_sequence_number,
        None if arrival is None else datetime.fromtimestamp(arrival, UTC),
        key.shard_id,
        key.stream,
    )


def _of_malformed(column: Column, metadata: Sequence[Any], data: bytes) -> Any:
    if column.place is not None:
        return metadata[column.place]
    return data.decode("utf-8", errors="backslashreplace") if column.name == CORRUPT else None


def format_of(options: SourceOptions) -> Format:
    """The engine's format that `format` names. Raises ConfigError."""
    from pydantic import ValidationError

    text = options.format or ""
    try:
        document = json.loads(text) if text.startswith("{") else {"type": text}
    except (ValueError, RecursionError) as error:
        raise ConfigError(SOURCE, [f"format: is not valid JSON: {error}"]) from None
    pipeline = {"stream": options.stream, "database": "D", "schema": "S", "format": document}
    try:
        return PipelineConfig.model_validate(pipeline).format
    except ValidationError as error:
        problems = [f"{_where(each['loc'])}: {each['msg'].removeprefix('Value error, ')}" for each in error.errors()]
        raise ConfigError(SOURCE, problems) from None


def _where(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location))


def spark_type(text: str) -> spark.DataType:
    """One of the types of the raw schema."""
    return {"binary": spark.BinaryType(), "bigint": spark.LongType(), "timestamp": spark.TimestampType()}.get(
        text, spark.StringType()
    )


def arrow_type(of: spark.DataType) -> "pa.DataType":
    """The type in which Spark takes a column from Python. Raises ConfigError for one that no format fills."""
    import pyarrow as pa

    match of:
        case spark.ArrayType(elementType=element):
            return pa.list_(pa.field("element", arrow_type(element), nullable=of.containsNull))
        case spark.MapType(keyType=key, valueType=value):
            return pa.map_(arrow_type(key), pa.field("value", arrow_type(value), nullable=of.valueContainsNull))
        case spark.StructType(fields=fields):
            return pa.struct(
                [pa.field(each.name, arrow_type(each.dataType), nullable=each.nullable) for each in fields]
            )
        case spark.DecimalType(precision=precision, scale=scale):
            return pa.decimal128(precision, scale)
    simple = {
        "string": pa.string(),
        "boolean": pa.bool_(),
        "tinyint": pa.int8(),
        "smallint": pa.int16(),
        "int": pa.int32(),
        "bigint": pa.int64(),
        "float": pa.float32(),
        "double": pa.float64(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us", tz="UTC"),
        "timestamp_ntz": pa.timestamp("us"),
        "binary": pa.binary(),
    }
    if (found := simple.get(of.simpleString())) is None:
        raise ConfigError(SOURCE, [f"schema: a column of the type {of.simpleString()} can't be filled"])
    return found


def converter(of: spark.DataType) -> Convert:
    """Returns what makes a value of JSON one of this type; it raises ValueError or ArithmeticError where one does not fit."""
    match of:
        case spark.ArrayType(elementType=element):
            each = converter(element)
            return lambda value: [None if one is None else each(one) for one in _of(list, value)]
        case spark.MapType(keyType=key, valueType=inner):
            if key.simpleString() != "string":
                raise ConfigError(SOURCE, ["schema: the keys of a map must be of the type string"])
            to_key, to_value = converter(key), converter(inner)
            return lambda value: [
                (to_key(name), None if one is None else to_value(one)) for name, one in _of(dict, value).items()
            ]
        case spark.StructType(fields=fields):
            parts = [(each.name, converter(each.dataType)) for each in fields]
            return lambda value: {name: _converted(name, part, _of(dict, value).get(name)) for name, part in parts}
        case spark.DecimalType(precision=precision, scale=scale):
            return lambda value: _decimal(value, precision, scale)
    bits = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}.get(of.simpleString())
    if bits:
        return lambda value: _integer(value, bits)
    simple: dict[str, Convert] = {
        "string": _as_text,
        "boolean": lambda value: _of(bool, value),
        "float": _single,
        "double": _float,
        "date": lambda value: date.fromisoformat(_of(str, value)),
        "timestamp": _timestamp,
        "timestamp_ntz": lambda value: datetime.fromisoformat(_of(str, value)).replace(tzinfo=None),
        "binary": lambda value: msgspec.convert(value, bytes),
    }
    if (found := simple.get(of.simpleString())) is None:
        raise ConfigError(SOURCE, [f"schema: a column of the type {of.simpleString()} can't be filled"])
    return found


def _converted(name: str, convert: Convert, value: Any) -> Any:
    if value is None:
        return None
    try:
        return convert(value)
    except (ValueError, ArithmeticError, msgspec.ValidationError) as error:
        raise ValueError(f"{name}: {error}") from error


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{_as_text(value)[:60]} is not of the JSON type {kind.__name__}")
    return value


def _integer(value: Any, bits: int) -> int:
    if isinstance(value, Decimal):
        # looked at before it is an int, which takes half a minute of 1e1000000
        if value.adjusted() > MOST_DIGITS or value != value.to_integral_value():
            raise ValueError(f"{value:.20} is not an integer of {bits} bits")
        value = int(value)
    number = int(_of(int, value))
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise ValueError(f"{number} does not fit in {bits} bits")
    return number


def _float(value: Any) -> float:
    number = float(value) if isinstance(value, Decimal) else float(_of(int, value))
    if math.isinf(number):
        raise ValueError("it is larger than a DOUBLE can be")
    return number


def _single(value: Any) -> float:
    number = _float(value)
    try:
        struct.pack(">f", number)
    except OverflowError as error:
        raise ValueError("it is larger than a FLOAT can be") from error
    return number


def _decimal(value: Any, precision: int, scale: int) -> Decimal:
    """Rounded half up, as Spark rounds."""
    number = Decimal(value if isinstance(value, Decimal | str) else _of(int, value))
    if not number.is_finite() or (number and number.adjusted() >= precision - scale):
        raise ValueError(f"{_as_text(value)[:60]} does not fit in DECIMAL({precision}, {scale})")
    rounded = number.quantize(Decimal(1).scaleb(-scale), context=DECIMALS)
    if len(rounded.as_tuple().digits) > precision:
        raise ValueError(f"{number} does not fit in DECIMAL({precision}, {scale})")
    return rounded


def _timestamp(value: Any) -> datetime:
    """A time without an offset is one of UTC."""
    found = datetime.fromisoformat(_of(str, value))
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def _as_text(value: Any) -> str:
    """Converts as Spark's from_json does: text as it is, anything else as JSON, with a number's own digits."""
    return value if isinstance(value, str) else _encode(value).decode()


def _from_text(convert: Convert) -> Convert:
    """Converts values of a format that has texts only: a number or a truth value as JSON writes it."""

    def converted(value: Any) -> Any:
        return convert(_decode(value.encode()) if isinstance(value, str) else value)

    return converted
