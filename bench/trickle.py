"""Part 4: how long a record takes from its arrival in the stream to the call of append_rows, when few arrive.

Kinesis allows five reads a second and shard, and the canned one refuses more. Epochs are short here, so that there are
boundaries to look at; the first epoch opens the channels and is left out.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.figure import Bar, Figure, at_most, percentile
from bench.kinesis.pushing import Pushed
from bench.kinesis.shard import located
from bench.world import Shards, World
from firnline_ingest.values import Position

PART = "latency"
TARGET_P50_MS, TARGET_P99_MS, TARGET_WORST_MS = 110.0, 250.0, 500.0
SHARDS = 4
RECORDS_PER_S = 200.0 / SHARDS
EPOCH_S = 10.0
START_TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Append:
    """One call of append_rows."""

    at_s: float
    shard: int
    last_record: int
    records: int

    def waits_ms(self, first_arrival_s: float) -> list[float]:
        """Returns how long each record waited, from its arrival on."""
        return [(self.at_s - arrived_s(record, first_arrival_s)) * 1000 for record in self.numbers]

    @property
    def numbers(self) -> range:
        return range(self.last_record - self.records + 1, self.last_record + 1)


def arrived_s(record: int, first_arrival_s: float) -> float:
    return first_arrival_s + record / RECORDS_PER_S


@dataclass(frozen=True)
class Run:
    """Figures of the shards that trickle."""

    inside_ms: Sequence[float]
    at_boundaries_ms: Sequence[float]
    reads_per_s: float
    """Of one shard."""
    refused: int
    reopened: int
    """Shards that another worker had to open again at a boundary."""
    server_ms: Sequence[float] = ()
    """Of each record that was pushed: from its arrival until it left the server. What is read is taken at once."""

    @property
    def all_ms(self) -> Sequence[float]:
        """Boundaries included: every record after the epoch that opened the channels."""
        return [*self.inside_ms, *self.at_boundaries_ms]


def measure(*, epochs: int, hot: int = 0, by_fan_out: bool = False) -> Run:
    """`epochs` is how many boundaries are looked at; `hot` more shards of the same worker are as full as can be."""
    served = Shards(count=SHARDS + hot, records_per_s=RECORDS_PER_S, is_trickle=True, hot=hot)
    with World(served) as world:
        notes = world.folder / "appends.txt"
        with world.engine(epoch_s=EPOCH_S, notes=notes, by_fan_out=by_fan_out) as engine:
            engine.wait_until(notes.exists, what="a worker started", timeout_s=START_TIMEOUT_S)
            engine.wait_until(lambda: notes.stat().st_size > 0, what="the first append", timeout_s=START_TIMEOUT_S)
            before = world.read()
            engine.run_for((epochs + 1) * (EPOCH_S + 1))
            after = world.read()
            engine.finish()
        reads_per_s = (after["reads"] - before["reads"]) / served.count / ((epochs + 1) * (EPOCH_S + 1))
        receipts = list(_receipts(engine.log_file))
        cold = (append for append in _appends(notes) if append.shard >= hot)
        inside, boundaries = told_apart(cold, _ends(receipts))
        return Run(
            [wait for append in inside for wait in append.waits_ms(world.first_arrival_s)],
            [wait for append in boundaries for wait in append.waits_ms(world.first_arrival_s)],
            reads_per_s,
            after["refused"],
            sum(receipt["opens"] for receipt in receipts if receipt["epoch"] > 1),
            served_ms([*inside, *boundaries], world.pushed(), world.first_arrival_s),
        )


def served_ms(appends: Iterable[Append], pushed: Iterable[Pushed], first_arrival_s: float) -> list[float]:
    """Returns when the server took the records of these appends; what was pushed again counts as it was pushed first."""
    left: dict[tuple[int, int], float] = {}
    for each in pushed:
        for record in range(each.first, each.after):
            left.setdefault((each.shard, record), each.at_s)
    taken = ((append.shard, record) for append in appends for record in append.numbers)
    return [(left[one] - arrived_s(one[1], first_arrival_s)) * 1000 for one in taken if one in left]


def told_apart(appends: Iterable[Append], ends: Mapping[int, Sequence[float]]) -> tuple[list[Append], list[Append]]:
    """Returns appends inside an epoch, and each shard's first after an epoch's end; `ends` are those of a shard's epochs, in
    order.

    What was appended before the first end is left out.
    """
    inside: list[Append] = []
    boundaries: list[Append] = []
    seen: set[tuple[int, int]] = set()
    for append in sorted(appends, key=lambda one: one.at_s):
        epoch = append.shard, bisect_right(ends[append.shard], append.at_s)
        if epoch[1] > 0:
            (inside if epoch in seen else boundaries).append(append)
            seen.add(epoch)
    return inside, boundaries


def figures(runs: Sequence[Run]) -> list[Figure]:
    def figure(name: str, unit: str, values: Sequence[float], bar: Bar | None = None) -> Figure:
        return Figure(part=PART, name=name, unit=unit, values=values, bar=bar)

    return [
        figure("whole run, p50", "ms", [percentile(run.all_ms, 50) for run in runs], at_most(TARGET_P50_MS)),
        figure("whole run, p99", "ms", [percentile(run.all_ms, 99) for run in runs], at_most(TARGET_P99_MS)),
        figure("whole run, worst", "ms", [max(run.all_ms) for run in runs], at_most(TARGET_WORST_MS)),
        figure("  at a boundary, worst", "ms", [max(run.at_boundaries_ms) for run in runs]),
        figure("shards re-opened at boundaries", "", [run.reopened for run in runs]),
        figure("reads of a shard", "per s", [run.reads_per_s for run in runs], at_most(5)),
        figure("reads refused", "", [run.refused for run in runs], at_most(0)),
    ]


def _appends(notes: Path) -> Iterator[Append]:
    for line in notes.read_text().splitlines():
        at_s, token, rows = line.split()
        shard, record = located(Position.from_token(token).sequence_number)
        yield Append(float(at_s), shard, record, int(rows))


def _receipts(log_file: Path) -> Iterator[dict[str, Any]]:
    for line in log_file.read_text().splitlines():
        if line.startswith("{") and (event := json.loads(line))["event"] == "shard.receipt":
            yield event


def _ends(receipts: Iterable[dict[str, Any]]) -> Mapping[int, Sequence[float]]:
    """Returns when each shard's epochs were over, by the driver's log."""
    ends: dict[int, list[float]] = {}
    for receipt in receipts:
        shard = int(receipt["shard_id"].removeprefix("shardId-"))
        ends.setdefault(shard, []).append(datetime.fromisoformat(receipt["at"]).timestamp())
    return ends
