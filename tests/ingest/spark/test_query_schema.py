"""Values against a query's schema: one that does not fit is refused before Spark has it, which would make another one of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import msgspec
import pytest
from pyspark.sql import types as spark

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.queried import QueriedRows
from firnline_ingest.records.rows import RECORD_ROWS
from firnline_ingest.spark.query_schema import Typed, typed_by
from tests.fakes.configs import config, reading

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


@dataclass(frozen=True)
class QueryOfAll:
    """Makes a row of each object, as it is."""

    typed: Typed

    def rows_of(self, documents: Sequence[bytes]) -> Sequence[Sequence[bytes]]:
        return [[each] for each in documents]


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b'{"n":1,"n":2}', "the key 'n' occurs 2 times."),
        (b'{"n":1, "\\u006e":2}', "the key 'n' occurs 2 times."),
        (b'{"n":1,"N":2}', "the keys 'n' and 'N' are one column."),
        (b'{"N":2,"n":null}', "the keys 'n' and 'N' are one column."),
        (b'{"other":1,"n":3,"other":2}', "the key 'other' occurs 2 times."),
    ],
)
def test_a_record_with_two_values_for_one_column_is_a_dead_letter_as_without_a_query(data: bytes, detail: str) -> None:
    schema = spark.StructType([spark.StructField("n", spark.LongType())])
    query = {"schema": "n BIGINT", "sql": "SELECT * FROM rows"}
    (pipeline,) = config(pipelines=[reading("orders", query=query)]).pipelines
    rows = QueriedRows(pipeline, "orders", "shardId-000000000000", query=QueryOfAll(typed_by(schema)))
    made = rows.convert([Record("1", data, "p", 1763725995.0), Record("2", b'{"N": 7, "M": 1, "m": 2}', "p", 1.0)])
    assert [(each.index, each.reason, each.detail) for each in made.rejected] == [(0, "duplicate-key", detail)]
    assert [bytes(row).endswith(b'"n":7}') for row in made.rows] == [True]


@dataclass(frozen=True)
class QueryOfMany:
    """Makes as many rows of an object as its `n` says, each with so many bytes."""

    size: int
    typed: Typed = bytes

    def rows_of(self, documents: Sequence[bytes]) -> Sequence[Sequence[bytes]]:
        row = b'{"text":"' + b"x" * self.size + b'"}'
        return [[row] * int(decode(each)["n"]) for each in documents]


@pytest.mark.parametrize(
    ("size", "n", "why"),
    [
        (1, RECORD_ROWS, "its rows have more than 16,000,000 bytes with their metadata."),
        (900_000, 17, ""),
        (900_000, 18, "its rows have more than 16,000,000 bytes with their metadata."),
    ],
)
def test_a_record_has_no_more_rows_by_a_query_than_without_one(size: int, n: int, why: str) -> None:
    several = {"type": "json", "several_objects": True}
    query = {"schema": "n BIGINT", "sql": "SELECT _position, explode(sequence(1, n)) AS text FROM rows"}
    (pipeline,) = config(pipelines=[reading("orders", format=several, query=query)]).pipelines
    rows = QueriedRows(pipeline, "orders", "shardId-000000000000", query=QueryOfMany(size))
    made = rows.convert([Record("1", b'{"n":%d}' % n, "p", 1763725995.0), Record("2", b'{"n":1}', "p", 1.0)])
    assert [each.detail[: len(why)] for each in made.rejected] == ([why] if why else [])
    assert [each.reason for each in made.rejected] == (["too-large"] if why else [])
    assert len(made.rows) == 1 + (0 if why else n)
