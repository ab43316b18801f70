"""A place where engines run, in simulated time: its service, the engines themselves, and the ledger that they write to.

Time passes only while somebody sleeps. Every call of a deployer is counted, so that a test can kill it at each of them,
before the call has an effect or after it. The world watches all the time that no two engines write.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from firnline_infra.rollout.loop import JobRecords
from firnline_infra.rollout.records import Deployments
from firnline_infra.rollout.roll import RollOut
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.service import Problem, Run, RunState
from firnline_infra.runtimes.waiting import WaitsFor
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.backend import Run as EngineRun
from firnline_ingest.ledger.backend import was_let_in
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.standby import Standby, StandbyState
from firnline_ingest.values import Fence, ShardKey
from tests.fakes.ledger import MemoryLedger

STREAM, CREATED_MS = "orders", 1_700_000_000_000
KEYS = [ShardKey(STREAM, CREATED_MS, f"shardId-00000000000{number}") for number in range(2)]
BEGINS_S, PROVES_S, OPENS_S = 20, 4, 3
WAITS_S = 600
DEAD_S = 10


@dataclass(frozen=True)
class FakeJob:
    hash: str
    application: str = "firnline-dev"
    streams: tuple[str, ...] = (STREAM,)
    stands_by: bool = False


class Killed(BaseException):
    """The deployer's process is gone."""


class ExpiredToken(Exception):
    """An expired token as botocore raises it."""

    response: ClassVar[dict[str, Any]] = {"Error": {"Code": "ExpiredTokenException"}}


@dataclass
class Engine:
    """A run, and the engine inside of it."""

    run: Run
    token: str
    is_broken: bool = False
    is_deaf: bool = False
    """It beats, and never hears that it is asked to stop."""
    is_stuck: bool = False
    """The service cancels it, and never lets go."""
    lives_on: bool = False
    """The service calls its run over, and its program runs on, as a YARN application does whose step was cancelled."""
    frozen_s: int | None = None
    """For how long its process has not run; None of one that runs."""
    age_s: int = 0
    holds: str = ""
    """The id of its run in the ledger, while it has one."""
    stops_in_s: int | None = None
    gone_in_s: int | None = None
    stands_by: bool = False
    """It was started to; whether it does, the ledger says."""
    shown: str = ""
    """The id of its run in the row of standbys, while it has that."""
    waits_s: int = 0
    taken_s: int = 0
    """The age when it took the application."""


