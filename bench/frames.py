"""Part frames: the engine with a query that keeps each row in whole, beside the same engine without one, in turns.

Both read the same full shards and write to the same sink; the rows are nearly of one size, so what differs is the way
through Spark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.figure import Figure
from bench.full_rate import Run, engine_run
from bench.processes import Role

PART = "frames"
SHARDS = 4
SECONDS = 40.0
WARM_UP_S = 30.0
QUERY: Mapping[str, str] = {
    "schema": (
        "event_id STRING, type STRING, number BIGINT, placed_at TIMESTAMP, total DECIMAL(10, 2), currency STRING, "
        "is_gift BOOLEAN, customer STRUCT<id: BIGINT, name: STRING, tier: STRING, address: STRUCT<city: STRING, zip: STRING>>, "
        "items ARRAY<STRUCT<sku: STRING, quantity: INT, price: DOUBLE, note: STRING>>"
    ),
    "sql": "SELECT *, upper(customer.address.city) AS city FROM rows WHERE number >= 0",
}


@dataclass(frozen=True)
class InTurns:
    """One run of each, one behind the other."""

    query: Run
    direct: Run


def measure(*, warm_up_s: float = WARM_UP_S, seconds: float = SECONDS) -> InTurns:
    runs = [
        engine_run(shards=SHARDS, warm_up_s=warm_up_s, seconds=seconds, query=query, is_native=False)
        for query in (QUERY, None)
    ]
    return InTurns(*runs)


def figures(runs: Sequence[InTurns]) -> list[Figure]:
    def figure(name: str, values: Sequence[float], unit: str = "CPU ms/MB") -> Figure:
        return Figure(part=PART, name=name, unit=unit, values=values)

    queries = [run.query for run in runs]
    return [
        figure("with a query", [run.cpu_ms_per_mb() for run in queries]),
        figure("  of it workers", [run.cpu_ms_per_mb(Role.WORKER, Role.DAEMON) for run in queries]),
        figure("  of it driver and JVM", [run.cpu_ms_per_mb(Role.DRIVER, Role.PLANNER, Role.JVM) for run in queries]),
        figure("without", [run.direct.cpu_ms_per_mb() for run in runs]),
        figure("ratio", [run.query.cpu_ms_per_mb() / run.direct.cpu_ms_per_mb() for run in runs], "x"),
    ]
