"""Rows of a DataFrame as JSON."""

import base64
from collections.abc import Callable, Collection
from datetime import UTC
from typing import Any

import msgspec
from pyspark.sql import Row
from pyspark.sql import types as spark

from firnline_ingest.records.conversion import as_json

Plain = Callable[[Any], Any]

encode = msgspec.json.Encoder(decimal_format="number", enc_hook=str).encode


def row_encoder(schema: spark.StructType, *, without: Collection[str] = ()) -> Callable[[Row], bytes]:
    """Returns what makes a row one JSON object, whose keys are the names of its columns; the same row gives the same bytes."""
    fields = [
        (place, each.name, plain_of(each.dataType))
        for place, each in enumerate(schema.fields)
        if each.name not in without
    ]
    return lambda row: encode(
        {name: None if row[place] is None else plain(row[place]) for place, name, plain in fields}
    )


def plain_of(of: spark.DataType) -> Plain:
    """Returns what makes a value of this type one that JSON has: times by ISO 8601, bytes in base64, NaN and the infinities as
    texts, which JSON has no numbers for.

    Spark hands a TIMESTAMP over as a time of this process's own zone, without an offset.
    """
    match of:
        case spark.StructType(fields=fields):
            parts = [(each.name, plain_of(each.dataType)) for each in fields]
            return lambda value: {
                name: None if each is None else plain(each) for (name, plain), each in zip(parts, value, strict=True)
            }
        case spark.ArrayType(elementType=element):
            plain = plain_of(element)
            return lambda value: [None if each is None else plain(each) for each in value]
        case spark.MapType(valueType=inner):
            to_plain = plain_of(inner)
            return lambda value: {str(name): None if each is None else to_plain(each) for name, each in value.items()}
        case spark.TimestampType():
            return lambda value: value.astimezone(UTC).isoformat()
        case spark.DateType() | spark.TimestampNTZType():
            return lambda value: value.isoformat()
        case spark.BinaryType():
            return lambda value: base64.b64encode(value).decode()
        case spark.FloatType() | spark.DoubleType():
            return as_json
    return lambda value: value
