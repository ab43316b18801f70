"""Roll-outs in simulated time: the real roll-out, the real lease and the real waiting of a standby, among kills and freezes.

The service here starts programs, starts them again when they fail, and cancels them with a grace. A program is an engine's main
thread without Spark: it stands by or takes the application, beats, takes its shards, and gives the application back.
"""

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firnline_infra.rollout.loop import JobRecords
from firnline_infra.rollout.records import Deployments
from firnline_infra.rollout.roll import RollOut
from firnline_infra.runtimes.service import Problem, Run, RunState
from firnline_infra.runtimes.waiting import waits_for
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.backend import Run as EngineRun
from firnline_ingest.ledger.backend import was_let_in
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.spark.standing_by import StandingBy
from firnline_ingest.values import Fence, ShardKey
from tests.chaos.simulated.memory import SimulatedLedger
from tests.chaos.simulated.simulation import Actor, Simulation, monotonic, pause, sleep

STREAM, CREATED_MS = "orders", 1_700_000_000_000
KEY = ShardKey(STREAM, CREATED_MS, "shardId-000000000000")
STANDBY_S = 600.0
MOST_ATTEMPTS = 5
READS_EVERY = 5  # beats


@dataclass(frozen=True)
class Job:
    hash: str
    stands_by: bool
    application: str = "app"


def _job_of(document: dict[str, Any]) -> Any:
    """Returns what a roll-out asks of a job is no more."""
    return Job(**document)


@dataclass(eq=False)
class Program:
    """One attempt at one run."""

    rolling: "Rolling"
    started: "Started"
    number: int
    is_cancelled: bool = False
    status: int | None = None

    def __post_init__(self) -> None:
        self.engine = EngineRun(f"{self.started.run.id}.{self.number}", f"process of {self.started.run.id}")
        self.engine = replace(self.engine, start=self.started.run.start, configuration=self.started.run.hash)
        self.actor: Actor = self.rolling.simulation.start(self._run)

    def _run(self) -> None:
        try:
            self.status = self._engine()
        except FirnlineError:
            self.status = 2

    def _engine(self) -> int:
        rng, ledger = self.rolling.rng, self.rolling.ledger
        sleep(rng.uniform(1.0, 10.0))
        lease = RunLease(ledger, "app", self.engine, sleep=self._wait)
        if self.started.stands_by and not was_let_in(ledger, self.engine.start):
            standing = StandingBy(ledger, lease, STANDBY_S, self._wait, 1.0, clock=monotonic)
            if not standing.until_it_is_ours(Comes(monotonic() + rng.uniform(5.0, 60.0))):
                return 0
        elif not lease.begin():
            return 0
        self.rolling.holds(self)
        return self._work(lease)

    def _work(self, lease: RunLease) -> int:
        ledger = self.rolling.ledger
        ledger.set_mark(STREAM, StreamMark(f"{STREAM}@{CREATED_MS}"), None)
        for second in itertools.count():
            if self._wait(1.0) or lease.beat():
                break
            if second % READS_EVERY == 0:
                self._read()
        sleep(self.rolling.rng.uniform(0.5, 6.0))  # the proof
        lease.end()
        return 0

    def _read(self) -> None:
        ledger = self.rolling.ledger
        row = ledger.read(KEY)
        if row is None or not row.fence.owner.startswith(f"{self.engine.run_id}/"):
            row = ledger.take(KEY, row.fence if row else Fence(), f"{self.engine.run_id}/task", TrimHorizon())
        now_ms = self.rolling.simulation.now_ms
        ledger.write(replace(row, heartbeat_ms=now_ms, tip_ms=now_ms))

    def _wait(self, seconds: float) -> bool:
        sleep(seconds)
        return self.is_cancelled


@dataclass
class Comes:
    """A preparation that takes its time."""

    at_s: float
    failure: Exception | None = None

    @property
    def is_over(self) -> bool:
        return monotonic() >= self.at_s


@dataclass(eq=False)
class Started:
    """A run, as its service has it."""

    run: Run
    stands_by: bool
    programs: list[Program] = field(default_factory=list)
    cancelled_s: float | None = None
    grace_s: float = 0.0
    has_held: bool = False

    @property
    def is_active(self) -> bool:
        return self.run.state.is_active


@dataclass
class Probe:
    """Something small that needs the job's image."""

    rolling: "Rolling"
    hash: str

    def __post_init__(self) -> None:
        self.rolling.probes += 1

    def look(self) -> Run:
        pause()
        words = self.rolling.unable.get(self.hash, "")
        state = RunState.STARTING if words else RunState.RUNNING
        return Run(id="probe-0", hash="", state=state, reason=words, waits_for=waits_for(words))

    def close(self) -> None:
        self.rolling.probes -= 1


