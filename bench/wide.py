"""Part: 256 shards in eight tasks, beside 16 in one; apart from the others because eight workers have to start first."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench import full_rate
from bench.figure import Bar, Figure, at_most

PART = "wide"
SHARDS, TASKS = 256, 8
TARGET_RATIO = 1.3


@dataclass(frozen=True)
class Pair:
    few: full_rate.Run
    most: full_rate.Run


def measure(*, steady_s: float, seconds: float) -> Pair:
    """Both are looked at after `steady_s`: for a minute and more, eight processes fill what their allocators keep."""
    return Pair(
        few=full_rate.engine_run(warm_up_s=steady_s, seconds=seconds),
        most=full_rate.engine_run(shards=SHARDS, tasks=TASKS, warm_up_s=steady_s, seconds=seconds),
    )


def figures(pairs: Sequence[Pair]) -> list[Figure]:
    def figure(name: str, unit: str, values: Sequence[float], bar: Bar | None = None) -> Figure:
        return Figure(part=PART, name=name, unit=unit, values=values, bar=bar)

    few, most = [pair.few for pair in pairs], [pair.most for pair in pairs]
    ratios = [much.cpu_ms_per_mb() / little.cpu_ms_per_mb() for much, little in zip(most, few, strict=True)]
    return [
        figure(f"{full_rate.SHARDS} shards in one task", "CPU ms/MB", [run.cpu_ms_per_mb() for run in few]),
        figure(f"{SHARDS} shards in {TASKS} tasks", "CPU ms/MB", [run.cpu_ms_per_mb() for run in most]),
        figure(f"  {SHARDS} shards, against {full_rate.SHARDS}", "x", ratios, at_most(TARGET_RATIO)),
        figure(f"  throughput of {full_rate.SHARDS} shards", "MB/s", [run.megabytes_per_s for run in few]),
        figure(f"  throughput of {SHARDS} shards", "MB/s", [run.megabytes_per_s for run in most]),
        figure("  all processes together", "MB", [run.tree_mb for run in most]),
    ]
