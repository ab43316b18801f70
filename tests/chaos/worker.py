"""The process that a schedule strikes: epochs over the shards of one stream, one after the other, as a task would run them.

It is forked from a process that has all of this module imported, but not the Snowflake SDK, whose runtime doesn't survive
a fork.
"""

import json
import logging
import os
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.dead_letters import open_store
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.shard.request import Deadline
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from firnline_ingest.spark.planner import ShardPlanner, SourceOffset
from firnline_ingest.values import ShardKey, TargetTable
from tests.chaos.sabotage import SABOTAGES
from tests.chaos.schedule import Blow, DriverStep, Step, Strike

SDK_PROPERTIES = {
    "channel_status_cache_refresh_interval_seconds": "0",
    "data_retry_initial_backoff_seconds": "0",
    "mgmt_retry_initial_backoff_seconds": "0",
    "open_channel_409_retry_initial_backoff_seconds": "0",
    "open_channel_409_retry_max_backoff_seconds": "1",
    "open_channel_409_retry_total_backoff_seconds": "2",
}
"""So that a schedule takes seconds; production leaves all of them alone."""
PLANS_TO_BE_DONE = (
    2  # as in spark/job.py: a listing may leave shards out, and a replayed plan knows nothing of new ones
)


@dataclass(frozen=True, kw_only=True)
class Orders:
    """Orders to one worker, and what is to be done to it."""

    number: int
    config: EngineConfig
    target: TargetTable
    strike: Strike | None
    page: int
    epoch_s: float
    arrival_ms: int | None
    """A bounded run: it ends when everything up to here is in its place."""
    offset: dict[str, Any]
    """What Spark's offset log has of the last epoch that was planned."""
    is_replayed: bool
    """True if it is run again first, as Spark does with an epoch that it does not know to have ended."""
    sabotage: str | None = None


# What a worker tells the drill


@dataclass(frozen=True)
class Planned:
    offset: dict[str, Any]


@dataclass(frozen=True)
class Reached:
    step: Step


@dataclass(frozen=True)
class Struck:
    strike: Strike


@dataclass(frozen=True)
class Failed:
    """An epoch of a shard, or its planning (no shard), ended with a problem."""

    problem: ShardProblem
    shard: str = ""


@dataclass(frozen=True)
class Left:
    """The last word of a worker that was not struck dead."""


Message = Planned | Reached | Struck | Failed | Left


logging.getLogger("snowflake.ingest.streaming").setLevel(logging.CRITICAL)  # it logs each re-open as an error


def work(orders: Orders, line: "Connection[Message, None]") -> None:
    """The process's main function. Exit status: 0 done, or told to leave."""
    os.setpgrp()  # a frozen process whose starters have died is then an orphaned group, which the system ends
    threading.Thread(target=_end_with_the_lane, daemon=True).start()
    if orders.sabotage:
        SABOTAGES[orders.sabotage]()
    _Worker(orders, line).run()
    line.send(Left())
    os._exit(0)  # what is still open is left as a killed process leaves it


def _end_with_the_lane() -> None:
    lane = parent_process()
    if lane is not None:
        lane.join()
    os._exit(1)


@dataclass
class Striker:
    """The engine's observer. The line is held while the process is stopped, so that no message is cut in two."""

    strike: Strike | None
    line: "Connection[Message, None]"
    seen: Counter[Step] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, step: Step, key: ShardKey | None = None) -> None:
        with self.lock:
            self.seen[step] += 1
            self.line.send(Reached(step))
            is_now = self.strike is not None and (step, self.seen[step]) == (self.strike.step, self.strike.nth)
        if is_now and self.strike is not None:
            time.sleep(self.strike.delay_ms / 1000)
            with self.lock:
                self.line.send(Struck(self.strike))
                os.kill(os.getpid(), signal.SIGKILL if self.strike.blow is Blow.KILL else signal.SIGSTOP)

    def say(self, message: Message) -> None:
        with self.lock:
            self.line.send(message)


class _Worker:
    def __init__(self, orders: Orders, line: "Connection[Message, None]") -> None:
        self._orders = orders
        self._line = line
        self._striker = Striker(orders.strike, line)
        self._config = config = orders.config
        self._pipeline = config.pipelines[0]
        self._services = ShardServices(
            ledger=DynamoLedger(dynamodb_client(config.aws), config.ledger.table),
            kinesis=kinesis_client(config.aws),
            channels=SdkChannels(config, SDK_PROPERTIES),
            dead_letters=open_store(config),
            polling=PollingConfig.model_construct(max_records=orders.page, interval_ms=10),
            run_id=f"worker-{orders.number}",
            observer=self._striker,
            prove_every_s=0.05,
            write_every_s=0.1,
            final_commit_s=10.0,
            counter_settle_s=0.5,
            reopen_delay_s=0.05,
        )
        self._group = ShardGroup(self._services)
        self._finished: set[ShardKey] = set()
        self._planner = ShardPlanner(config, self._services.kinesis, self._services.ledger)
        self._offset = SourceOffset.from_document(orders.offset) if orders.offset else SourceOffset()
        self._is_replaying = bool(orders.offset) and orders.is_replayed

    def run(self) -> None:
        """Ends when it is told to leave, or when a bounded run has nothing left to do."""
        plans_without_work = 0
        while not self._line.poll() and plans_without_work < PLANS_TO_BE_DONE:
            works = self._plan()
            self._striker(DriverStep.PLANNED)
            if works:
                plans_without_work = 0
                deadline = Deadline.after(self._orders.epoch_s, arrival_ms=self._orders.arrival_ms)
                for receipt in self._group.run(works, deadline):
                    self._judge(receipt)
            else:
                is_bounded = self._orders.arrival_ms is not None
                plans_without_work += is_bounded and not self._has_problem
                time.sleep(min(0.1, self._orders.epoch_s))

    def _plan(self) -> list[ShardWork]:
        """Plans as spark/source.py does."""
        if not self._is_replaying:
            self._offset = self._planner.next_offset(self._offset)
        self._is_replaying = False
        self._striker.say(Planned(self._offset.as_document()))
        rows = list(self._planner.rows(self._offset))
        self._has_problem = False
        for row in rows:
            if row.problem:
                self._has_problem = True
                self._striker.say(Failed(ShardProblem(**json.loads(row.problem))))
        shards = [PlannedShard.of(row, self._orders.target) for row in rows if not row.problem]
        asked = tuple(shard for shard in shards if shard.key not in self._finished)
        return Assignment(self._config, self._services.run_id, asked, self._orders.epoch_s).works

    def _judge(self, receipt: Receipt) -> None:
        is_bounded = self._orders.arrival_ms is not None
        if is_bounded and receipt.state in (ShardState.DONE, ShardState.ENDED):
            self._finished.add(receipt.key)
        if receipt.problem is not None:
            self._striker.say(Failed(receipt.problem, receipt.shard_id))
            if is_bounded and not receipt.problem.is_retryable:
                self._finished.add(receipt.key)
