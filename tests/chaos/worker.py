"""The process that a schedule strikes: epochs over the shards of one stream, one after the other, as a task would run them.

It is forked from a process that has all of this module imported, but not the Snowflake SDK, whose runtime doesn't survive
a fork.
"""

import logging
import os
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import parent_process
from multiprocessing.connection import Connection

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import EngineConfig, PollingConfig
from firnline_ingest.deadletter import open_store
from firnline_ingest.errors import FirnlineError
from firnline_ingest.identifiers import channel_name
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.kinesis.missing import gone_shards
from firnline_ingest.kinesis.start import TrimHorizon, parse_start
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.plan import StreamView, plan_shards, planned_starts
from firnline_ingest.shard.deadline import Deadline
from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.values import ShardKey, TargetTable
from tests.chaos.sabotage import SABOTAGES
from tests.chaos.schedule import Blow, Strike

SDK_PROPERTIES = {
    "channel_status_cache_refresh_interval_seconds": "0",
    "data_retry_initial_backoff_seconds": "0",
    "mgmt_retry_initial_backoff_seconds": "0",
    "open_channel_409_retry_initial_backoff_seconds": "0",
    "open_channel_409_retry_max_backoff_seconds": "1",
    "open_channel_409_retry_total_backoff_seconds": "2",
}
"""So that a schedule takes seconds; production leaves all of them alone."""


@dataclass(frozen=True, kw_only=True)
class Orders:
    """What one worker is to do, and what is to be done to it."""

    number: int
    config: EngineConfig
    target: TargetTable
    strike: Strike | None
    page: int
    epoch_s: float
    arrival_ms: int | None
    """A bounded run: it ends when everything up to here is in its place."""
    offsets: dict[str, str]
    """What Spark's offset log has of the last epoch that was planned."""
    sabotage: str | None = None


# What a worker tells the drill


@dataclass(frozen=True)
class Planned:
    offsets: dict[str, str]


@dataclass(frozen=True)
class Reached:
    step: EpochStep


@dataclass(frozen=True)
class Struck:
    strike: Strike


@dataclass(frozen=True)
class Failed:
    """An epoch of a shard, or its planning, ended with a problem."""

    problem: ShardProblem


Message = Planned | Reached | Struck | Failed


logging.getLogger("snowflake.ingest.streaming").setLevel(logging.CRITICAL)  # it logs each re-open as an error


def work(orders: Orders, line: "Connection[Message, None]") -> None:
    """The process's main function. Exit status: 0 done, or told to leave."""
    os.setpgrp()  # a frozen process whose starters have died is then an orphaned group, which the system ends
    threading.Thread(target=_end_with_the_lane, daemon=True).start()
    if orders.sabotage:
        SABOTAGES[orders.sabotage]()
    _Worker(orders, line).run()
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
    seen: Counter[EpochStep] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, step: EpochStep, key: ShardKey) -> None:
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
            reopen_delay_s=0.05,
        )
        self._group = ShardGroup(self._services)
        self._finished: set[ShardKey] = set()
        self._offsets = orders.offsets

    def run(self) -> None:
        """Ends when it is told to leave, or when a bounded run has nothing left to do."""
        epoch = 0
        while not self._line.poll():
            epoch += 1
            try:
                works = self._plan(epoch)
            except FirnlineError as error:
                self._striker.say(Failed(ShardProblem.of(error)))
                continue
            if not works:
                return
            for receipt in self._group.run(
                works, Deadline.after(self._orders.epoch_s, arrival_ms=self._orders.arrival_ms)
            ):
                self._judge(receipt)

    def _plan(self, epoch: int) -> list[ShardWork]:
        """As spark/source.py plans it."""
        lineage = read_lineage(self._services.kinesis, self._pipeline.stream)
        rows = self._services.ledger.rows(lineage.incarnation)
        view = StreamView(lineage, rows, self._offsets)
        gone = gone_shards(self._services.kinesis, lineage.stream, view.suspects())
        self._offsets = plan_shards(lineage, rows, self._offsets, TrimHorizon(), gone).offsets
        self._striker.say(Planned(self._offsets))
        planned = list(planned_starts(lineage, rows, self._offsets))
        keys = {each.shard: ShardKey(lineage.stream, lineage.stream_created_ms, each.shard) for each in planned}
        return [
            ShardWork(
                key=keys[each.shard],
                epoch=epoch,
                start=parse_start(each.start) or TrimHorizon(),
                pipeline=self._pipeline,
                target=self._orders.target,
                channel=channel_name(self._config.application, lineage.stream, lineage.stream_created_ms, each.shard),
                retention_hours=each.retention_hours,
                trimmed_parents=each.unread_parents,
                since_ms=each.since_ms,
                is_closed=each.is_closed,
            )
            for each in planned
            if keys[each.shard] not in self._finished
        ]

    def _judge(self, receipt: Receipt) -> None:
        if receipt.state in (ShardState.DONE, ShardState.ENDED) and self._orders.arrival_ms is not None:
            self._finished.add(receipt.key)
        if receipt.problem is not None:
            self._striker.say(Failed(receipt.problem))
