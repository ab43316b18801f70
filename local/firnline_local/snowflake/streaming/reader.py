"""Columns that a table gains when rows bring keys that it doesn't know.

Documentation: `data-load-schema-evolution`, `snowpipe-streaming-table-support`. Only new top-level columns and dropped NOT
NULLs; nothing that exists is ever widened. Text that looks like a time stays VARCHAR: the documentation promises more
for Iceberg tables only, and a column's type can't be taken back.

From NDJSON to rows: keys matched to columns by name, values converted, what doesn't fit set aside.

A row that can't be taken never stops the others (ON_ERROR is always CONTINUE). Keys without a column are ignored, unless
the table evolves: then they, and required columns that a row omits, are reported instead, and the rows are read again
after the table has changed.
"""

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import msgspec

from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.catalog.tables import Column, Pipe, PipeColumn, Table
from firnline_local.snowflake.catalog.types import DataType
from firnline_local.snowflake.streaming.values import Converter, NotConvertible, converter_for

MAX_NEW_COLUMNS = 100
"""In one batch; unlimited over several."""
MAX_NAME_LENGTH = 255
FIRST_WITH_VARIANT = 3
"""Of the Iceberg format's versions."""


class JsonKind(StrEnum):
    """Kind of JSON that a new key's values were seen to be."""

    TEXT = "text"
    INTEGER = "integer"
    FRACTION = "fraction"
    BOOLEAN = "boolean"
    OBJECT = "object"
    ARRAY = "array"
    NULL = "null"


class EvolutionRefused(Exception):
    """Rows that the table can't evolve for; they invalidate their channel."""


BY_FIRST_CHARACTER = {
    ord('"'): JsonKind.TEXT,
    ord("{"): JsonKind.OBJECT,
    ord("["): JsonKind.ARRAY,
    ord("t"): JsonKind.BOOLEAN,
    ord("f"): JsonKind.BOOLEAN,
    ord("n"): JsonKind.NULL,
}
TYPES = {
    JsonKind.TEXT: "VARCHAR",
    JsonKind.INTEGER: "NUMBER(38,0)",
    JsonKind.FRACTION: "FLOAT",
    JsonKind.BOOLEAN: "BOOLEAN",
    JsonKind.OBJECT: "VARIANT",
    JsonKind.ARRAY: "VARIANT",
}


def kind_of(value: bytes) -> JsonKind:
    """The kind of one JSON value's text."""
    kind = BY_FIRST_CHARACTER.get(value[0])
    if kind is not None:
        return kind
    return JsonKind.INTEGER if value.removeprefix(b"-").isdigit() else JsonKind.FRACTION


def can_hold(table: Table, kinds: Iterable[JsonKind]) -> bool:
    """Iceberg tables never gain a column for arrays, and for objects only where the format knows VARIANT."""
    nested = {JsonKind.OBJECT, JsonKind.ARRAY} & set(kinds)
    if table.iceberg is None or not nested:
        return True
    return JsonKind.ARRAY not in nested and table.iceberg.version >= FIRST_WITH_VARIANT


def new_columns(unknown: Mapping[str, set[JsonKind]], *, match_case: bool = False) -> list[tuple[str, DataType]]:
    """Name and type for each unknown key, in the order they were first seen. Raises EvolutionRefused.

    Unless case is matched, keys that differ only in it are one column, as they will match one column.
    """
    kinds: dict[str, set[JsonKind]] = {}
    for key, seen in unknown.items():
        if not 0 < len(key) <= MAX_NAME_LENGTH or not key.isprintable():
            raise EvolutionRefused(f"Schema evolution failed: {key[:50]!r} is not a valid column name.")
        kinds.setdefault(key if match_case else key.upper(), set()).update(seen)
    if len(kinds) > MAX_NEW_COLUMNS:
        raise EvolutionRefused(
            f"Schema evolution failed: the batch would add {len(kinds)} columns, and {MAX_NEW_COLUMNS} is the limit."
        )
    return [(name, DataType.parse(_type(seen))) for name, seen in kinds.items()]


