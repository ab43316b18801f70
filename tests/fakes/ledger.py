"""A ledger in memory, with the same conditions as DynamoDB's, for tests that need no table."""

import threading
from collections.abc import Mapping
from dataclasses import replace

from firnline_ingest.kinesis.start import Pin
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.column_note import ColumnNote, note_from_bytes
from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.engine_report import EngineReport, report_from_bytes
from firnline_ingest.ledger.errors import Fenced
from firnline_ingest.ledger.item import padded
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.ledger.standby import Standby, StandbyState
from firnline_ingest.values import Fence, ShardKey


class MemoryLedger:
    """Implements ledger.backend.Ledger; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[ShardKey, ShardRow] = {}
        self._marks: dict[str, StreamMark] = {}
        self._consumers: dict[tuple[str, str], ConsumerRecord] = {}
        self._run: Run | None = None
        self._last_start = ""
        self._standby: Standby | None = None
        self._report = b""
        self._columns: dict[str, bytes] = {}

    def read(self, key: ShardKey) -> ShardRow | None:
        with self._lock:
            return self._rows.get(key)

    def rows(self, incarnation: str) -> Mapping[str, ShardRow]:
        with self._lock:
            return {key.shard_id: row for key, row in self._rows.items() if key.incarnation == incarnation}

    def take(self, key: ShardKey, held: Fence, owner: str, pin: Pin) -> ShardRow:
        with self._lock:
            before = self._rows.get(key)
            if (before.fence if before else Fence()) != held:
                raise Fenced(key, before.fence.owner if before else "")
            row = replace(before or ShardRow(key=key, start=pin), fence=Fence(held.generation + 1, owner))
            self._rows[key] = row
            return row

    def write(self, row: ShardRow) -> None:
        with self._lock:
            found = self._held(row)
            if padded(found.read_through) > padded(row.read_through):
                raise Fenced(row.key, found.fence.owner)
            self._rows[row.key] = row

    def reset(self, row: ShardRow) -> None:
        with self._lock:
            self._held(row)
            self._rows[row.key] = row

    def remove(self, row: ShardRow) -> None:
        with self._lock:
            found = self._rows.get(row.key)
            if found is not None and (found.fence != row.fence or not found.ended):
                raise Fenced(row.key, found.fence.owner)
            self._rows.pop(row.key, None)

    def withdraw(self, row: ShardRow) -> None:
        with self._lock:
            if row.key in self._rows:
                self._held(row)
                del self._rows[row.key]

    def column_note(self, table: str) -> ColumnNote | None:
        with self._lock:
            return note_from_bytes(self._columns[table]) if table in self._columns else None

    def note_columns(self, table: str, note: ColumnNote, before: ColumnNote | None) -> bool:
        with self._lock:
            found = note_from_bytes(self._columns[table]) if table in self._columns else None
            if (found and found.number) != (before and before.number):
                return found == note
            self._columns[table] = note.to_bytes()
            return True

    def _held(self, row: ShardRow) -> ShardRow:
        found = self._rows.get(row.key)
        if found is None or found.fence != row.fence:
            raise Fenced(row.key, found.fence.owner if found else "")
        return found

    @property
    def kept(self) -> Mapping[ShardKey, ShardRow]:
        """All rows, of every stream, for the test."""
        with self._lock:
            return dict(self._rows)

    def restore(self, row: ShardRow) -> None:
        """Puts a row back, as it was once."""
        with self._lock:
            self._rows[row.key] = row

    def forget(self, key: ShardKey) -> None:
        """Loses the row, as a deleted table would."""
        with self._lock:
            self._rows.pop(key, None)

    def mark(self, stream: str) -> StreamMark | None:
        with self._lock:
            return self._marks.get(stream)

    def begun_streams(self) -> list[str]:
        with self._lock:
            return sorted(name for name in self._marks if " " not in name)

    def forget_mark(self, stream: str) -> None:
        """Forgets the mark, as in a ledger that an engine without marks has written."""
        with self._lock:
            self._marks.pop(stream, None)

    def set_mark(self, stream: str, mark: StreamMark, before: StreamMark | None) -> StreamMark:
        with self._lock:
            found = self._marks.get(stream)
            if (found and found.incarnation) == (before and before.incarnation):
                self._marks[stream] = replace(mark, is_paused=bool(found and found.is_paused))
            return self._marks[stream]

    def pause(self, stream: str, paused: bool) -> bool:
        with self._lock:
            mark = self._marks.get(stream)
            if mark is not None:
                self._marks[stream] = replace(mark, is_paused=paused)
            return mark is not None

    def consumer(self, stream: str, name: str) -> ConsumerRecord | None:
        with self._lock:
            return self._consumers.get((stream, name))

    def consumers(self) -> list[ConsumerRecord]:
        with self._lock:
            return [self._consumers[key] for key in sorted(self._consumers)]

    def set_consumer(self, record: ConsumerRecord, before: ConsumerRecord | None) -> bool:
        with self._lock:
            key = record.stream, record.name
            if self._consumers.get(key) != before:
                return False
            self._consumers[key] = record
            return True

    def forget_consumer(self, record: ConsumerRecord) -> None:
        with self._lock:
            if self._consumers.get((record.stream, record.name)) == record:
                del self._consumers[record.stream, record.name]

    def current_run(self) -> Run | None:
        with self._lock:
            return self._run

    def begin_run(self, run: Run, replaces: Run | None) -> bool:
        with self._lock:
            if self._run != replaces:
                return False
            self._run = run
            if run.is_engine:
                self._last_start = run.start
            return True

    def beat(self, run_id: str) -> Run | None:
        with self._lock:
            if self._run is None or self._run.run_id != run_id:
                return None
            self._run = replace(self._run, beat=self._run.beat + 1)
            return self._run

    def end_run(self, run_id: str) -> None:
        with self._lock:
            if self._run is not None and self._run.run_id == run_id:
                self._run = None

    def show_fingerprints(self, run_id: str, fingerprints: tuple[str, ...]) -> None:
        with self._lock:
            if self._run is not None and self._run.run_id == run_id:
                self._run = replace(self._run, fingerprints=fingerprints)

    def show_waiting(self, run_id: str, shards: int) -> None:
        with self._lock:
            if self._run is not None and self._run.run_id == run_id:
                self._run = replace(self._run, waiting=shards)

    def write_report(self, report: EngineReport) -> None:
        self._report = report.to_bytes()

    def report(self) -> EngineReport | None:
        return report_from_bytes(self._report) if self._report else None

    def request_stop(self, run_id: str) -> Run | None:
        with self._lock:
            if self._run is None or self._run.run_id != run_id:
                return None
            self._run = replace(self._run, stop_requests=self._run.stop_requests + 1)
            return self._run

    def last_start(self) -> str:
        with self._lock:
            return self._last_start

    def standby(self) -> Standby | None:
        with self._lock:
            return self._standby

    def stand_by(self, standby: Standby, replaces: Standby | None) -> bool:
        with self._lock:
            there = self._standby
            if (there and (there.run_id, there.is_admitted)) != (replaces and (replaces.run_id, replaces.is_admitted)):
                return False
            self._standby = standby
            return True

    def beat_standby(self, run_id: str, state: StandbyState, told: str) -> Standby | None:
        with self._lock:
            if self._standby is None or self._standby.run_id != run_id:
                return None
            self._standby = replace(self._standby, beat=self._standby.beat + 1, state=state, told=told)
            return self._standby

    def admit(self, run_id: str) -> bool:
        with self._lock:
            if self._standby is None or self._standby.run_id != run_id:
                return False
            self._standby = replace(self._standby, is_admitted=True)
            return True
