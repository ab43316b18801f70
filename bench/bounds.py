"""Part: what the engine holds where it can't go on: a slow Snowflake, records of 10 MiB, rows that are never committed.

Workers that have shards count together, as what one executor's overhead has to hold.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figure import Figure, at_most
from bench.full_rate import EPOCH_S, RECORDS_PER_S, START_TIMEOUT_S
from bench.payload import SIZE_BYTES, mean_bytes
from bench.subject import Subject
from bench.world import Shards, World

PART = "bounds"
SLOW_SHARDS, LARGE_SHARDS, UNPROVEN_SHARDS = 64, 16, 32
SLOW = ("--append-s=2", "--commit-s=10")
NEVER = ("--commit-s=3600",)
LARGE_BYTES = 10 * 1024 * 1024 - 1024
UNPROVEN_MB = 64.0
BUSY = 2
"""Workers that have shards; Spark keeps idle ones beside them."""
STALLED_LOOKS, LOOK_S = 3, 5.0
UNPROVEN_TIMEOUT_S = 110.0
"""Less than what the engine waits for a commit, before it opens the channel again."""
TARGET_WORKERS_MB = 1000.0
"""Of two cores: the page on performance has 2 GB of overhead planned for four."""


@dataclass(frozen=True)
class Held:
    """Memory of one run: of all processes at its end, what several share counted once; and the most its workers had."""

    tree_mb: float
    workers_mb: float
    taken_mb: float
    """Payload that was read until then; rows of one shard, where none is ever proven."""


@dataclass(frozen=True)
class Round:
    slow: Held
    large: Held
    unproven: Held


def measure(*, seconds: float) -> Round:
    return Round(slow=slow(seconds=seconds), large=large(seconds=seconds), unproven=unproven())


def slow(*, seconds: float) -> Held:
    """Full shards, and a Snowflake that takes two seconds for each append and commits ten seconds after it."""
    with World(_full(SLOW_SHARDS), snowflake=SLOW) as world, world.engine(epoch_s=EPOCH_S) as engine:
        _until_rows(engine, world)
        engine.run_for(2 * seconds)
        held = _held(engine, world.written()["rows"] * mean_bytes() / 1e6)
        engine.finish()
        return held


def large(*, seconds: float) -> Held:
    """Records that are as large as Kinesis takes them; no row may be so large, so that each becomes a dead letter."""
    served = _full(LARGE_SHARDS, LARGE_BYTES)
    with World(served) as world, world.engine(epoch_s=EPOCH_S) as engine:
        letters = world.folder / "dead-letters"
        engine.wait_until(lambda: _files(letters) > 0, what="a dead letter", timeout_s=START_TIMEOUT_S)
        engine.run_for(seconds)
        held = _held(engine, world.read()["records"] * LARGE_BYTES / 1e6)
        engine.finish()
        return held


def unproven() -> Held:
    """One worker whose shards all have as much unproven as they may: nothing is ever committed, and reading stops."""
    with World(_full(UNPROVEN_SHARDS), snowflake=NEVER) as world, world.engine(epoch_s=EPOCH_S) as engine:
        _until_rows(engine, world)

        def unproven_mb() -> float:
            return world.written()["bytes"] / 1e6 / UNPROVEN_SHARDS

        _until_level(unproven_mb, engine)
        return _held(engine, unproven_mb())  # it is not asked to stop: it would wait for commits


def figures(rounds: Sequence[Round]) -> list[Figure]:
    def group(what: str, of: Callable[[Round], Held], taken_as: str = "taken in until then") -> list[Figure]:
        runs = [of(each) for each in rounds]
        workers, tree = [run.workers_mb for run in runs], [run.tree_mb for run in runs]
        taken = [run.taken_mb for run in runs]
        bar = at_most(TARGET_WORKERS_MB)
        return [
            Figure(part=PART, name=f"{what}: workers, the most", unit="MB", values=workers, bar=bar),
            Figure(part=PART, name="  all processes together", unit="MB", values=tree),
            Figure(part=PART, name=f"  {taken_as}", unit="MB", values=taken),
        ]

    return [
        *group(f"{SLOW_SHARDS} shards with a backlog, a slow Snowflake", lambda each: each.slow),
        *group(f"{LARGE_SHARDS} shards, records of 10 MiB", lambda each: each.large),
        *group(f"{UNPROVEN_SHARDS} shards in one worker, {UNPROVEN_MB:g} MB unproven each", lambda each: each.unproven),
    ]


def _full(count: int, record_bytes: int = SIZE_BYTES) -> Shards:
    return Shards(count=count, records_per_s=RECORDS_PER_S, is_trickle=False, record_bytes=record_bytes)


def _until_rows(engine: Subject, world: World) -> None:
    engine.wait_until(lambda: world.written()["rows"] > 0, what="the first row arrived", timeout_s=START_TIMEOUT_S)


def _until_level(taken_mb: Callable[[], float], engine: Subject) -> None:
    """Returns once nothing more is taken in, or the time is up: the figure of what was taken in says which."""
    end_s, looks = time.monotonic() + UNPROVEN_TIMEOUT_S, [0.0]
    while time.monotonic() < end_s and looks[-STALLED_LOOKS:] != [looks[-1]] * STALLED_LOOKS:
        engine.run_for(LOOK_S)
        looks.append(taken_mb())


def _held(engine: Subject, taken_mb: float) -> Held:
    now = engine.tree.sample()
    workers_mb = max(sum(sample.workers_mb[:BUSY]) for sample in (*engine.tree.samples, now))
    return Held(engine.tree.memory_mb(), workers_mb, taken_mb)


def _files(folder: Path) -> int:
    return sum(1 for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0
