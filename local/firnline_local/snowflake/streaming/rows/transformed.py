"""Rows of a pipe that says what goes into which column: `SELECT $1:a, $1:b.c, $1 FROM TABLE(DATA_SOURCE(…))`.

Nothing is matched by name, so keys that no path names are left out, and the table never evolves. A path that leads
nowhere is NULL, also in a column that has a default.
"""

from collections.abc import Iterable, Sequence

import msgspec

from firnline_local.snowflake.catalog.pipes import PipeColumn
from firnline_local.snowflake.catalog.tables import Column
from firnline_local.snowflake.streaming.rows.reader import Batch, Row, RowReader, converted, decode_object

NULL = b"null"


class TransformedReader(RowReader):
    def __init__(self, columns: Sequence[Column], transformation: Iterable[PipeColumn]) -> None:
        super().__init__(columns, match_case=True)
        self._paths = [(self._columns[each.column], each.path) for each in transformation]

    def _row(self, line: bytes, batch: Batch) -> Row:
        if not line.isascii():
            line.decode()
        whole = decode_object(line)
        row: Row = {}
        for column, path in self._paths:
            value = line.strip() if not path else _at(whole, path)
            if value is None and column.nullable:
                row[column.name] = None
            else:
                row[column.name] = converted(column, value or NULL)
        if not self._required <= row.keys():
            self._omit(self._required - row.keys(), batch)
        return row


def _at(found: dict[str, msgspec.Raw], path: Sequence[str]) -> bytes | None:
    *above, last = path
    for key in above:
        try:
            found = decode_object(found[key]) if key in found else {}
        except msgspec.ValidationError:
            return None  # a path into what is no object
    return bytes(found[last]) if last in found else None
