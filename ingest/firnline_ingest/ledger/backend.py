"""The ledger as its users see it; DynamoLedger keeps it in DynamoDB.

Every write is conditional on the fence. A condition that fails after a lost response is read before it is believed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from firnline_ingest.kinesis.start import Pin
from firnline_ingest.ledger.column_note import ColumnNote
from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.engine_report import EngineReport
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.ledger.standby import BY_HAND, Standby, StandbyState
from firnline_ingest.values import Fence, ShardKey


@dataclass(frozen=True, slots=True)
class Run:
    """The engine that holds the application's name."""

    run_id: str
    holder: str
    """Host and process, for a person."""
    beat: int = 0
    stop_requests: int = 0
    fingerprints: tuple[str, ...] = ()
    """Of the Snowflake keys that the channels of its last epoch belonged to; more than one while a key is replaced."""
    waiting: int = 0
    """Shards that its last epoch had no room for."""
    configuration: str = ""
    """The hash of its configuration (EngineConfig.content_hash); empty where a person's command holds the application."""
    version: str = ""
    """Of the engine."""
    rows_by: str = ""
    """What makes its rows: firnline-native, or Python and why (native.py); empty for engines of a release without it."""
    start: str = ""
    """The token that it was started with by `firnline deploy`; BY_HAND where there is none; empty for engines of a release that
    told neither."""

    @property
    def is_engine(self) -> bool:
        """Not a person's command, which reads nothing and leaves what the last engine was."""
        return bool(self.configuration) or self.start != BY_HAND


class ShardLedger(Protocol):
    """Interface of a shard to the ledger: its row."""

    def read(self, key: ShardKey) -> ShardRow | None:
        """The row as it is now (a consistent read)."""

    def take(self, key: ShardKey, held: Fence, owner: str, pin: Pin) -> ShardRow:
        """Raises the generation by one for `owner` where `held` is still the fence; makes the row where there is none.

        Raises Fenced where another engine was faster.
        """

    def write(self, row: ShardRow) -> None:
        """Replaces the row where its fence still holds and read_through does not go back. Raises Fenced otherwise."""

    def reset(self, row: ShardRow) -> None:
        """Writes the row like `write`, but lets read_through go back: a person decided so (ledger/resume.py)."""

    def remove(self, row: ShardRow) -> None:
        """Forgets the row of a shard that has ended, where its fence still holds. Raises Fenced otherwise."""

    def withdraw(self, row: ShardRow) -> None:
        """Removes a row that no engine has taken since it was written, by a migration. Raises Fenced."""


class PlanLedger(Protocol):
    """Interface of the driver's planning to the ledger: a stream's incarnation, all rows of one, the application's consumers."""

    def rows(self, incarnation: str) -> Mapping[str, ShardRow]:
        """The rows of a stream's incarnation, by shard id."""

    def mark(self, stream: str) -> StreamMark | None:
        """The incarnation of the stream that the application reads; None for a stream that is new to it."""

    def begun_streams(self) -> list[str]:
        """The names of all streams that have a mark."""

    def set_mark(self, stream: str, mark: StreamMark, before: StreamMark | None) -> StreamMark:
        """Replaces the mark where it still names the incarnation of `before`; the mark as it is then. What is paused stays so."""

    def pause(self, stream: str, paused: bool) -> bool:
        """Says in the stream's mark whether it is paused; False, and nothing is written, where it has none."""

    def consumer(self, stream: str, name: str) -> ConsumerRecord | None:
        """The record of a consumer; None if the application never asked for it, or gave it up."""

    def consumers(self) -> list[ConsumerRecord]:
        """All of them."""

    def set_consumer(self, record: ConsumerRecord, before: ConsumerRecord | None) -> bool:
        """Returns whether `record` took the place of exactly `before`."""

    def forget_consumer(self, record: ConsumerRecord) -> None:
        """Deletes the record if it is still the same."""


class LeaseLedger(Protocol):
    """The lease on an application: one engine at a time holds it; it can be asked to stop, and another one can stand by."""

    def current_run(self) -> Run | None:
        """The run that holds the application, or held it and died."""

    def begin_run(self, run: Run, replaces: Run | None) -> bool:
        """Returns whether `run` took the application over from exactly `replaces`, as it was seen."""

    def beat(self, run_id: str) -> Run | None:
        """Shows that the run lives; its row as it is after that, None where another run holds the application."""

    def end_run(self, run_id: str) -> None:
        """Gives the application back."""

    def show_fingerprints(self, run_id: str, fingerprints: tuple[str, ...]) -> None:
        """Says which keys the run's channels belong to; nothing where another run holds the application."""

    def show_waiting(self, run_id: str, shards: int) -> None:
        """Says for how many shards the run has no room; nothing where another run holds the application."""

    def write_report(self, report: EngineReport) -> None:
        """Replaces the newest engine's report, whichever run wrote it."""

    def report(self) -> EngineReport | None:
        """The newest one; None where no engine has written any, or another release did in a form unknown to this one."""

    def request_stop(self, run_id: str) -> Run | None:
        """Asks the run to stop; None, and nothing is written, where another one holds the application, or none does."""

    def standby(self) -> Standby | None:
        """The newest one, as it was when it wrote last."""

    def stand_by(self, standby: Standby, replaces: Standby | None) -> bool:
        """Returns whether the row is this standby's from now on, in place of exactly `replaces`, as it was seen; but
        for its beats.
        """

    def beat_standby(self, run_id: str, state: StandbyState, told: str) -> Standby | None:
        """Shows that it lives; its row as it is after that, None where the row is another one's."""

    def admit(self, run_id: str) -> bool:
        """Returns whether the row was its; it takes the application over as soon as that is free."""

    def last_start(self) -> str:
        """The token of the engine that held the application last, or holds it; empty where it had none."""


class ColumnLedger(Protocol):
    """Interface to notes of the columns of tables, which the driver keeps for the audit."""

    def column_note(self, table: str) -> ColumnNote | None:
        """The note of the table of this name; None where there is none, or another release wrote it."""

    def note_columns(self, table: str, note: ColumnNote, before: ColumnNote | None) -> bool:
        """Returns whether `note` took the place of exactly `before`."""


class Ledger(ShardLedger, PlanLedger, LeaseLedger, ColumnLedger, Protocol):
    """All of it."""


def was_let_in(ledger: LeaseLedger, start: str) -> bool:
    """Returns whether an engine of this start was let in before: its service starts it again, and it stands by no more."""
    standby = ledger.standby()
    return ledger.last_start() == start or (standby is not None and standby.start == start and standby.is_admitted)
