"""Cost of a start: from the command to the first record read, against a bare Spark session with one task in Python.

Both run in turns on the same machine, so that a machine that is busy for a while slows both; CPU says more than time.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench.bare_spark import DONE
from bench.figure import Figure, at_most
from bench.processes import Role
from bench.subject import Subject
from bench.world import Shards, World

PART = "start"
TIMEOUT_S = 300.0
SHARDS = Shards(count=4, records_per_s=50, is_trickle=True)
TIMES_BARE = 1.3


@dataclass(frozen=True)
class Start:
    """Figures of one subject's processes, until it did what was waited for."""

    cpu_s: float
    wall_s: float
    by_role: dict[Role, float]


@dataclass(frozen=True)
class Pair:
    engine: Start
    bare: Start


def measure() -> Pair:
    with World(SHARDS) as world:
        bare = _until(world.bare_spark(), "one task", lambda subject: DONE in subject.log_file.read_text())
        engine = _until(world.engine(epoch_s=10), "a record was read", lambda _: world.read()["records"] > 0)
    return Pair(engine, bare)


def figures(pairs: Sequence[Pair]) -> Iterator[Figure]:
    yield _ratio("CPU, of a bare session's", [pair.engine.cpu_s / pair.bare.cpu_s for pair in pairs])
    yield _ratio("time, of a bare session's", [pair.engine.wall_s / pair.bare.wall_s for pair in pairs])
    for name, starts in (("engine", [p.engine for p in pairs]), ("bare session", [p.bare for p in pairs])):
        yield Figure(part=PART, name=f"{name}, CPU", unit="s", values=[each.cpu_s for each in starts])
        yield Figure(part=PART, name=f"{name}, time", unit="s", values=[each.wall_s for each in starts])
    for role in Role:
        values = [pair.engine.by_role.get(role, 0.0) for pair in pairs]
        yield Figure(part=PART, name=f"engine, CPU of {role}", unit="s", values=values)


def _ratio(name: str, values: Sequence[float]) -> Figure:
    return Figure(part=PART, name=name, unit="times", values=values, bar=at_most(TIMES_BARE))


def _until(subject: Subject, what: str, is_so: Callable[[Subject], bool]) -> Start:
    began_s = time.monotonic()
    with subject:
        subject.wait_until(lambda: is_so(subject), what=what, timeout_s=TIMEOUT_S)
        wall_s = time.monotonic() - began_s
        used = subject.tree.sample().cpu_s
        return Start(sum(used.values()), wall_s, dict(used))
