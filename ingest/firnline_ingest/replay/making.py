"""What a letter would be now: its bytes through the pipeline's conversion, as the configuration says it today.

The rows bear the place that the record has in its stream, as if it had been good from the beginning.
"""

from dataclasses import dataclass

import msgspec

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.deadletter import DeadLetter
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.records.decoders.registered import SchemasOf, no_registry
from firnline_ingest.records.rejection import LeftOut
from firnline_ingest.records.rows import RowMaker


@dataclass(frozen=True, slots=True)
class Made:
    """Rows, or the reason why there are none."""

    rows: tuple[msgspec.Raw, ...] = ()
    why_not: str = ""
    """Empty where there are rows."""


class LetterMaker:
    """Not thread-safe: one shard's letters."""

    def __init__(self, pipeline: PipelineConfig, shard_id: str, schemas: SchemasOf = no_registry) -> None:
        self._rows = RowMaker(pipeline, pipeline.stream, shard_id, schemas)
        self._is_transformed = bool(pipeline.transforms)

    def make(self, letter: DeadLetter, data: bytes | None = None) -> Made:
        """`data` stands for the letter's own bytes. Of a record that is partly in the table, only the other rows."""
        made = self._rows.convert([_record(letter, letter.data if data is None else data)])
        if made.rejected:
            (rejected,) = made.rejected
            return Made(why_not=f"{rejected.reason}: {rejected.detail}")
        if made.left_out:
            (why,) = made.left_out
            return Made(why_not=_left_out(why))
        if table := next(filter(None, made.tables), ""):
            return Made(why_not=f"a route sends it to {table}, and a replay fills the pipeline's own table alone")
        if letter.row and (why_not := self._other_rows(letter, len(made.rows))):
            return Made(why_not=why_not)
        rows = tuple(made.rows)[letter.row :]
        return Made(rows) if rows else Made(why_not="it has no row")

    def _other_rows(self, letter: DeadLetter, now: int) -> str:
        """Why a record that is partly in the table can't be told apart by its rows' numbers any more; empty where it can.

        A filter or a repair that came since may take rows away before the ones that are lacking: these would be left out.
        """
        in_table = f"the first {letter.row} of which are in the table"
        if letter.rows is not msgspec.UNSET and letter.rows != now:
            return f"other rows: it had {letter.rows} rows, {in_table}, and has {now} now; keep their number and order"
        if letter.rows is msgspec.UNSET and (self._is_transformed or now <= letter.row):
            return f"other rows: it does not say how many it had, {in_table}; replay it as it came, without transforms"
        return ""


def _record(letter: DeadLetter, data: bytes) -> Record:
    arrived_s = None if letter.approximate_arrival is None else letter.approximate_arrival.timestamp()
    if letter.sub_sequence_number:
        return UserRecord(
            letter.sequence_number, data, letter.partition_key, arrived_s, SubSequenceNumber=letter.sub_sequence_number
        )
    return Record(letter.sequence_number, data, letter.partition_key, arrived_s)


def _left_out(why: LeftOut) -> str:
    return f"the pipeline leaves it out ({why})"
