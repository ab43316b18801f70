"""Parts 2 and 3: CPU a megabyte and memory of the whole path, every shard giving what Kinesis gives one shard: 2 MB/s.

CPU is that of all processes of the engine, driver and JVM included, between two moments that lie about an epoch apart: the
cost of an epoch is in it, the cost of starting is not. Memory is read from the same runs, its growth from one long run:
the allocator takes about two minutes to fill up to what it keeps.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.figure import Bar, Figure, at_least, at_most, slope
from bench.payload import SIZE_BYTES, mean_bytes
from bench.processes import Role, Sample
from bench.subject import Subject
from bench.world import Shards, World

PATH, MEMORY = "path", "memory"
TARGET_RATIO, TARGET_MS_PER_MB = 3.5, 18.0
TARGET_GROWTH_MB_PER_MIN = 2.0
SHARDS = 16  # one Spark task, and so one worker
OBVIOUS_SHARDS = 4  # what one thread of it keeps up with
RECORDS_PER_S = 2000.0
EPOCH_S = 30.0  # as the engine has it by default
FEW_SHARDS = 4
START_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Run:
    """Observations between two moments."""

    megabytes: float
    """Of payload, by the rows that the sink counted."""
    samples: Sequence[Sample]
    tree_mb: float = 0.0
    """Of all its processes at the last moment."""
    reopened: int = 0
    """Channels that had to be opened again; each time, what was not proven is read again."""
    reads: int = 0
    """Answers of GetRecords."""
    first_ms_per_mb: float = 0.0
    """CPU a megabyte from the first row until the first moment."""

    @property
    def megabytes_per_s(self) -> float:
        return self.megabytes / (self.samples[-1].at_s - self.samples[0].at_s)

    def cpu_ms_per_mb(self, *roles: Role) -> float:
        first, last = self.samples[0].cpu_s, self.samples[-1].cpu_s
        return sum(last.get(role, 0.0) - first.get(role, 0.0) for role in roles or Role) * 1000 / self.megabytes

    @property
    def worker_mb(self) -> float:
        """The most that the worker had which ingests: the largest one. Spark keeps idle ones beside it."""
        return max(sample.workers_mb[0] for sample in self.samples)

    @property
    def worker_growth_mb_per_min(self) -> float:
        return slope([(sample.at_s / 60, sample.workers_mb[0]) for sample in self.samples])

    def peak_mb(self, role: Role) -> float:
        return max(sample.rss_mb.get(role, 0.0) for sample in self.samples)

    def growth_mb_per_min(self, role: Role) -> float:
        return slope([(sample.at_s / 60, sample.rss_mb.get(role, 0.0)) for sample in self.samples])


def engine_run(
    *,
    shards: int = SHARDS,
    warm_up_s: float,
    seconds: float,
    record_bytes: int = SIZE_BYTES,
    by_fan_out: bool = False,
    thin_records_per_s: float = 0.0,
    is_native: bool = True,
    tasks: int = 2,
    query: Mapping[str, str] | None = None,
) -> Run:
    """Shards are as full as a reader likes, or bring `thin_records_per_s` each as time goes by, where that is given.

    Without `is_native`, firnline-native is left alone also where it is installed. `query`: the pipeline's.
    """
    served = Shards(
        count=shards,
        records_per_s=thin_records_per_s or RECORDS_PER_S,
        is_trickle=thin_records_per_s > 0,
        record_bytes=record_bytes,
    )
    with (
        World(served) as world,
        world.engine(epoch_s=EPOCH_S, by_fan_out=by_fan_out, is_native=is_native, tasks=tasks, query=query) as engine,
    ):
        run = observed(
            engine,
            world,
            warm_up_s=warm_up_s,
            seconds=seconds,
            record_bytes=record_bytes,
            channels=shards,
        )
        engine.finish()
        return replace(run, reopened=world.written()["opens"] - shards)


def obvious_run(*, seconds: float) -> Run:
    with (
        World(Shards(count=OBVIOUS_SHARDS, records_per_s=RECORDS_PER_S, is_trickle=False)) as world,
        world.obvious_loop() as loop,
    ):
        return observed(loop, world, warm_up_s=3.0, seconds=seconds)


def observed(
    subject: Subject,
    world: World,
    *,
    warm_up_s: float,
    seconds: float,
    record_bytes: int = SIZE_BYTES,
    sink: str = "",
    channels: int = 0,
) -> Run:
    """`sink`: the URL of another canned Snowflake than the world's own. It warms up from when so many channels are open on."""

    def written() -> int:
        return world.written(sink)["rows"]

    subject.wait_until(lambda: written() > 0, what="the first row arrived", timeout_s=START_TIMEOUT_S)
    began_rows, began = written(), subject.tree.sample()
    subject.wait_until(
        lambda: world.written(sink)["opens"] >= channels, what=f"{channels} channels", timeout_s=START_TIMEOUT_S
    )
    subject.run_for(warm_up_s)
    before, read_before, first = written(), world.read()["reads"], subject.tree.sample()
    subject.run_for(seconds)
    rows, reads, last = written() - before, world.read()["reads"] - read_before, subject.tree.sample()
    between = [sample for sample in subject.tree.samples if first.at_s < sample.at_s < last.at_s]
    mb_a_row = mean_bytes(record_bytes) / 1e6
    warming = Run((before - began_rows) * mb_a_row, [began, first])
    return Run(
        rows * mb_a_row,
        [first, *between, last],
        subject.tree.memory_mb(),
        reads=reads,
        first_ms_per_mb=warming.cpu_ms_per_mb() if warming.megabytes else 0.0,
    )


