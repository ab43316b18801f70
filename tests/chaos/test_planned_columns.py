"""A real engine is killed at each effect of a column that a person approves: claim, plan, approval, ALTER, append, ledger.

Each value is in its row afterwards, once, and no key is counted as unknown.
"""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

import pytest

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.column_note import ColumnDecision
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.new_columns import NewColumns
from firnline_ingest.planned_columns import decide
from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.snowflake.target import TargetCatalog
from firnline_local.kinesis import Liberties
from tests.chaos.drill import processes
from tests.chaos.lane import Lane, Stage
from tests.chaos.schedule import Blow, Schedule, Strike
from tests.chaos.worker import Message, Orders, _Worker
from tests.tiers import every_third

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(600)]

KEYS = ("price", "Day", 'q"uote', "select", *(f"more{number}" for number in range(24)))
LONG = 1_234_567_890_123_456_789
RECORDS, HANGS_S = 8, 120.0
BEFORE, AFTER = "before", "after"
STEPS = (
    EpochStep.TAKEN,
    EpochStep.RECONCILED,
    EpochStep.READ,
    EpochStep.APPENDED,
    EpochStep.PROVEN,
    EpochStep.LEDGERED,
)
EFFECTS = [("add_columns", AFTER), ("add_columns", BEFORE), ("note_columns", BEFORE), ("note_columns", AFTER)]


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def struck(method: Callable[..., Any], moment: str) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if moment == BEFORE:
            die()
        answer = method(*arguments, **named)
        die()
        return answer

    return call


def work_with_columns(orders: Orders, effect: tuple[str, str] | None, line: "Connection[Message, None]") -> None:
    """The process's main function; `effect` is where it dies."""
    if effect is not None:
        owner = DynamoLedger if effect[0] == "note_columns" else TargetCatalog
        setattr(owner, effect[0], struck(getattr(owner, effect[0]), effect[1]))
    worker = _Worker(orders, line)
    columns = NewColumns.of(orders.config, worker._services.ledger)
    worker._services = replace(worker._services, new_columns=columns)
    worker._group = ShardGroup(worker._services)
    worker.run()
    os._exit(0)


class Engines:
    """Engines of one table, one after the other, and the person who approves what they plan."""

    def __init__(self, lane: Lane, seed: int) -> None:
        self.lane = lane
        schedule = Schedule(seed=seed, shards=1, acts=(), faults=(), liberties=Liberties(), counter_lag_ms=0)
        stage = lane.stage(schedule)
        document = stage.config.model_dump(by_alias=True)
        document["pipelines"][0] |= {"adds_columns": "approved"}
        self.stage: Stage = replace(stage, config=EngineConfig.model_validate(document))
        self.number = 0

    def run(self, *, strike: Strike | None = None, effect: tuple[str, str] | None = None) -> int:
        """Returns the exit status of an engine that is done, or is killed."""
        self.number += 1
        orders = Orders(
            number=self.number,
            config=self.stage.config,
            target=self.stage.target,
            strike=strike,
            page=3,
            epoch_s=1.0,
            arrival_ms=self.lane.kinesis.account.now_ms() + 1000,
            offset={},
            is_replayed=False,
        )
        ours, theirs = processes.Pipe()
        process = processes.Process(target=work_with_columns, args=(orders, effect, theirs), daemon=True)
        process.start()
        theirs.close()
        give_up_s = time.monotonic() + HANGS_S
        while process.is_alive() and time.monotonic() < give_up_s:
            while ours.poll(0.05):
                try:
                    ours.recv()
                except EOFError:
                    break
            decide(self.lane.ledger, str(self.stage.target), ColumnDecision.APPROVED)
            time.sleep(0.05)
        is_late = process.is_alive()
        process.kill()
        process.join()
        assert not is_late, f"engine {self.number} is not over"
        assert process.exitcode is not None
        return process.exitcode

    def rows(self) -> list[dict[str, Any]]:
        from firnline_local.snowflake.catalog.store import physical_name

        catalog = self.lane.snowflake.catalog
        with catalog.lock, catalog.store.cursor() as cursor:
            found = cursor.execute(f"SELECT * FROM {physical_name(self.stage.table)} ORDER BY rowid")
            names = [each[0] for each in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.fixture(scope="module")
def lane() -> Iterator[Lane]:
    with Lane() as lane:
        yield lane


def put(engines: Engines) -> None:
    for n in range(RECORDS):
        values = {key: LONG + n for number, key in enumerate(KEYS) if (n + number) % 3}
        engines.stage.stream.put(json.dumps({"n": n, **values}).encode(), key=f"key {n}")


def expect_each_value_in_its_row(engines: Engines) -> None:
    rows = engines.rows()
    assert [int(row["N"]) for row in rows] == [*range(RECORDS)]
    for n, row in enumerate(rows):
        for number, key in enumerate(KEYS):
            wanted = LONG + n if (n + number) % 3 else None
            found = row[key.upper()]
            assert (found if found is None else int(found)) == wanted, (n, key)


@pytest.mark.parametrize("step", every_third([(step,) for step in STEPS]), ids=str)
def test_an_engine_that_is_killed_at_a_step_leaves_each_value_to_the_next(lane: Lane, step: EpochStep) -> None:
    engines = Engines(lane, 100 + STEPS.index(step))
    put(engines)
    assert engines.run(strike=Strike(step=step, nth=1, blow=Blow.KILL, delay_ms=0)) == -signal.SIGKILL
    assert engines.run(strike=Strike(step=step, nth=2, blow=Blow.KILL, delay_ms=0)) in (-signal.SIGKILL, 0)
    assert engines.run() == 0
    expect_each_value_in_its_row(engines)


@pytest.mark.parametrize("effect", every_third([(effect,) for effect in EFFECTS]), ids="-".join)
def test_an_engine_that_is_killed_at_an_effect_of_its_plan_leaves_each_value_to_the_next(
    lane: Lane, effect: tuple[str, str]
) -> None:
    engines = Engines(lane, 200 + EFFECTS.index(effect))
    put(engines)
    assert engines.run(effect=effect) == -signal.SIGKILL
    assert engines.run(effect=effect) in (-signal.SIGKILL, 0), "the plan, or the column, is there now"
    assert engines.run() == 0
    expect_each_value_in_its_row(engines)