@dataclass
class World:
    """Implements Runtime, and is the clock of everybody in it."""

    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    now_s: float = 1000.0
    engines: list[Engine] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    """Hashes of jobs whose engines end as soon as they begin."""
    idle: set[str] = field(default_factory=set)
    """Hashes of jobs whose engines hold the application and read nothing."""
    problems: list[Problem] = field(default_factory=list)
    unfit: list[Problem] = field(default_factory=list)
    """What the engine's own code finds wrong with a configuration."""
    said: list[str] = field(default_factory=list)
    started: list[str] = field(default_factory=list)
    objects: dict[str, str] = field(default_factory=dict)
    lacking: str = ""
    """The reason why there is no room beside an engine."""
    unplaced: set[str] = field(default_factory=set)
    """Hashes of jobs that find no machines beside another run."""
    unable: dict[str, tuple[str, WaitsFor]] = field(default_factory=dict)
    """By the hash of a job, why its program never begins, in its service's words."""
    has_probes: bool = True
    """True if its service starts something smaller than a job."""
    probes: list[str] = field(default_factory=list)
    """Hashes of the jobs whose probes are there."""
    may_overlap: bool = False
    """True if a start while another run is there is none of the deployer's mistakes: the lease refuses its engine."""
    expires_at: int | None = None
    """The call from which on the deployer's token is over."""
    kill_at: int | None = None
    kill_after: bool = False
    calls: int = 0

    # What a deployer calls

    def check(self, job: Any) -> Sequence[Problem]:
        with_effect: Callable[[], Sequence[Problem]] = lambda: list(self.problems)  # noqa: E731
        return self._call(with_effect)

    def lacks_room(self, job: Any) -> str:
        return self._call(lambda: self.lacking)

    def probe(self, job: Any, token: str) -> "WorldProbe | None":
        return self._call(lambda: WorldProbe(self, job.hash) if self.has_probes else None)

    def start(self, job: Any, token: str, *, stands_by: bool = False) -> Run:
        return self._call(lambda: self._start(job, token, stands_by=stands_by))

    def runs(self, application: str) -> Sequence[Run]:
        return self._call(lambda: [engine.run for engine in self.engines if engine.run.state.is_active])

    def look(self, run: Run) -> Run:
        return self._call(lambda: self._of(run).run)

    def cancel(self, run: Run, *, grace_s: int) -> None:
        self._call(lambda: self._cancel(self._of(run), grace_s))

    def is_gone(self, run: Run) -> bool:
        return self._call(lambda: not self._of(run).run.state.is_active and not self._of(run).lives_on)

    def log_lines(self, run: Run) -> Iterator[str]:
        yield f"the driver of {run.id}"

    # Objects of a bucket

    @property
    def place(self) -> str:
        return "s3://bucket/deployments/"

    def names(self) -> list[str]:
        return self._call(lambda: list(self.objects))

    def read(self, name: str) -> str | None:
        return self._call(lambda: self.objects.get(name))

    def create(self, name: str, text: str) -> bool:
        return self._call(lambda: name not in self.objects and self.objects.setdefault(name, text) == text)

    def overwrite(self, name: str, text: str) -> None:
        self._call(lambda: self.objects.__setitem__(name, text))

    # The test's

    def roll_out(self, **others: Any) -> RollOut:
        records = Deployments(self, sleep=self.sleep, clock=self.clock)
        return RollOut(
            self,
            self.ledger,
            records,
            JobRecords(
                streams_of=lambda job: job.streams,
                job_of=lambda document: FakeJob(**{**document, "streams": tuple(document["streams"])}),
                document_of=lambda job: {"hash": job.hash, "streams": list(job.streams), "stands_by": job.stands_by},
                unfit=lambda job: self._call(lambda: list(self.unfit)),
            ),
            say=self.said.append,
            sleep=self.sleep,
            clock=self.clock,
            now=self.clock,
            **others,
        )

    def clock(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        for _ in range(max(1, round(seconds))):
            self.now_s += 1
            for engine in self.engines:
                self._passes(engine)

    def cancel_step(self, engine: Engine) -> None:
        """Cancels the service's own object of a run, as a person does; the program is left alone."""
        engine.run, engine.lives_on = replace(engine.run, state=RunState.STOPPED), True

    @property
    def running(self) -> list[str]:
        """The hashes of the engines that hold the application or will."""
        return [engine.run.hash for engine in self.engines if engine.run.state.is_active]

    @property
    def step(self) -> int:
        """Count of the calls that were made."""
        return self.calls

    def _call(self, effect: Callable[[], Any]) -> Any:
        self.calls += 1
        if self.expires_at is not None and self.calls >= self.expires_at:
            raise RuntimeRefused("x:Y", "z", "ExpiredTokenException: the token is expired") from ExpiredToken()
        if self.calls == self.kill_at and not self.kill_after:
            raise Killed
        result = effect()
        if self.calls == self.kill_at:
            raise Killed
        return result

    def _of(self, run: Run) -> Engine:
        return next(engine for engine in self.engines if engine.run.id == run.id)

    def _start(self, job: Any, token: str, *, stands_by: bool = False) -> Run:
        for engine in self.engines:
            if engine.token == token:
                return engine.run
        assert stands_by or self.may_overlap or not self.running, (
            f"{job.hash} was started while {self.running} could still write"
        )
        self.started.append(job.hash)
        since = datetime(2026, 11, 22, tzinfo=UTC) + timedelta(seconds=self.now_s)
        run = Run(id=f"run-{len(self.engines)}", hash=job.hash, state=RunState.STARTING, since=since, start=token)
        self.engines.append(Engine(run, token, is_broken=job.hash in self.broken, stands_by=stands_by))
        return run

    def _cancel(self, engine: Engine, grace_s: int) -> None:
        if engine.run.state.is_active and engine.gone_in_s is None:
            is_idle = engine.run.state is RunState.STARTING
            engine.run = replace(engine.run, state=RunState.STOPPING)
            engine.gone_in_s = 1 if is_idle else min(grace_s, PROVES_S)

    def _passes(self, engine: Engine) -> None:
        """A second of an engine's life."""
        if not engine.run.state.is_active and not engine.lives_on:
            return
        if engine.frozen_s is not None:
            engine.frozen_s += 1
            if engine.gone_in_s is None:
                return
        engine.age_s += 1
        if engine.gone_in_s is not None and not engine.is_stuck:
            engine.gone_in_s -= 1
            if engine.gone_in_s <= 0:
                self._ends(engine, RunState.STOPPED, "cancelled by a person")
                return
        if engine.run.hash in self.unplaced and len(self.running) > 1:
            engine.age_s = 0
            engine.run = replace(engine.run, reason="0/3 nodes: 3 Insufficient cpu", waits_for=WaitsFor.ROOM)
        if engine.run.hash in self.unable and engine.gone_in_s is None:
            reason, kind = self.unable[engine.run.hash]
            engine.age_s, engine.run = 0, replace(engine.run, reason=reason, waits_for=kind)
        if engine.age_s < BEGINS_S or engine.gone_in_s is not None:
            return
        if engine.is_broken:
            self._ends(engine, RunState.FAILED, "exit status 4")
        elif engine.holds:
            self._works(engine)
        elif engine.shown or (engine.stands_by and not was_let_in(self.ledger, engine.token)):
            self._stands_by(engine)
        else:
            self._begins(engine)

    def _stands_by(self, engine: Engine) -> None:
        """Stands by as spark/standing_by.py does."""
        engine.run = replace(engine.run, state=RunState.RUNNING)
        run_id, engine.waits_s = _engine_of(engine), engine.waits_s + 1
        if not engine.shown:
            self.ledger.stand_by(Standby(run_id, f"process of {engine.run.id}", engine.token), self.ledger.standby())
            engine.shown = run_id
            return
        row = self.ledger.beat_standby(run_id, StandbyState.READY, "")
        if row is None or engine.waits_s > WAITS_S:
            self.ledger.beat_standby(run_id, StandbyState.ENDED, "nobody let it take over")
            self._ends(engine, RunState.SUCCEEDED, "")
        elif row.is_admitted and self._is_free(engine):
            self._begins(engine)
            self.ledger.beat_standby(run_id, StandbyState.TAKEN, "")

    def _is_free(self, engine: Engine) -> bool:
        """Or held by one that is dead: nobody of this world beats for it."""
        held = self.ledger.current_run()
        if held is None:
            return True
        holder = next((each for each in self.engines if each.holds == held.run_id and each.run.state.is_active), None)
        if holder is not None and (holder.frozen_s or 0) < DEAD_S:
            return False
        self.ledger.end_run(held.run_id)
        return True

    def _begins(self, engine: Engine) -> None:
        engine.run = replace(engine.run, state=RunState.RUNNING)
        run_id = _engine_of(engine)
        if self.may_overlap and self.ledger.current_run() is not None:
            self._ends(engine, RunState.FAILED, "another engine runs")
            return
        assert self._is_free(engine), "two engines at once"
        assert self.ledger.begin_run(EngineRun(run_id, f"process of {engine.run.id}", start=engine.token), None)
        engine.holds, engine.taken_s = run_id, engine.age_s
        self.ledger.set_mark(STREAM, StreamMark(f"{STREAM}@{CREATED_MS}"), None)

    def _works(self, engine: Engine) -> None:
        row = self.ledger.beat(engine.holds)
        assert row is not None
        if row.stop_requests and engine.stops_in_s is None and not engine.is_deaf:
            engine.stops_in_s = PROVES_S
        if engine.stops_in_s is not None:
            engine.stops_in_s -= 1
            if engine.stops_in_s <= 0:
                self._ends(engine, RunState.SUCCEEDED, "")
                return
        if engine.age_s >= engine.taken_s + OPENS_S and engine.run.hash not in self.idle:
            for key in KEYS:
                self._reads(engine, key)

    def _reads(self, engine: Engine, key: ShardKey) -> None:
        row = self.ledger.read(key)
        if row is None or not row.fence.owner.startswith(engine.holds):
            row = self.ledger.take(key, row.fence if row else Fence(), f"{engine.holds}/task", TrimHorizon())
        now_ms = round(self.now_s * 1000)
        self.ledger.write(replace(row, heartbeat_ms=now_ms, tip_ms=now_ms))

    def _ends(self, engine: Engine, state: RunState, reason: str) -> None:
        if engine.holds and engine.frozen_s is None:
            self.ledger.end_run(engine.holds)
        if not engine.lives_on:
            engine.run = replace(engine.run, state=state, reason=reason)
        engine.lives_on = False


@dataclass
class WorldProbe:
    """Implements StartProbe, with the words that the job's own run would have."""

    world: World
    hash: str

    def __post_init__(self) -> None:
        self.world.probes.append(self.hash)

    def look(self) -> Run:
        reason, kind = self.world.unable.get(self.hash, ("", WaitsFor.UNKNOWN))
        state = RunState.STARTING if self.hash in self.world.unable else RunState.RUNNING
        return Run(id="probe-0", hash="", state=state, reason=reason, waits_for=kind)

    def close(self) -> None:
        self.world.probes.remove(self.hash)


def _engine_of(engine: Engine) -> str:
    return f"engine-of-{engine.run.id}-{engine.run.attempt}"


OLD, NEW = FakeJob("0" * 64), FakeJob("1" * 64)
