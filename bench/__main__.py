"""`scripts/bench`: measures what was asked for, and says which bars are met."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import click

from bench import (
    aggregates,
    bounds,
    fan_out,
    frames,
    full_rate,
    idle,
    letters,
    page,
    placement,
    planning,
    reads,
    shards,
    start,
    transforms,
    trickle,
    wide,
)
from bench.document import Conditions, write
from bench.figure import Figure
from bench.peer import run as peer
from bench.report import as_json, as_table
from bench.subject import TimeLimit
from bench.world import CREDENTIALS
from firnline_ingest.errors import FirnlineError

PARTS = (
    page.PART,
    reads.PART,
    transforms.PART,
    aggregates.PART,
    full_rate.PATH,
    full_rate.MEMORY,
    shards.PART,
    wide.PART,
    trickle.PART,
    fan_out.PART,
    idle.PART,
    bounds.PART,
    letters.PART,
    start.PART,
    planning.PART,
    placement.PART,
    frames.PART,
)
APART = (peer.PART,)
"""Only where it is named: it needs Java and Maven, and fetches half a gigabyte once."""
BAR_MISSED, NOT_MEASURED = 1, 2


@dataclass(frozen=True, kw_only=True)
class Length:
    """Length of a measurement."""

    runs: int
    laps: int
    warm_up_s: float
    steady_s: float
    """Until Spark has ended the workers and daemons that served its start, a minute and more."""
    full_rate_s: float
    few_shards_s: float
    soak_warm_up_s: float
    soak_s: float
    """The long run, for the growth of memory; 0 leaves it out."""
    obvious_s: float
    letter_pages: int
    epochs: int
    epochs_beside_hot: int
    """Of the trickles in the part about shards; 0 leaves them out."""


FULL = Length(
    runs=3,
    laps=10,
    warm_up_s=33,
    steady_s=90,
    full_rate_s=30,
    few_shards_s=5,
    soak_warm_up_s=120,
    soak_s=480,
    obvious_s=15,
    letter_pages=20,
    epochs=3,
    epochs_beside_hot=3,
)
QUICK = Length(
    runs=1,
    laps=6,
    warm_up_s=5,
    steady_s=5,
    full_rate_s=12,
    few_shards_s=0,
    soak_warm_up_s=0,
    soak_s=0,
    obvious_s=8,
    letter_pages=5,
    epochs=1,
    epochs_beside_hot=1,
)
SHORT = replace(QUICK, warm_up_s=12, steady_s=90, epochs_beside_hot=0)


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice((*PARTS, *APART)))
@click.option(
    "--quick",
    is_flag=True,
    help="One short run of each part, a quarter of an hour in all: an impression, not a figure.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help="One short run of each part, warmed up, and none that goes on for longer: parts that did not come to their end "
    "are named, the others are shown, and written. 25 are enough for shards, wide, bounds, reads and peer.",
)
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    help="Measure each part so often, and show medians. Default: 3, or 1 of a short run.",
)
@click.option("--json", "is_json", is_flag=True, help="One JSON document instead of a table.")
@click.option(
    "--write", "is_written", is_flag=True, help="Also replace the figures of these parts in docs/performance.md."
)
def main(
    *,
    parts: tuple[str, ...],
    quick: bool,
    minutes: float | None,
    runs: int | None,
    is_json: bool,
    is_written: bool,
) -> None:
    """Measure the engine against canned servers on this machine; all PARTS where none is named.

    Takes about two and a half hours, eleven minutes of them one long run for memory. Exit status: 0 every bar is met, 1 one is
    missed, 2 a part could not be measured; the others are shown, and written, all the same.
    """
    os.environ.update(CREDENTIALS)
    if quick and minutes is not None:
        raise click.UsageError("--minutes is a length of its own: leave --quick out.")
    lengths = ["--quick"] if quick else [] if minutes is None else ["--minutes", f"{minutes:g}"]
    lengths += [] if runs is None else ["--runs", str(runs)]
    command = " ".join(["scripts/bench", *parts, *lengths])
    wanted, length = parts or PARTS, QUICK if quick else FULL
    if minutes is not None:
        length = SHORT
        TimeLimit.set(minutes * 60)
    length = length if runs is None else replace(length, runs=runs)
    figures: list[Figure] = []
    is_whole = True
    for of, measure in MEASURES.items():
        if not set(of) & set(wanted):
            continue
        conditions = Conditions.begun(command, length.runs)
        try:
            measured = list(measure(wanted, length))
            if is_written:
                write(measured, conditions.ended())
        except FirnlineError as error:
            click.echo(f"{', '.join(sorted(set(of) & set(wanted)))}: {error}", err=True)
            is_whole = False
        else:
            figures += measured
    click.echo(as_json(figures) if is_json else as_table(figures))
    if not is_whole:
        sys.exit(NOT_MEASURED)
    sys.exit(BAR_MISSED if any(figure.is_met is False for figure in figures) else 0)


def _full_rate(parts: Sequence[str], length: Length) -> Iterator[Figure]:
    """Each round runs both sides, so that a machine that is busy for a while slows both."""
    ours, obvious, few = [], [], []
    for number in range(length.runs):
        _say(f"path and memory: the engine at full rate, run {number + 1} of {length.runs}")
        ours.append(full_rate.engine_run(warm_up_s=length.warm_up_s, seconds=length.full_rate_s))
        if full_rate.PATH in parts:
            _say("path: the obvious loop")
            obvious.append(full_rate.obvious_run(seconds=length.obvious_s))
        if full_rate.MEMORY in parts and length.few_shards_s:
            _say("memory: the engine with fewer shards")
            few.append(full_rate.engine_run(shards=full_rate.FEW_SHARDS, warm_up_s=5, seconds=length.few_shards_s))
    if full_rate.PATH in parts:
        yield from full_rate.path_figures(ours, obvious)
    if full_rate.MEMORY in parts:
        yield from full_rate.memory_figures(ours, few, _soak(length))


def _soak(length: Length) -> full_rate.Run | None:
    if not length.soak_s:
        return None
    _say(f"memory: one long run of {(length.soak_warm_up_s + length.soak_s) / 60:.0f} minutes")
    return full_rate.engine_run(warm_up_s=length.soak_warm_up_s, seconds=length.soak_s)


def _page(_: Sequence[str], length: Length) -> Iterator[Figure]:
    _say("page: bodies of GetRecords to the call of append_rows")
    yield from page.measure(runs=length.runs, laps=length.laps)


def _reads(_: Sequence[str], length: Length) -> Iterator[Figure]:
    _say("reads: one read of a shard, as the engine sends it and as botocore does")
    yield from reads.measure(runs=length.runs, laps=length.laps)


def _transforms(_: Sequence[str], length: Length) -> Iterator[Figure]:
    _say("transforms: the same pages through lists of them")
    yield from transforms.measure(runs=length.runs, laps=length.laps)


def _aggregates(_: Sequence[str], length: Length) -> Iterator[Figure]:
    _say("aggregates: the same pages, packed as the KPL does")
    yield from aggregates.measure(runs=length.runs, laps=length.laps)


def _letters(_: Sequence[str], length: Length) -> Iterator[Figure]:
    _say("letters: one shard's records that can't be rows")
    yield from letters.measure(runs=length.runs, pages=length.letter_pages)


def _peer(_: Sequence[str], length: Length) -> Iterator[Figure]:
    runs = _runs("peer: the engine and what a team would write in Java", length)
    yield from peer.figures([peer.measure(warm_up_s=length.warm_up_s, seconds=length.full_rate_s) for _ in runs])


def _shards(_: Sequence[str], length: Length) -> Iterator[Figure]:
    yield from shards.figures(
        [
            shards.measure(
                warm_up_s=length.warm_up_s,
                steady_s=length.steady_s,
                seconds=length.full_rate_s,
                epochs=length.epochs_beside_hot,
            )
            for _ in _runs("shards: many, thin ones, large records, a hot one", length)
        ]
    )


def _wide(_: Sequence[str], length: Length) -> Iterator[Figure]:
    runs = _runs("wide: 16 shards and 256", length)
    yield from wide.figures([wide.measure(steady_s=length.steady_s, seconds=length.full_rate_s) for _ in runs])


def _trickle(_: Sequence[str], length: Length) -> Iterator[Figure]:
    runs = _runs("latency: the engine at a trickle", length)
    yield from trickle.figures([trickle.measure(epochs=length.epochs) for _ in runs])


def _fan_out(_: Sequence[str], length: Length) -> Iterator[Figure]:
    yield from fan_out.figures(
        [
            fan_out.measure(warm_up_s=length.warm_up_s, seconds=length.full_rate_s, epochs=length.epochs)
            for _ in _runs("fan-out: a trickle, full rate, idle subscriptions", length)
        ]
    )


def _idle(_: Sequence[str], length: Length) -> Iterator[Figure]:
    yield from idle.figures([idle.measure() for _ in _runs("idle: shards that bring nothing, polled", length)])


def _bounds(_: Sequence[str], length: Length) -> Iterator[Figure]:
    runs = _runs("bounds: a slow Snowflake, records of 10 MiB, nothing committed", length)
    yield from bounds.figures([bounds.measure(seconds=length.full_rate_s) for _ in runs])


def _start(_: Sequence[str], length: Length) -> Iterator[Figure]:
    yield from start.figures([start.measure() for _ in _runs("start: a bare session and the engine", length)])


def _planning(_: Sequence[str], length: Length) -> Iterator[Figure]:
    runs = _runs("planning: many streams within the account's limits", length)
    yield from planning.figures([planning.measure() for _ in runs])


def _placement(_: Sequence[str], length: Length) -> Iterator[Figure]:
    del length
    yield from placement.figures()


def _frames(_: Sequence[str], length: Length) -> Iterator[Figure]:
    runs = _runs("frames: the engine with a query, and without", length)
    yield from frames.figures([frames.measure() for _ in runs])


def _runs(what: str, length: Length) -> Iterator[int]:
    """Says before each which one it is."""
    for number in range(length.runs):
        _say(f"{what}, run {number + 1} of {length.runs}")
        yield number


def _say(what: str) -> None:
    click.echo(what, err=True)


MEASURES: Mapping[tuple[str, ...], Callable[[Sequence[str], Length], Iterator[Figure]]] = {
    (page.PART,): _page,
    (reads.PART,): _reads,
    (transforms.PART,): _transforms,
    (aggregates.PART,): _aggregates,
    (full_rate.PATH, full_rate.MEMORY): _full_rate,
    (letters.PART,): _letters,
    (peer.PART,): _peer,
    (shards.PART,): _shards,
    (wide.PART,): _wide,
    (trickle.PART,): _trickle,
    (fan_out.PART,): _fan_out,
    (idle.PART,): _idle,
    (bounds.PART,): _bounds,
    (start.PART,): _start,
    (planning.PART,): _planning,
    (placement.PART,): _placement,
    (frames.PART,): _frames,
}
"""Measures the parts of its key that are asked for; one that fails keeps no other from being measured."""

if __name__ == "__main__":
    main()
