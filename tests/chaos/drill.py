"""Carries one schedule out: act after act, each with a worker that is struck, and the verdict at the end.

A frozen worker goes on when its successor has opened a channel, with the order to leave after its epoch.
"""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from threading import Lock
from typing import Any

from firnline_ingest.shard.steps import EpochStep
from tests.chaos.lane import Lane
from tests.chaos.oracle import Put, Stop, place_of
from tests.chaos.records import payload
from tests.chaos.schedule import Act, Blow, Schedule, Step
from tests.chaos.verdict import verdict
from tests.chaos.worker import Failed, Left, Message, Orders, Planned, Reached, Struck, work

# In seconds, and in the worker's own epochs, of which a slow or busy machine has fewer in the same time.
STRIKE_WITHIN_S, STRIKE_WITHIN_EPOCHS = (
    4.0,
    3,
)  # a step that is not reached by then is not going to be: the worker is killed
END_WITHIN_S, END_WITHIN_EPOCHS = 25.0, 25
HANGS_S = 120.0  # one that is not even planning
LOOK_S = 0.05

processes = get_context("forkserver")
processes.set_forkserver_preload(["tests.chaos.worker", "botocore.client", "cryptography.x509"])
_asking = Lock()
"""multiprocessing asks how all children are whenever one starts; of two lanes that ask of one at once, the second hears 255."""


@dataclass
class Outcome:
    """Outcome of a schedule."""

    seed: int
    problems: list[str] = field(default_factory=list)
    strikes: Counter[tuple[Step, Blow]] = field(default_factory=Counter)
    """Those that hit; a step that was not reached has none."""
    records: int = 0
    zombies: int = 0
    fault_hits: int = 0
    seconds: float = 0.0


class Worker:
    """One process of a schedule, and the line to it."""

    def __init__(self, orders: Orders) -> None:
        self.line, theirs = processes.Pipe()
        self.process = processes.Process(target=work, args=(orders, theirs), daemon=True)
        with _asking:
            self.process.start()
        theirs.close()
        self.number = orders.number
        self.is_frozen = self.is_over = self.has_left = self.is_killed = False
        self.epochs = 0
        self._started_s = time.monotonic()
        self.last_problem = "without a problem"

    def messages(self, timeout_s: float) -> Iterator[Message]:
        """Yields what it has said; at once where there is something. After all of it, the worker is over."""
        try:
            while not self.is_over and self.line.poll(timeout_s):
                yield self.line.recv()
                timeout_s = 0.0
        except (EOFError, ConnectionResetError):
            self._await_end()
            self.is_over = True

    def has_had(self, seconds: float, epochs: int) -> bool:
        age_s = time.monotonic() - self._started_s
        return age_s > HANGS_S or (age_s > seconds and self.epochs > epochs)

    def thaw(self) -> None:
        """The thread ends by itself, after whatever it was doing."""
        with suppress(OSError):
            self.line.send(None)
        os.kill(self.pid, signal.SIGCONT)
        self.is_frozen = False

    def kill(self) -> None:
        """Kills it; what it said before is still in the line."""
        self.is_killed = True
        self.process.kill()
        self._await_end()

    def _await_end(self) -> None:
        with _asking:
            self.process.join()

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid


