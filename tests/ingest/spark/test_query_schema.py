"""Values against a query's schema: one that does not fit is refused before Spark has it, which would make another one of it."""

from decimal import Decimal

import msgspec
import pytest
from pyspark.sql import types as spark

from firnline_ingest.spark.query_schema import typed_by

decode = msgspec.json.Decoder(float_hook=Decimal).decode


@pytest.mark.parametrize(
    ("of", "value", "why"),
    [
        (spark.FloatType(), b"1e39", "larger than a FLOAT"),
        (spark.FloatType(), b"-3.5e38", "larger than a FLOAT"),
        (spark.DoubleType(), b"1e400", "larger than a DOUBLE"),
        (spark.LongType(), b"1.5", "not an integer"),
        (spark.DateType(), b'"2026-02-29"', "day is out of range"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(of: spark.DataType, value: bytes, why: str) -> None:
    typed = typed_by(spark.StructType([spark.StructField("n", of)]))
    with pytest.raises(ValueError, match=f"n: .*{why}"):
        typed(b'{"n":%b}' % value)


@pytest.mark.parametrize("value", [b"3.4028234e38", b"1e-50", b"16777217"])
def test_a_float_that_fits_is_taken(value: bytes) -> None:
    typed = typed_by(spark.StructType([spark.StructField("n", spark.FloatType())]))
    assert float(decode(typed(b'{"n":%b}' % value))["n"]) == float(value)