@dataclass
class Rolling:
    """Implements Runtime and Objects; every call of a deployer may be its last."""

    seed: int
    broken: set[str] = field(default_factory=set)
    unable: dict[str, str] = field(default_factory=dict)
    """By the hash of a job, why its program never begins, in its service's words."""
    probes: int = 0
    """How many there are."""
    started: list[Started] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    place: str = "memory/"

    def __post_init__(self) -> None:
        self.simulation = Simulation(self.seed)
        self.rng = random.Random(self.seed + 1)
        self.ledger: Any = SimulatedLedger(self.simulation)
        self.simulation.start(self._serve)

    @property
    def memory(self) -> Any:
        return self.ledger.memory

    def roll_out(self) -> RollOut:
        records = Deployments(self, sleep=sleep, clock=monotonic)
        return RollOut(
            self,
            self.ledger,
            records,
            JobRecords(
                streams_of=lambda _: [STREAM],
                job_of=_job_of,
                document_of=lambda job: {"hash": job.hash, "stands_by": job.stands_by},
            ),
            say=lambda _: None,
            sleep=sleep,
            clock=monotonic,
            now=lambda: self.simulation.now_ms / 1000,
        )

    def active(self) -> list[Started]:
        return [each for each in self.started if each.is_active]

    def holds(self, program: Program) -> None:
        """Told by a program that has just taken the application."""
        run, row = program.started, self.memory.standby()
        is_promoted = row is not None and (row.start, row.is_admitted) == (run.run.start, True)
        if run.stands_by and not run.has_held and not is_promoted:
            self.problems.append(f"{program.engine.run_id} took the application, and nobody had let it in")
        run.has_held = True

    # The service

    def _serve(self) -> None:
        while True:
            sleep(2.0)
            for each in self.active():
                self._look_after(each)

    def _look_after(self, each: Started) -> None:
        program = each.programs[-1] if each.programs else None
        if each.cancelled_s is not None:
            if program is None or program.actor.is_over or self.simulation.now_s > each.cancelled_s + each.grace_s:
                self.kill(program)
                each.run = replace(each.run, state=RunState.STOPPED)
            else:
                program.is_cancelled = True
        elif words := self.unable.get(each.run.hash, ""):
            each.run = replace(each.run, reason=words, waits_for=waits_for(words))
        elif program is None or (program.actor.is_over and program.status != 0):
            if len(each.programs) >= MOST_ATTEMPTS:
                each.run = replace(each.run, state=RunState.FAILED, reason="it failed too often")
                return
            each.programs.append(Program(self, each, len(each.programs) + 1))
            each.run = replace(each.run, state=RunState.RUNNING, attempt=len(each.programs))
        elif program.actor.is_over:
            each.run = replace(each.run, state=RunState.SUCCEEDED)

    def kill(self, program: Program | None) -> None:
        if program is not None and not program.actor.is_over:
            program.actor.kill()
            if program.actor in self.simulation.actors:
                self.simulation.actors.remove(program.actor)

    # Runtime

    def check(self, _: Any) -> Sequence[Problem]:
        pause()
        return []

    def lacks_room(self, _: Any) -> str:
        pause()
        return "no room" if self.rng.random() < 0.1 else ""

    def probe(self, job: Any, token: str) -> "Probe | None":
        pause()
        return Probe(self, job.hash) if self.rng.random() < 0.8 else None

    def start(self, job: Any, token: str, *, stands_by: bool = False) -> Run:
        pause()
        there = next((each.run for each in self.started if each.run.start == token), None)
        run = there or Run(id=f"run-{len(self.started)}", hash=job.hash, state=RunState.STARTING, start=token)
        if there is None:
            self.started.append(Started(run, stands_by))
        pause()
        return run

    def runs(self, _: str) -> Sequence[Run]:
        pause()
        return [each.run for each in self.active()]

    def look(self, run: Run) -> Run:
        pause()
        return self._of(run).run

    def cancel(self, run: Run, *, grace_s: int) -> None:
        pause()
        found = self._of(run)
        if found.is_active and found.cancelled_s is None:
            found.cancelled_s, found.grace_s = self.simulation.now_s, float(grace_s)
            found.run = replace(found.run, state=RunState.STOPPING)

    def is_gone(self, run: Run) -> bool:
        pause()
        return not self._of(run).is_active

    def log_lines(self, _: Run) -> Iterator[str]:
        yield from ()

    def _of(self, run: Run) -> Started:
        return next(each for each in self.started if each.run.id == run.id)

    # Objects

    def names(self) -> list[str]:
        pause()
        return list(self.kept)

    def read(self, name: str) -> str | None:
        pause()
        return self.kept.get(name)

    def create(self, name: str, text: str) -> bool:
        pause()
        return name not in self.kept and self.kept.setdefault(name, text) == text

    def overwrite(self, name: str, text: str) -> None:
        pause()
        self.kept[name] = text
