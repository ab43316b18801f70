"""Part: what fan-out takes: time to the call of append_rows, CPU beside polling, and what subscriptions cost that say nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench import full_rate, idle, trickle
from bench.figure import Bar, Figure, at_most, percentile
from bench.processes import Role

PART = "fan-out"
TARGET_ABOVE_MS, TARGET_IDLE_PERCENT, TARGET_RATIO = 5.0, 10.0, 1.1


@dataclass(frozen=True)
class Round:
    trickle: trickle.Run
    full: full_rate.Run
    polled: full_rate.Run
    """The same by polling."""
    idle: idle.Idle


def measure(*, warm_up_s: float, seconds: float, epochs: int) -> Round:
    return Round(
        trickle=trickle.measure(epochs=epochs, by_fan_out=True),
        full=full_rate.engine_run(warm_up_s=warm_up_s, seconds=seconds, by_fan_out=True),
        polled=full_rate.engine_run(warm_up_s=warm_up_s, seconds=seconds),
        idle=idle.measure(by_fan_out=True),
    )


def figures(rounds: Sequence[Round]) -> list[Figure]:
    def figure(name: str, unit: str, values: Sequence[float], bar: Bar | None = None) -> Figure:
        return Figure(part=PART, name=name, unit=unit, values=values, bar=bar)

    runs = [one.trickle for one in rounds]
    ours = [percentile(run.all_ms, 50) for run in runs]
    theirs = [percentile(run.server_ms, 50) for run in runs]
    above = [our - their for our, their in zip(ours, theirs, strict=True)]
    ratios = [one.full.cpu_ms_per_mb() / one.polled.cpu_ms_per_mb() for one in rounds]
    return [
        figure("arrival to append, whole run, p50", "ms", ours),
        figure("  of it until it left the server, p50", "ms", theirs),
        figure("  above the server", "ms", above, at_most(TARGET_ABOVE_MS)),
        figure("arrival to append, whole run, p99", "ms", [percentile(run.all_ms, 99) for run in runs]),
        figure("  until it left the server, p99", "ms", [percentile(run.server_ms, 99) for run in runs]),
        figure("  worst", "ms", [max(run.all_ms) for run in runs]),
        figure("shards re-opened at boundaries", "", [run.reopened for run in runs]),
        figure("at full rate", "CPU ms/MB", [one.full.cpu_ms_per_mb() for one in rounds]),
        figure("  against polling", "x", ratios, at_most(TARGET_RATIO)),
        figure("  throughput meanwhile", "MB/s", [one.full.megabytes_per_s for one in rounds]),
        figure("worker at full rate", "MB", [one.full.worker_mb for one in rounds]),
        figure(
            f"{idle.IDLE_SHARDS} idle subscriptions, workers",
            "% of a core",
            [one.idle.percent_of_a_core(Role.WORKER) for one in rounds],
            at_most(TARGET_IDLE_PERCENT),
        ),
        figure("  all processes", "% of a core", [one.idle.percent_of_a_core() for one in rounds]),
    ]
