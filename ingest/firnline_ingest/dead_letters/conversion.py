"""Conversion of a dead letter as of now: its bytes by the pipeline's configuration of today.

The rows bear the place that the record has in its stream, as if it had been good from the beginning.
"""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from firnline_ingest.config.format import SchemasOf, no_registry
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.dead_letters import DeadLetter, DeadLetterKey
from firnline_ingest.dead_letters.errors import RepairUnusable, UnknownDeadLetter
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.ledger.backend import ColumnLedger
from firnline_ingest.new_columns import NewColumns
from firnline_ingest.records.rejection import LeftOut
from firnline_ingest.records.rows import RowMaker, Rows
from firnline_ingest.snowflake.target import TargetCatalog


@dataclass(frozen=True, slots=True)
class Conversion:
    """Rows, or the reason why there are none."""

    rows: tuple[msgspec.Raw, ...] = ()
    why_not: str = ""
    """Empty where there are rows."""
    table: str = ""
    """Where the pipeline's routes send them, as in records.rows.Rows.tables."""


class DeadLetterConverter:
    """Converts one shard's dead letters; not thread-safe."""

    def __init__(
        self,
        pipeline: PipelineConfig,
        shard_id: str,
        schemas: SchemasOf = no_registry,
        adds_columns_by: TargetCatalog | None = None,
        plans: ColumnLedger | None = None,
    ) -> None:
        """`adds_columns_by` adds columns for the keys of the rows that are made; none are added by default. `plans` keeps those
        that a person has to approve."""
        self._rows = RowMaker(pipeline, pipeline.stream, shard_id, schemas)
        self._pipeline, self._shard_id = pipeline, shard_id
        self._tables = ("", *pipeline.routed)
        self._new_columns = (
            NewColumns(adds_columns_by, ledger=plans) if adds_columns_by and pipeline.adds_columns else None
        )
        self._is_transformed = bool(pipeline.transforms)

    def make(self, letter: DeadLetter, data: bytes | None = None) -> Conversion:
        """`data` stands for the letter's own bytes. Of a record that is partly in the table, only the other rows.

        Raises what keeps columns from being added.
        """
        made = self._made([_record(letter, letter.data if data is None else data)])
        if made.rejected:
            (rejected,) = made.rejected
            return Conversion(why_not=f"{rejected.reason}: {rejected.detail}")
        if made.left_out:
            (why,) = made.left_out
            return Conversion(why_not=_left_out(why))
        table = next(iter(made.tables), "")
        if letter.row and (why_not := self._other_rows(letter, len(made.rows), table)):
            return Conversion(why_not=why_not)
        rows = tuple(made.rows)[letter.row :]
        return Conversion(rows, table=table) if rows else Conversion(why_not="it has no row")

    def _made(self, records: Sequence[Record]) -> Rows:
        if self._new_columns is None:
            return self._rows.convert(records)
        self._rows.set_tables(self._new_columns.known(self._pipeline, self._tables))
        made = self._new_columns.rows_of(self._rows, records, self._pipeline, self._tables, self._shard_id)
        assert made is not None, "there is no channel that could be older than a column"
        return made

    def _other_rows(self, letter: DeadLetter, now: int, table: str) -> str:
        """Returns why a record that is partly in a table can't be distinguished by its rows' numbers any more; empty where it
        can.

        A filter or a repair that came since may take rows away before the ones that are lacking: these would be left out. Or
        another key sends the others to another table.
        """
        if (letter.table or "") != table:
            here, there = (repr(name) if name else "the pipeline's own" for name in (letter.table, table))
            return f"its other rows are in another table: {here}; a route sends it to {there} now"
        in_table = f"the first {letter.row} of which are in the table"
        if letter.rows is not msgspec.UNSET and letter.rows != now:
            return f"other rows: it had {letter.rows} rows, {in_table}, and has {now} now; keep their number and order"
        if letter.rows is msgspec.UNSET and (self._is_transformed or now <= letter.row):
            return f"other rows: it does not say how many it had, {in_table}; replay it as it came, without transforms"
        return ""


def _record(letter: DeadLetter, data: bytes) -> Record:
    arrived_s = None if letter.approximate_arrival is None else letter.approximate_arrival.timestamp()
    hash_key = None if letter.explicit_hash_key is msgspec.UNSET else letter.explicit_hash_key
    if letter.sub_sequence_number or hash_key is not None:
        return UserRecord(
            letter.sequence_number,
            data,
            letter.partition_key,
            arrived_s,
            SubSequenceNumber=letter.sub_sequence_number,
            ExplicitHashKey=hash_key,
        )
    return Record(letter.sequence_number, data, letter.partition_key, arrived_s)


def _left_out(why: LeftOut) -> str:
    return f"the pipeline leaves it out ({why})"


Repair = Callable[[DeadLetter], bytes | None]
"""A record's bytes as they should have been; None where it stays a dead letter."""


class CallableFailed(Exception):
    """The callable raised, or returned something other than bytes."""


class EditedLetter(msgspec.Struct):
    """Fields that count in a line of a file: everything else is the store's to say."""

    key: str
    text: str | msgspec.UnsetType = msgspec.UNSET
    data: bytes | msgspec.UnsetType = msgspec.UNSET


def callable_of(path: str) -> Repair:
    """`path` is module:function; modules in the working folder are found too. Raises RepairUnusable."""
    module, _, name = path.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        function = getattr(importlib.import_module(module), name)
    except Exception as error:  # whatever a module does when it is imported
        raise RepairUnusable(repr(path), f"{type(error).__name__}: {error}") from error
    if not callable(function):
        raise RepairUnusable(repr(path), "it is not a function")

    def repair(letter: DeadLetter) -> bytes | None:
        """Raises CallableFailed."""
        try:
            repaired = function(letter.data)
        except Exception as error:
            raise CallableFailed(f"the callable raised {type(error).__name__}") from error
        if repaired is not None and not isinstance(repaired, bytes):
            raise CallableFailed(f"the callable returned {type(repaired).__name__}, not bytes")
        return repaired

    return repair


def edited_letters(file: Path) -> Mapping[DeadLetterKey, bytes]:
    """Reads the repaired records, by key, from the file that `firnline dead-letters export` wrote and a person edited.
    Raises RepairUnusable."""
    found: dict[DeadLetterKey, bytes] = {}
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        place = f"{file}, line {number},"
        try:
            edited = msgspec.json.decode(line, type=EditedLetter)
            key = DeadLetterKey.parse(edited.key)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RepairUnusable(place, str(error)) from error
        except UnknownDeadLetter as error:
            raise RepairUnusable(place, "its key names no dead letter") from error
        given = [each for each in (edited.text, edited.data) if not isinstance(each, msgspec.UnsetType)]
        if len(given) != 1:
            raise RepairUnusable(place, 'it has to have one of "text" and "data"')
        if key in found:
            raise RepairUnusable(place, f"the dead letter {key} is there twice")
        found[key] = given[0].encode() if isinstance(given[0], str) else given[0]
    return found
