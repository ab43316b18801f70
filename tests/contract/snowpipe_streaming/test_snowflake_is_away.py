"""Snowflake is down, or shut to the engine, for a day: an engine of one pipeline stays up, uses up no attempt of its runtime, and
goes on by itself (docs/snowflake-is-down.md). The real SDK, the real connector and the engine's own parts; Spark is left out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.spark import job, policy, retry_budget
from firnline_ingest.spark.job import SUCCESS
from tests.contract.snowpipe_streaming.marks import WITH_CONNECTOR
from tests.contract.snowpipe_streaming.under_change import GRANTED, Engine, numbers
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.job.running import Running, run_of, until
from tests.ingest.spark.standing_in import StandIn

World = Any  # of conftest.py
Sql = Callable[[str], list[tuple[Any, ...]]]

pytestmark = WITH_CONNECTOR


@dataclass(frozen=True)
class Outage:
    """Beginning and end of an outage: statements of an administrator, or a fault of every call."""

    problem: str
    begin: str = ""
    end: str = ""
    fault: tuple[str, int] | None = None


OUTAGES = {
    "insert-revoked": Outage("FL-3009", "REVOKE INSERT ON TABLE ORDERS FROM ROLE INGEST", GRANTED),
    "user-disabled": Outage(
        "FL-3011", "ALTER USER ENGINE SET DISABLED = TRUE", "ALTER USER ENGINE SET DISABLED = FALSE"
    ),
    "table-dropped": Outage("FL-3006", "DROP TABLE ORDERS", "UNDROP TABLE ORDERS"),
    "every-call-503": Outage("FL-3010", fault=("ERROR", 503)),
    "every-call-cut": Outage("FL-3010", fault=("CUT", 0)),
}
HOURS, STEP_HOURS = 24, 4


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry_budget, "LONGEST_PAUSE_S", 0.01)
    for module, name in ((policy, "LEAST_PAUSE_S"), (policy, "LONGEST_PAUSE_S"), (job, "LOOK_S"), (job, "BEAT_S")):
        monkeypatch.setattr(module, name, 0.01)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("event", list(OUTAGES))
def test_an_engine_of_one_pipeline_outlasts_a_day(
    world: World, sql: Sql, start: Callable[..., Engine], event: str
) -> None:
    outage, engine = OUTAGES[event], start()
    between_epochs: list[Callable[[], object]] = []
    is_out = False

    def begin() -> None:
        nonlocal is_out
        is_out = True
        if outage.begin:
            sql(outage.begin)
        elif outage.fault:
            world.fail("*", outage.fault[0], status=outage.fault[1])
        engine.records(2, v="x")

    def epoch(_: int) -> list[Receipt]:
        while between_epochs:
            between_epochs.pop()()
        if is_out:
            engine.now_s += 3600 * STEP_HOURS
            engine.catalog.close()  # its session has ended, as every one does within hours
        return engine.run_epoch()

    ledger, spark = MemoryLedger(), StandIn(epoch)
    running = Running(spark.job(ledger, clock=lambda: engine.now_s))
    until(lambda: spark.committed)
    try:
        between_epochs.append(begin)
        begun = len(spark.committed)
        until(lambda: is_out and len(spark.committed) >= begun + HOURS // STEP_HOURS)
        stopped = engine.stopped
    finally:
        is_out = False
        world.snowflake.faults.replace([])
        if outage.end:
            sql(outage.end)
    assert stopped.id == outage.problem
    engine.now_s += 3600
    until(lambda: engine.proven == 5)
    so_far = len(spark.committed)
    until(lambda: len(spark.committed) >= so_far + 2)
    ledger.request_stop(run_of(ledger).run_id)
    assert running.ends() == SUCCESS
    assert numbers(sql) == [0, 1, 2, 3, 4]
