"""Part: what shards cost that bring nothing, by polling and by fan-out, and how much of a stream's shared reads others keep."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.figure import Figure, at_least, at_most
from bench.processes import Role, Sample
from bench.world import Shards, World

PART = "idle"
IDLE_SHARDS = 64
SHARED_READS = 5
"""A second and shard, of all readers of a stream together (Kinesis Data Streams, "Quotas and limits")."""
TARGET_PERCENT, TARGET_KEPT = 15.0, 50.0
ONE_RECORD = 1e-6  # a second and shard: the first, and none after it
EPOCH_S = 30.0
START_TIMEOUT_S = 600.0
SETTLE_S = 20.0


@dataclass(frozen=True)
class Idle:
    """Figures of an engine whose shards bring nothing, for whole epochs: their ends are part of it."""

    samples: tuple[Sample, Sample]
    reads: int

    @property
    def seconds(self) -> float:
        return self.samples[1].at_s - self.samples[0].at_s

    @property
    def percent_kept(self) -> float:
        """Percentage of a shard's shared reads that is left to other readers than the engine."""
        return 100 * (1 - self.reads / self.seconds / IDLE_SHARDS / SHARED_READS)

    def percent_of_a_core(self, *roles: Role) -> float:
        first, last = self.samples
        cpu_s = sum(last.cpu_s.get(role, 0.0) - first.cpu_s.get(role, 0.0) for role in roles or Role)
        return 100 * cpu_s / self.seconds


def measure(*, by_fan_out: bool = False, seconds: float = 2 * EPOCH_S) -> Idle:
    served = Shards(count=IDLE_SHARDS, records_per_s=ONE_RECORD, is_trickle=True)
    with World(served) as world, world.engine(epoch_s=EPOCH_S, by_fan_out=by_fan_out) as engine:
        engine.wait_until(
            lambda: world.read()["records"] >= IDLE_SHARDS and world.written()["rows"] >= IDLE_SHARDS,
            what="every shard is read",
            timeout_s=START_TIMEOUT_S,
        )
        engine.run_for(SETTLE_S)
        first, before = engine.tree.sample(), world.read()["reads"]
        engine.run_for(seconds)
        last, after = engine.tree.sample(), world.read()["reads"]
        engine.finish()
    return Idle((first, last), after - before)


def figures(rounds: Sequence[Idle]) -> list[Figure]:
    shards = f"{IDLE_SHARDS} idle shards"
    return [
        Figure(
            part=PART,
            name=f"{shards}, all processes",
            unit="% of a core",
            values=[one.percent_of_a_core() for one in rounds],
            bar=at_most(TARGET_PERCENT),
        ),
        Figure(
            part=PART,
            name="  of it workers",
            unit="% of a core",
            values=[one.percent_of_a_core(Role.WORKER) for one in rounds],
        ),
        Figure(
            part=PART,
            name="  shared reads that other readers keep",
            unit="%",
            values=[one.percent_kept for one in rounds],
            bar=at_least(TARGET_KEPT),
        ),
    ]
