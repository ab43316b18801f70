"""A person's command that holds the application's name beats as an engine does, and writes nothing once it is another's."""

import threading
from dataclasses import replace

import pytest

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.errors import RunDisplaced
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.lease import RunLease, held
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.resume import begin_anew, decide
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import Fence, ShardKey
from tests.fakes.ledger import MemoryLedger

KEYS = [ShardKey("events", 1, f"shardId-{number:012}") for number in range(2)]
BEATS, PATIENCE_S = 2, 20.0


class SlowLedger(MemoryLedger):
    """Answers a question only after some beats of whoever holds the application."""

    def __init__(self) -> None:
        super().__init__()
        self.is_slow = False
        self.has_beaten = threading.Event()

    def beat(self, run_id: str) -> Run | None:
        run = super().beat(run_id)
        if run is not None and run.beat >= BEATS:
            self.has_beaten.set()
        return run

    def rows(self, incarnation: str) -> dict[str, ShardRow]:
        self._wait()
        return dict(super().rows(incarnation))

    def mark(self, stream: str) -> StreamMark | None:
        self._wait()
        return super().mark(stream)

    def _wait(self) -> None:
        assert not self.is_slow or self.has_beaten.wait(PATIENCE_S), "nobody beats"


class TakenLedger(MemoryLedger):
    """Another engine takes the application over while its rows are read, as if ours had been frozen for long."""

    is_taken = False

    def rows(self, incarnation: str) -> dict[str, ShardRow]:
        found = dict(super().rows(incarnation))
        if self.is_taken:
            assert self.begin_run(Run("another", "process 9"), self.current_run())
        return found


def begun(ledger: MemoryLedger) -> None:
    for key in KEYS:
        ledger.write(replace(ledger.take(key, Fence(), "engine", TrimHorizon()), tip_ms=5))
    ledger.set_mark("events", StreamMark("events@1", since_ms=1), None)


def noted(row: ShardRow) -> ShardRow:
    return row.with_incident(Incident(IncidentKind.RESUMED, 1, "a person's"))


def test_the_name_beats_while_a_person_decides_about_shards() -> None:
    ledger = SlowLedger()
    begun(ledger)
    ledger.is_slow = True
    assert decide(ledger, RunLease(ledger, "app", every_s=0.01), "events@1", None, noted) == KEYS
    assert ledger.current_run() is None


def test_the_name_beats_while_a_stream_is_begun_anew() -> None:
    ledger = SlowLedger()
    begun(ledger)
    ledger.is_slow = True
    begin_anew(ledger, RunLease(ledger, "app", every_s=0.01), "events", "events@2", 7)
    assert ledger.mark("events").incarnation == "events@2"


def test_nothing_is_decided_any_more_once_the_name_is_anothers() -> None:
    ledger = TakenLedger()
    begun(ledger)
    ledger.is_taken = True
    with pytest.raises(RunDisplaced):
        decide(ledger, RunLease(ledger, "app", every_s=0.01), "events@1", None, noted)
    assert [row.incidents for row in ledger.kept.values()] == [(), ()]
    assert ledger.current_run().run_id == "another"


def test_a_name_that_is_held_is_given_back_whatever_happens() -> None:
    ledger = MemoryLedger()

    def fail() -> None:
        with held(RunLease(ledger, "app", every_s=0.01)) as heart:
            heart.make_sure()
            assert ledger.current_run().beat >= 1
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert ledger.current_run() is None
