"""Part: what many shards, thin ones, large records and a hot shard change; each beside a run without it, so that ratios carry
over.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench import full_rate, trickle
from bench.figure import Bar, Figure, at_most, percentile

PART = "shards"
MANY_SHARDS = 64
LARGE_BYTES = 10 * 1024
TARGET_RATIO, TARGET_TREE_MB = 1.1, 1200.0
HOT = 1
THIN_RECORDS_PER_S = 300.0
"""Of a shard, a third of what it takes from its producers: most fleets' rate, and that of `firnline estimate`."""


@dataclass(frozen=True)
class Round:
    few: full_rate.Run
    many: full_rate.Run
    large: full_rate.Run
    thin: full_rate.Run
    calm: trickle.Run | None = None
    beside_hot: trickle.Run | None = None
    """Both are missing where time is short."""


def measure(*, warm_up_s: float, steady_s: float, seconds: float, epochs: int) -> Round:
    """Memory is looked at after `steady_s`, which gives Spark the time to end what served its start."""
    return Round(
        few=full_rate.engine_run(warm_up_s=steady_s, seconds=seconds),
        many=full_rate.engine_run(shards=MANY_SHARDS, warm_up_s=steady_s, seconds=seconds),
        large=full_rate.engine_run(warm_up_s=warm_up_s, seconds=seconds, record_bytes=LARGE_BYTES),
        thin=full_rate.engine_run(warm_up_s=warm_up_s, seconds=seconds, thin_records_per_s=THIN_RECORDS_PER_S),
        calm=trickle.measure(epochs=epochs) if epochs else None,
        beside_hot=trickle.measure(epochs=epochs, hot=HOT) if epochs else None,
    )


def figures(rounds: Sequence[Round]) -> list[Figure]:
    def figure(name: str, unit: str, values: Sequence[float], bar: Bar | None = None) -> Figure:
        return Figure(part=PART, name=name, unit=unit, values=values, bar=bar)

    few, many = [one.few for one in rounds], [one.many for one in rounds]
    ratios = [much.cpu_ms_per_mb() / little.cpu_ms_per_mb() for much, little in zip(many, few, strict=True)]
    large = [one.large.cpu_ms_per_mb() / one.few.cpu_ms_per_mb() for one in rounds]
    thin = [one.thin.cpu_ms_per_mb() / one.few.cpu_ms_per_mb() for one in rounds]
    return [
        figure(f"{full_rate.SHARDS} shards", "CPU ms/MB", [run.cpu_ms_per_mb() for run in few]),
        figure(f"{MANY_SHARDS} shards", "CPU ms/MB", [run.cpu_ms_per_mb() for run in many]),
        figure(f"  {MANY_SHARDS} shards, against {full_rate.SHARDS}", "x", ratios, at_most(TARGET_RATIO)),
        figure("  throughput meanwhile", "MB/s", [run.megabytes_per_s for run in many]),
        figure(
            f"  all processes with {MANY_SHARDS} shards", "MB", [run.tree_mb for run in many], at_most(TARGET_TREE_MB)
        ),
        figure(f"all processes with {full_rate.SHARDS} shards", "MB", [run.tree_mb for run in few]),
        figure("records of 10 KB, against those of 1 KB", "x", large),
        figure("thin shards, 0.3 MB/s each", "CPU ms/MB", [one.thin.cpu_ms_per_mb() for one in rounds]),
        figure("  against full ones", "x", thin),
        figure("  a read of theirs", "CPU ms", [cost_ms(one.few, one.thin)[1] for one in rounds]),
        figure("  a MB, without its reads", "CPU ms/MB", [cost_ms(one.few, one.thin)[0] for one in rounds]),
        *_latencies(rounds),
    ]


def _latencies(rounds: Sequence[Round]) -> Iterator[Figure]:
    calm, beside_hot = [one.calm for one in rounds if one.calm], [one.beside_hot for one in rounds if one.beside_hot]
    for percent in (50, 99) if calm else ():
        for name, runs in ((f"latency at a trickle, p{percent}", calm), ("  beside a hot shard", beside_hot)):
            values = [percentile(run.all_ms, percent) for run in runs]
            yield Figure(part=PART, name=name, unit="ms", values=values)


def cost_ms(full: full_rate.Run, thin: full_rate.Run) -> tuple[float, float]:
    """CPU of a megabyte without its reads, and of a read: what both runs cost is so much of each."""
    a = full.reads / full.megabytes, full.cpu_ms_per_mb()
    b = thin.reads / thin.megabytes, thin.cpu_ms_per_mb()
    of_a_read = (b[1] - a[1]) / (b[0] - a[0])
    return a[1] - a[0] * of_a_read, of_a_read
