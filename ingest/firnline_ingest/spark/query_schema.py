"""Objects in the columns of a query's schema: each value is held against its type before Spark has it, by the converters of
`format("kinesis")`, and written as Spark's own JSON reader takes it.

So a record that does not fit is a dead letter, and no value becomes NULL on its way.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from pyspark.sql import types as spark

from firnline_ingest.datasource.rows import converter
from firnline_ingest.errors import ConfigError
from firnline_ingest.records.document import Document
from firnline_ingest.records.rejection import DuplicateKeys

Typed = Callable[[bytes], bytes]

_decode = msgspec.json.Decoder(float_hook=Decimal).decode
_encode = msgspec.json.Encoder(decimal_format="number").encode


def typed_by(schema: spark.StructType) -> Typed:
    """Returns what writes an object with the schema's columns; that raises ValueError for a value that does not fit, and
    DuplicateKeys for an object of which a column would get one of two values.

    Raises ConfigError for a type that no record fills."""
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
