"""Records of a shard that its pipeline's query drops, counted for the marks in the ledger's row.

An audit that does not run the query tells a record that it dropped from one that is lost by these marks alone. One object serves
one session, which begins where the row's last mark stands: so each record is counted once, whichever process has read it. Where
the row has no such mark (the first session with a query, or one that a person had begin elsewhere), counting begins there, with
nothing.
"""

from collections.abc import Iterable, Sequence

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.rows import UnusableRecords
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.start import After, Start
from firnline_ingest.ledger.left_out import BEGINNING, LeftOutMark, moved
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.records.rows import Rows
from firnline_ingest.values import Position


class LeftOutRecords:
    """Counts them; of a pipeline without a query, nothing."""

    def __init__(self, row: ShardRow, start: Start, pipeline: PipelineConfig) -> None:
        """`row` is the ledger's as the session begins with it, `start` where its reading begins."""
        self._is_on = pipeline.query is not None
        self._skips = pipeline.on_error is UnusableRecords.SKIP
        begins = start.position if isinstance(start, After) else BEGINNING
        goes_on = bool(row.left_out) and row.left_out[-1].through == begins
        self._marks = row.left_out if goes_on else (LeftOutMark(begins),)
        self._noted: list[Position] = []

    def note(self, records: Sequence[Record], made: Rows) -> None:
        """Notes which of the records are neither row nor dead letter."""
        if self._is_on:
            there = set(made.indexes)
            if not self._skips:
                there |= {each.index for each in made.rejected}
            self._noted += (records[index].position for index in range(made.taken) if index not in there)

    def up_to(self, read_through: Position | None, now_ms: int, retention_hours: int) -> tuple[LeftOutMark, ...]:
        """Returns the marks of a shard whose records up to there are in the table, dead letters or left out, for good."""
        if not self._is_on:
            return ()
        if read_through is not None and read_through > self._marks[-1].through:
            passed = self._between(self._marks[-1].through, read_through)
            self._marks = moved(self._marks, read_through, passed, now_ms, retention_hours)
            self._noted = [each for each in self._noted if each > read_through]
        return self._marks

    def _between(self, first: Position, last: Position) -> Iterable[Position]:
        return (each for each in self._noted if first < each <= last)
