from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from firnline_infra.rollout.errors import NotQuiet, UnknownPipeline
from firnline_infra.rollout.pause import LONGEST_S, UNWRITTEN_S, Pause
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.engine_report import EngineReport
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.values import Fence
from tests.fakes.ledger import MemoryLedger
from tests.infra.rollout.world import CREATED_MS, KEYS, STREAM

EPOCH_S = 60.0


@dataclass
class Engine:
    """Writes its row every half a minute until some time after it was paused; time passes while somebody sleeps."""

    stops_after_s: float
    is_sending_until_s: float = 0.0
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    now_s: float = 0.0

    def __post_init__(self) -> None:
        self.ledger.begin_run(Run("run", "process 1"), None)
        self.ledger.set_mark(STREAM, StreamMark(f"{STREAM}@{CREATED_MS}"), None)
        self.row = self.ledger.take(KEYS[0], Fence(), "run/task", TrimHorizon())

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        if self.now_s < self.stops_after_s and self.now_s % 30 < seconds:
            self.ledger.write(replace(self.row, heartbeat_ms=round(self.now_s * 1000)))
        if self.is_sending_until_s:
            self.ledger.write(replace(self.row, is_sending=self.now_s < self.is_sending_until_s))


def paused(engine: Engine) -> Pause:
    return Pause(engine.ledger, STREAM, epoch_s=EPOCH_S, sleep=engine.sleep, clock=lambda: engine.now_s)


def test_it_returns_when_nobody_writes_the_rows_any_more() -> None:
    engine = Engine(stops_after_s=100)
    paused(engine).begin()
    assert engine.ledger.mark(STREAM).is_paused
    assert 90 + UNWRITTEN_S + EPOCH_S <= engine.now_s <= 100 + UNWRITTEN_S + EPOCH_S


def test_that_it_is_paused_is_said_once_the_ledger_says_so() -> None:
    engine, said = Engine(stops_after_s=100), list[bool]()
    paused(engine).begin(written=lambda: said.append(engine.ledger.mark(STREAM).is_paused))
    assert said == [True]
    with pytest.raises(UnknownPipeline):
        Pause(engine.ledger, "another", epoch_s=EPOCH_S).begin(written=lambda: said.append(True))
    assert said == [True]


def test_a_shard_that_a_plan_from_before_the_pause_begins_late_is_waited_for() -> None:
    """The shard's executor came when the others had long given their channels back."""
    engine = Engine(stops_after_s=0)
    sleep, late_s = engine.sleep, UNWRITTEN_S + EPOCH_S - 5

    def sleeping(seconds: float) -> None:
        sleep(seconds)
        if late_s <= engine.now_s < late_s + seconds:
            other = engine.ledger.take(KEYS[1], Fence(), "run/late", TrimHorizon())
            engine.ledger.write(replace(other, heartbeat_ms=1, is_sending=True))
        if engine.now_s > late_s + 60:
            engine.ledger.write(replace(engine.ledger.read(KEYS[1]), is_sending=False))

    engine.sleep = sleeping
    paused(engine).begin()
    assert engine.now_s > late_s + 60


def test_rows_in_flight_are_waited_for() -> None:
    engine = Engine(stops_after_s=0, is_sending_until_s=300)
    paused(engine).begin()
    assert engine.now_s >= 300


@pytest.mark.parametrize(("run_id", "until_s"), [("run", 900), ("a run before", 0)])
def test_a_file_that_is_being_loaded_is_waited_for(run_id: str, until_s: float) -> None:
    engine = Engine(stops_after_s=0)
    sleep = engine.sleep
    engine.ledger.write_report(EngineReport(run_id=run_id, at_ms=1, loading=(STREAM, "another")))

    def sleeping(seconds: float) -> None:
        sleep(seconds)
        if engine.now_s >= 900:
            engine.ledger.write_report(EngineReport(run_id=run_id, at_ms=2, loading=("another",)))

    engine.sleep = sleeping
    paused(engine).begin()
    assert until_s <= engine.now_s <= until_s + UNWRITTEN_S + EPOCH_S + 5


@pytest.mark.parametrize("engine", [lambda: Engine(1e9), lambda: Engine(0, is_sending_until_s=1e9)])
def test_what_is_not_quiet_is_told_and_stays_paused(engine: Callable[[], Engine]) -> None:
    made = engine()
    with pytest.raises(NotQuiet, match="don't change its table yet"):
        paused(made).begin()
    assert made.now_s > LONGEST_S
    assert made.ledger.mark(STREAM).is_paused


def test_a_file_that_stays_on_its_way_is_told() -> None:
    engine = Engine(stops_after_s=0)
    engine.ledger.write_report(EngineReport(run_id="run", at_ms=1, loading=(STREAM,)))
    with pytest.raises(NotQuiet, match=r"\(a file of its dead letters may be on its way into the table\)"):
        paused(engine).begin()


def test_without_an_engine_there_is_nothing_to_wait_for() -> None:
    engine = Engine(stops_after_s=0)
    engine.ledger.end_run("run")
    paused(engine).begin()
    assert engine.now_s == 0


def test_what_an_engine_that_has_ended_could_not_prove_is_told() -> None:
    engine = Engine(stops_after_s=0)
    engine.ledger.write(replace(engine.row, is_sending=True))
    engine.ledger.end_run("run")
    with pytest.raises(NotQuiet, match="may have rows in flight") as raised:
        paused(engine).begin()
    assert "no engine runs that proves them" in raised.value.next_step


def test_resuming_takes_it_back() -> None:
    engine = Engine(stops_after_s=0)
    paused(engine).begin()
    paused(engine).end()
    assert not engine.ledger.mark(STREAM).is_paused


def test_a_stream_that_was_never_read_is_no_pipeline() -> None:
    pause = Pause(MemoryLedger(), "other", epoch_s=EPOCH_S)
    with pytest.raises(UnknownPipeline):
        pause.begin()
    with pytest.raises(UnknownPipeline):
        pause.end()