def path_figures(ours: Sequence[Run], obvious: Sequence[Run]) -> list[Figure]:
    def figure(name: str, of: Callable[[Run], float], unit: str = "CPU ms/MB", bar: Bar | None = None) -> Figure:
        return Figure(part=PATH, name=name, unit=unit, values=[of(run) for run in ours], bar=bar)

    ratios = [their.cpu_ms_per_mb() / our.cpu_ms_per_mb() for our, their in zip(ours, obvious, strict=True)]
    return [
        figure("firnline", Run.cpu_ms_per_mb, bar=at_most(TARGET_MS_PER_MB)),
        figure("  of it workers", lambda run: run.cpu_ms_per_mb(Role.WORKER, Role.DAEMON)),
        figure("  of it driver and JVM", lambda run: run.cpu_ms_per_mb(Role.DRIVER, Role.PLANNER, Role.JVM)),
        figure("throughput meanwhile", lambda run: run.megabytes_per_s, "MB/s"),
        figure("channels opened again", lambda run: run.reopened, "", at_most(0)),
        Figure(part=PATH, name="obvious loop", unit="CPU ms/MB", values=[run.cpu_ms_per_mb() for run in obvious]),
        Figure(part=PATH, name="ratio", unit="x", values=ratios, bar=at_least(TARGET_RATIO)),
    ]


def memory_figures(many: Sequence[Run], few: Sequence[Run], soak: Run | None) -> list[Figure]:
    """`few` are runs with FEW_SHARDS, from which the share of one shard follows; `soak` is the long run, for growth.

    Where time is short, both may be missing.
    """

    def figure(name: str, of: Callable[[Run], float]) -> Figure:
        return Figure(part=MEMORY, name=name, unit="MB", values=[of(run) for run in (*many, *([soak] if soak else []))])

    peaks = [
        figure(f"worker with {SHARDS} shards", lambda run: run.worker_mb),
        figure("driver", lambda run: run.peak_mb(Role.DRIVER)),
        figure("JVM", lambda run: run.peak_mb(Role.JVM)),
    ]
    shares = [
        (much.worker_mb - little.worker_mb) / (SHARDS - FEW_SHARDS) for much, little in zip(many, few, strict=False)
    ]
    share = [Figure(part=MEMORY, name="one more shard", unit="MB", values=shares)] if shares else []
    return [*peaks, *share, *(_growth(soak) if soak else [])]


def _growth(soak: Run) -> list[Figure]:
    def figure(name: str, value: float, unit: str = "MB/min", bar: Bar | None = None) -> Figure:
        return Figure(part=MEMORY, name=name, unit=unit, values=[value], bar=bar)

    return [
        figure("the long run took in", soak.megabytes, "MB"),
        figure("  in it, channels opened again", soak.reopened, "", at_most(0)),
        figure("growth of the worker", soak.worker_growth_mb_per_min, bar=at_most(TARGET_GROWTH_MB_PER_MIN)),
        figure("growth of the driver", soak.growth_mb_per_min(Role.DRIVER)),
        figure("growth of the JVM", soak.growth_mb_per_min(Role.JVM)),
    ]