def _type(seen: Iterable[JsonKind]) -> str:
    """One type that takes every value: what was null says nothing, and what is mixed is text or, nested, VARIANT."""
    types = {TYPES[kind] for kind in seen if kind is not JsonKind.NULL}
    if types == {"NUMBER(38,0)", "FLOAT"}:
        return "FLOAT"
    if "VARIANT" in types:
        return "VARIANT"
    return types.pop() if len(types) == 1 else "VARCHAR"


def evolution_record(change: str, *, pipe: Pipe, at: datetime) -> str:
    """The record that DESCRIBE TABLE shows of a column that evolved: `change` is ADD_COLUMN or DROP_NOT_NULL.

    Documentation: `sql-reference/sql/desc-table`, of SNOWPIPE_STREAMING. The channel and the offset are left out.
    """
    record = {"evolutionType": change, "evolutionMode": "SNOWPIPE_STREAMING", "triggeringTime": f"{at:%F %T.%f}000Z"}
    return json.dumps(record | {"pipeName": pipe.full_name}, separators=(",", ":"))


def evolve(catalog: Catalog, pipe: Pipe, batch: "Batch") -> None:
    """Gives the pipe's table what the rows ask for. Raises EvolutionRefused and CaseClash, having changed nothing."""
    table, at = pipe.table, catalog.clock()
    unknown = {key: kinds for key, kinds in batch.unknown.items() if can_hold(table, kinds)}
    if columns := new_columns(unknown, match_case=pipe.matches_case):
        catalog.add_columns(table, columns, evolution=evolution_record("ADD_COLUMN", pipe=pipe, at=at))
    for column in sorted(batch.omitted):
        catalog.drop_not_null(table, column, evolution=evolution_record("DROP_NOT_NULL", pipe=pipe, at=at))


Row = dict[str, object]

decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@dataclass(frozen=True, kw_only=True)
class RowError:
    """A row that was not taken, as error tables describe it (documentation, `snowpipe-streaming-error-tables`)."""

    code: str
    message: str
    sql_state: str
    column: str
    """Empty where the row as a whole is at fault."""
    content_type: str
    """json, json-invalid or binary-base64."""
    payload: str
    """The row as it came; base64 where it is not UTF-8."""


@dataclass
class Batch:
    """Outcome of one request's rows."""

    rows: list[Row] = field(default_factory=list)
    errors: list[RowError] = field(default_factory=list)
    unknown: dict[str, set[JsonKind]] = field(default_factory=dict)
    omitted: set[str] = field(default_factory=set)
    """NOT NULL columns that some row doesn't have."""

    @property
    def wants_evolution(self) -> bool:
        return bool(self.unknown or self.omitted)


@dataclass(frozen=True)
class TargetColumn:
    name: str
    convert: Converter
    nullable: bool
    keeps_null: bool
    """A VARIANT tells JSON null and no value apart; every other type doesn't."""


class RowReader:
    """Reads rows for one state of a table's columns."""

    def __init__(self, columns: Sequence[Column], *, match_case: bool = False, evolves: bool = False) -> None:
        self._match_case = match_case
        self._evolves = evolves
        self._columns = {
            column.name if match_case else column.name.upper(): TargetColumn(
                column.name, converter_for(column.type), column.nullable, column.type.family == "VARIANT"
            )
            for column in columns
        }
        self._required = {column.name for column in columns if not column.nullable and column.default is None}

    def read(self, payload: bytes) -> Batch:
        batch = Batch()
        for line in payload.split(b"\n"):
            if not line or line.isspace():
                continue
            try:
                batch.rows.append(self._row(line, batch))
            except UnicodeDecodeError:
                batch.errors.append(_not_utf8(line))
            except (msgspec.MsgspecError, RecursionError) as error:
                batch.errors.append(_not_json(line, str(error)))
            except _Rejected as rejected:
                batch.errors.append(_not_taken(line, rejected))
        return batch

    def _row(self, line: bytes, batch: Batch) -> Row:
        if not line.isascii():
            line.decode()  # msgspec doesn't look at the encoding of what it skips
        row: Row = {}
        for key, raw in decode_object(line).items():
            column = self._columns.get(key if self._match_case else key.upper())
            if column is None:
                if self._evolves:
                    batch.unknown.setdefault(key, set()).add(kind_of(bytes(raw)))
            elif column.name in row:
                raise _Rejected(
                    column.name, NotConvertible(f"More than one key matches the column {column.name}", code="100069")
                )
            else:
                row[column.name] = converted(column, bytes(raw))
        if not self._required <= row.keys():
            self._omit(self._required - row.keys(), batch)
        return row

    def _omit(self, missing: set[str], batch: Batch) -> None:
        if self._evolves:
            batch.omitted |= missing
        else:
            column = min(missing)
            raise _Rejected(column, _null_in_required_column())