class Drill:
    """One schedule on one lane."""

    def __init__(self, lane: Lane, schedule: Schedule, sabotage: str | None = None) -> None:
        self._lane = lane
        self._schedule = schedule
        self._sabotage = sabotage
        self._stage = lane.stage(schedule)
        self._workers: list[Worker] = []
        self._offset: dict[str, Any] = {}
        self._commits_return_s = 0.0
        self._puts: list[Put] = []
        self._parents: dict[str, tuple[str, ...]] = {}
        self._stops: dict[str, Stop] = {}
        self.outcome = Outcome(schedule.seed)

    def play(self) -> Outcome:
        started_s = time.monotonic()
        self._lane.set_faults(self._schedule.faults)
        try:
            for act in self._schedule.acts:
                self._play(act)
            self._see_the_zombies_off()
        finally:
            for worker in self._workers:
                worker.kill()
            self._lane.hold_commits(hold=False)
        self._note_lineage()
        self.outcome.problems += verdict(
            self._stage,
            self._lane,
            puts=self._puts,
            parents=self._parents,
            stops=list(self._stops.values()),
            may_lose=self._schedule.may_lose,
        )
        self.outcome.records = len(self._puts)
        self.outcome.seconds = time.monotonic() - started_s
        return self.outcome

    def _play(self, act: Act) -> None:
        self._prepare(act)
        worker = Worker(self._orders(act))
        self._workers.append(worker)
        within = (STRIKE_WITHIN_S, STRIKE_WITHIN_EPOCHS) if act.strike else (END_WITHIN_S, END_WITHIN_EPOCHS)
        while not worker.is_frozen and not worker.is_over:
            self._listen(act)
            if worker.has_had(*within):
                worker.kill()
                if act.strike is None:
                    self.outcome.problems.append(
                        f"the last worker is not done after {worker.epochs} epochs: {worker.last_problem}"
                    )
                return
        if worker.is_over and not worker.has_left and worker.process.exitcode != -signal.SIGKILL:
            self.outcome.problems.append(f"worker {len(self._workers)} ended with status {worker.process.exitcode}")

    def _prepare(self, act: Act) -> None:
        stream = self._stage.stream
        if act.hours:
            self._lane.pass_time(act.hours)
        if act.splits:
            stream.open_shards[0].split()
        self._note_lineage()
        for fate in act.puts:
            number = len(self._puts)
            record = stream.put(payload(fate, number), key=f"key {number}")
            arrived_ms = int(record.arrived_at.timestamp() * 1000)
            self._puts.append(Put(record.shard_id, place_of(record.sequence_number), arrived_ms, fate))
        if act.drops_channel:
            self._lane.drop_a_channel(self._stage.table)
        for shard in stream.shards:
            shard.leave_out(5 if act.omits and shard == stream.shards[0] else 0)
        if act.loses_row:
            self._lane.lose_row(self._stage.key(stream.shards[0].id))
        if act.holds_commits_s:
            self._lane.hold_commits(hold=True)
            self._commits_return_s = time.monotonic() + STRIKE_WITHIN_S
        if act.strike is None:
            self._stops.clear()
            self.outcome.fault_hits = self._lane.fault_hits
            self._lane.set_faults(())

    def _note_lineage(self) -> None:
        """Shards are remembered that have left retention by the end."""
        for shard in self._stage.stream.shards:
            self._parents[shard.id] = tuple(parent.id for parent in shard.parents)

    def _orders(self, act: Act) -> Orders:
        return Orders(
            number=len(self._workers) + 1,
            config=self._stage.config,
            target=self._stage.target,
            strike=act.strike,
            page=act.page,
            epoch_s=act.epoch_s,
            arrival_ms=None if act.strike else self._lane.kinesis.account.now_ms() + 1000,
            offset=self._offset,
            is_replayed=act.is_replayed,
            sabotage=self._sabotage,
        )

    def _listen(self, act: Act) -> None:
        newest = self._workers[-1]
        for worker in self._workers:
            for message in worker.messages(LOOK_S if worker is newest else 0.0):
                self._hear(message, worker, act)
        if self._commits_return_s and time.monotonic() > self._commits_return_s:
            self._commits_return_s = 0.0
            self._lane.hold_commits(hold=False)

    def _hear(self, message: Message, worker: Worker, act: Act) -> None:
        match message:
            case Planned(offset) if worker is self._workers[-1]:
                worker.epochs += 1
                self._offset = offset
            case Left():
                worker.has_left = True
            case Reached(EpochStep.OPENED) if worker is self._workers[-1]:
                self._thaw_all()
            case Struck(strike):
                self.outcome.strikes[strike.step, strike.blow] += 1
                worker.is_frozen = strike.blow is Blow.FREEZE and not worker.is_killed
                if act.holds_commits_s:
                    self._commits_return_s = time.monotonic() + act.holds_commits_s
            case Failed(problem, shard):
                worker.last_problem = f"[{problem.id}] {problem.what}"
                if not problem.is_retryable and self._schedule.may_lose:
                    self._stops[shard] = Stop(shard, problem.id, problem.next_step)
                elif not problem.is_retryable:
                    self.outcome.problems.append(f"worker {worker.number} gave up: {worker.last_problem}")

    def _thaw_all(self) -> None:
        for worker in self._workers:
            if worker.is_frozen:
                worker.thaw()
                self.outcome.zombies += 1

    def _see_the_zombies_off(self) -> None:
        self._thaw_all()
        give_up_s = time.monotonic() + HANGS_S
        while alive := [worker.number for worker in self._workers if not worker.is_over]:
            self._listen(self._schedule.acts[-1])
            if time.monotonic() > give_up_s:
                self.outcome.problems.append(f"thawed, and still there after {HANGS_S:.0f} s: workers {alive}")
                return
