"""Rows of a DataFrame that no channel takes, as dead letters: named by query, batch, partition and row.

A row that comes again, in a batch that Spark runs again, has the same name and the same content: a store keeps it once. A name
has a digest of the row, so that another row at the same place, of a plan that gives other rows, has a name of its own.
"""

import json
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from pyspark.sql import Row
from pyspark.sql import types as spark

from firnline_ingest.datasource.plain import encode, plain_of
from firnline_ingest.datasource.snowpipe.partition import PartitionKey, RowFault, UnwritableRow
from firnline_ingest.dead_letters.letter import DeadLetter, DeadLetterStore, FailedAt
from firnline_ingest.identifiers import CHANNEL_SEPARATOR

DIGESTS = 1_000_000_000
"""A row's number and its digest are together in the nineteen digits that a name has for a sub-sequence number."""
UNCREATED_MS = 0
"""Stands where a dead letter of a stream says when that was made."""


class RowLetters:
    """The dead letters of one partition of a batch."""

    def __init__(self, store: DeadLetterStore, name: str, table: str, key: PartitionKey) -> None:
        self._store, self._key = store, key
        self._where = f"of partition {key.partition} of batch {key.batch} of query {name} into {table}"
        self._stream = CHANNEL_SEPARATOR.join(("spark", name))
        self._shard = CHANNEL_SEPARATOR.join((key.query, str(key.partition)))

    def keep(self, number: int, row: bytes, fault: RowFault) -> None:
        """Returns when it is durable. Raises DeadLetterError."""
        letter = DeadLetter(
            stream=self._stream,
            stream_created_ms=UNCREATED_MS,
            shard_id=self._shard,
            sequence_number=str(self._key.batch),
            sub_sequence_number=number * DIGESTS + _digest(row),
            row=number,
            stage=FailedAt.APPEND,
            reason=str(fault.reason),
            detail=f"row {number} {self._where}: {fault.detail}.",
            partition_key="",
            approximate_arrival=None,
            data=row,
        )
        self._store.put([letter])


def _digest(row: bytes) -> int:
    return int.from_bytes(blake2b(row, digest_size=8).digest(), "big") % DIGESTS


def writable(schema: spark.StructType, encoded: Callable[[Row], bytes]) -> Callable[[Row], bytes | UnwritableRow]:
    """Returns what makes a row what `encoded` makes of it, and an UnwritableRow where that raises."""

    def made(row: Row) -> bytes | UnwritableRow:
        try:
            return encoded(row)
        except (ArithmeticError, RecursionError, TypeError, ValueError) as error:
            return _unwritable(schema, row, error)

    return made


def _unwritable(schema: spark.StructType, row: Row, error: Exception) -> UnwritableRow:
    """Values that can't be written stand as texts in it."""
    values: dict[str, Any] = {}
    causes = []
    for place, field in enumerate(schema.fields):
        try:
            value = None if row[place] is None else plain_of(field.dataType)(row[place])
            values[field.name] = json.loads(encode(value))
        except (ArithmeticError, RecursionError, TypeError, ValueError) as problem:
            values[field.name] = str(row[place])
            causes.append(f"{field.name}: {problem}")
    return UnwritableRow(
        json.dumps(values, ensure_ascii=False).encode(errors="replace"), "; ".join(causes) or str(error)
    )