class _Rejected(Exception):
    def __init__(self, column: str, cause: NotConvertible) -> None:
        super().__init__(column, cause)
        self.column = column
        self.cause = cause


def converted(column: TargetColumn, value: bytes) -> object:
    if value == b"null":
        if column.keeps_null:
            return "null"
        if not column.nullable:
            raise _Rejected(column.name, _null_in_required_column())
        return None
    try:
        return column.convert(value)
    except NotConvertible as cause:
        raise _Rejected(column.name, cause) from cause


def _null_in_required_column() -> NotConvertible:
    return NotConvertible("NULL result in a non-nullable column", code="100072", sql_state="22000")


def _not_taken(line: bytes, rejected: _Rejected) -> RowError:
    cause = rejected.cause
    return RowError(
        code=cause.code,
        message=cause.message,
        sql_state=cause.sql_state,
        column=rejected.column,
        content_type="json",
        payload=line.decode(),
    )


def _not_json(line: bytes, problem: str) -> RowError:
    return RowError(
        code="100069",
        message=f"Error parsing JSON: {problem}",
        sql_state="22P02",
        column="",
        content_type="json-invalid",
        payload=line.decode(),
    )


def _not_utf8(line: bytes) -> RowError:
    return RowError(
        code="100144",
        message="Invalid UTF8 detected in string",
        sql_state="22000",
        column="",
        content_type="binary-base64",
        payload=base64.b64encode(line).decode(),
    )


class TransformedReader(RowReader):
    """Reads rows for a pipe that says what goes into which column: `SELECT $1:a, $1:b.c, $1 FROM TABLE(DATA_SOURCE(…))`.

    Nothing is matched by name, so keys that no path names are left out, and the table never evolves. A path that leads
    nowhere is NULL, also in a column that has a default.
    """

    def __init__(self, columns: Sequence[Column], transformation: Iterable[PipeColumn]) -> None:
        super().__init__(columns, match_case=True)
        self._sources = [(self._columns[each.column], each) for each in transformation]

    def _row(self, line: bytes, batch: Batch) -> Row:
        if not line.isascii():
            line.decode()
        whole = decode_object(line)
        row: Row = {}
        for column, source in self._sources:
            if source.concatenated:
                row[column.name] = _concatenated(column, source.concatenated, whole)
                continue
            value = line.strip() if not source.path else _at(whole, source.path)
            if value is None and column.nullable:
                row[column.name] = None
            else:
                row[column.name] = converted(column, value or b"null")
        if not self._required <= row.keys():
            self._omit(self._required - row.keys(), batch)
        return row


def reader_of(pipe: Pipe, *, evolves: bool, known: frozenset[str] | None = None) -> RowReader:
    """Reads rows for the present state of the table behind the pipe; where it does not evolve, for the `known` columns."""
    if pipe.transformation:
        return TransformedReader(pipe.table.columns, pipe.transformation)
    columns = [each for each in pipe.table.columns if known is None or evolves or each.name in known]
    return RowReader(columns, match_case=pipe.matches_case, evolves=evolves)


def _concatenated(
    column: TargetColumn, parts: Sequence[str | tuple[str, ...]], whole: dict[str, msgspec.Raw]
) -> str | None:
    """NULL where one of the values is."""
    texts = [part if isinstance(part, str) else converted(column, _at(whole, part) or b"null") for part in parts]
    return None if None in texts else "".join(map(str, texts))


def _at(found: dict[str, msgspec.Raw], path: Sequence[str]) -> bytes | None:
    *above, last = path
    for key in above:
        try:
            found = decode_object(found[key]) if key in found else {}
        except msgspec.ValidationError:
            return None  # a path into what is not an object
    return bytes(found[last]) if last in found else None
