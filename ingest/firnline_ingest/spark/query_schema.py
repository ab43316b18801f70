"""Objects in the columns of a query's schema: each value is held against its type before Spark has it, by the converters of
`format("kinesis")`, and written as Spark's own JSON reader takes it.

So a record that does not fit is a dead letter, and no value becomes NULL on its way. Most objects are read by msgspec into
a class of the schema, which takes a fifth of the time; what that refuses, for whatever reason, the converters decide.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from types import GenericAlias
from typing import Annotated, Any

import msgspec
from pyspark.sql import types as spark

from firnline_ingest.datasource.rows import converter
from firnline_ingest.errors import ConfigError
from firnline_ingest.records.document import Document
from firnline_ingest.records.rejection import DuplicateKeys

Typed = Callable[[bytes], bytes]
Finish = Callable[[Any], Any]
"""Makes of a value that msgspec has read the one of its type, as the type's converter does of JSON's."""
BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
READ_BY_MSGSPEC = {"string": str, "boolean": bool, "double": float, "binary": bytes}
FAULTS = (msgspec.MsgspecError, ValueError, ArithmeticError, RecursionError, DuplicateKeys)

_decode = msgspec.json.Decoder(float_hook=Decimal).decode
_encode = msgspec.json.Encoder(decimal_format="number").encode


def typed_by(schema: spark.StructType) -> Typed:
    """Returns what writes an object with the schema's columns; that raises ValueError for a value that does not fit, and
    DuplicateKeys for an object of which a column would get one of two values.

    Raises ConfigError for a type that no record fills."""
    converted = _by_converters(schema)
    try:
        of_class, finish = _read_as(schema)
    except ValueError:  # a name that no class of msgspec may have
        return converted
    decode = msgspec.json.Decoder(of_class).decode
    in_capitals = {field.name.upper() for field in schema.fields} - set(schema.names)

    def typed(document: bytes) -> bytes:
        try:
            members = Document.opened(msgspec.Raw(document))
            if isinstance(members, dict) and in_capitals.isdisjoint(members):
                document.decode()  # msgspec passes over keys that it does not need
                row = decode(document)
                return _encode(row if finish is None else finish(row))
        except FAULTS:
            """Decided below, with its reason."""
        return converted(document)

    return typed


def _by_converters(schema: spark.StructType) -> Typed:
    columns = [
        (field.name, field.name.upper(), converter(field.dataType), _writer(field.dataType)) for field in schema.fields
    ]

    def typed(document: bytes) -> bytes:
        found = _decode(document)
        if not isinstance(found, dict):
            raise ValueError("it is not a JSON object")
        Document.opened(msgspec.Raw(document))
        made = {}
        for name, upper, convert, write in columns:
            if name != upper and name in found and upper in found:
                raise DuplicateKeys(f"the keys {name[:60]!r} and {upper[:60]!r} are one column")
            value = found[name] if name in found else found.get(upper)
            if value is not None:
                try:
                    made[name] = write(convert(value))
                except (ValueError, ArithmeticError, msgspec.ValidationError) as error:
                    raise ValueError(f"{name}: {error}") from error
        return _encode(made)

    return typed


def _read_as(of: spark.DataType) -> tuple[Any, Finish | None]:
    """Returns the type by which msgspec reads values of this one, and what is left to do then. Raises ValueError where there is
    none."""
    match of:
        case spark.ArrayType(elementType=element):
            inner, finish = _read_as(element)
            return GenericAlias(list, (inner | None,)), finish and _each(finish)
        case spark.MapType(valueType=value):
            inner, finish = _read_as(value)
            return GenericAlias(dict, (str, inner | None)), finish and _each_value(finish)
        case spark.StructType():
            return _class_of(of)
        case spark.DecimalType():
            return Decimal, converter(of)
        case spark.FloatType():
            convert = converter(of)
            return float, lambda number: convert(Decimal(number))
    kind = of.simpleString()
    if bits := BITS.get(kind):
        return Annotated[int, msgspec.Meta(ge=-(2 ** (bits - 1)), le=2 ** (bits - 1) - 1)], None
    return (READ_BY_MSGSPEC[kind], None) if kind in READ_BY_MSGSPEC else (str, converter(of))


def _class_of(schema: spark.StructType) -> tuple[Any, Finish | None]:
    """A value that is not there is left out, as one that is null. Raises ValueError for a name with a quote or a backslash."""
    fields, finished = list[tuple[str, Any, None]](), list[tuple[str, Finish]]()
    for number, field in enumerate(schema.fields):
        inner, finish = _read_as(field.dataType)
        fields.append((f"f{number}", inner | None, None))
        if finish is not None:
            finished.append((f"f{number}", finish))
    names = {f"f{number}": name for number, name in enumerate(schema.names)}
    made = msgspec.defstruct("Row", fields, rename=names, omit_defaults=True, gc=False)

    def finish_all(row: Any) -> Any:
        for name, finish in finished:
            if (value := getattr(row, name)) is not None:
                setattr(row, name, finish(value))
        return row

    return made, finish_all if finished else None


def _each(finish: Finish) -> Finish:
    return lambda values: [None if value is None else finish(value) for value in values]


def _each_value(finish: Finish) -> Finish:
    return lambda pairs: {key: None if value is None else finish(value) for key, value in pairs.items()}


def refuse_schema(schema: spark.StructType, source: str) -> None:
    """Raises ConfigError for columns that no record fills."""
    names = [field.name.lower() for field in schema.fields]
    problems = [
        f"schema: {field.name} must not be NOT NULL: a record may lack it" for field in schema if not field.nullable
    ]
    if len(set(names)) < len(names):
        problems.append("schema: two columns have the same name")
    try:
        for field in schema.fields:
            converter(field.dataType)
    except ConfigError as error:
        problems += error.problems
    if problems:
        raise ConfigError(source, problems)


def _writer(of: spark.DataType) -> Callable[[Any], Any]:
    """Returns what makes a converted value one that JSON holds: pairs of a map become an object."""
    match of:
        case spark.MapType(valueType=inner):
            value_of = _writer(inner)
            return lambda pairs: {key: None if value is None else value_of(value) for key, value in pairs}
        case spark.ArrayType(elementType=element):
            each = _writer(element)
            return lambda values: [None if value is None else each(value) for value in values]
        case spark.StructType(fields=fields):
            parts: Sequence[tuple[str, Callable[[Any], Any]]] = [(each.name, _writer(each.dataType)) for each in fields]
            return lambda values: {name: write(values[name]) for name, write in parts if values.get(name) is not None}
    return lambda value: value
