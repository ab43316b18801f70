"""`scripts/bench`: measures what was asked for, and says which bars are met."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import click

from bench import (
    aggregates,
    bounds,
    fan_out,
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
)
APART = (peer.PART,)
"""Only where it is named: it needs Java and Maven, and fetches half a gigabyte once."""
BAR_MISSED = 1


@dataclass(frozen=True, kw_only=True)
class Length:
    """Length of a measurement."""

    runs: int
    laps: int
    warm_up_s: float
    full_rate_s: float
    few_shards_s: float
    soak_warm_up_s: float
    soak_s: float
    """The long run, for the growth of memory; 0 leaves it out."""
    obvious_s: float
    letter_pages: int
    epochs: int


FULL = Length(
    runs=3,
    laps=10,
    warm_up_s=33,
    full_rate_s=30,
    few_shards_s=5,
    soak_warm_up_s=120,
    soak_s=480,
    obvious_s=15,
    letter_pages=20,
    epochs=3,
)
QUICK = Length(
    runs=1,
    laps=6,
    warm_up_s=5,
    full_rate_s=12,
    few_shards_s=0,
    soak_warm_up_s=0,
    soak_s=0,
    obvious_s=8,
    letter_pages=5,
    epochs=1,
)


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice((*PARTS, *APART)))
@click.option(
    "--quick",
    is_flag=True,
    help="One short run of each part, a quarter of an hour in all: an impression, not a figure.",
)
@click.option("--json", "is_json", is_flag=True, help="One JSON document instead of a table.")
@click.option(
    "--write", "is_written", is_flag=True, help="Also replace the figures of these parts in docs/performance.md."
)
def main(*, parts: tuple[str, ...], quick: bool, is_json: bool, is_written: bool) -> None:
    """Measure the engine against canned servers on this machine; all PARTS where none is named.

    Takes about 100 minutes, eleven of them one long run for memory. Exit status: 0 every bar is met, 1 one is missed, 2 it
    could not be measured.
    """
    os.environ.update(CREDENTIALS)
    conditions = Conditions.begun(" ".join(["scripts/bench", *parts, *(["--quick"] if quick else [])]))
    try:
        figures = list(_figures(parts or PARTS, QUICK if quick else FULL))
        if is_written:
            write(figures, conditions.ended())
    except FirnlineError as error:
        click.echo(error, err=True)
        sys.exit(2)
    click.echo(as_json(figures) if is_json else as_table(figures))
    sys.exit(BAR_MISSED if any(figure.is_met is False for figure in figures) else 0)


def _figures(parts: Sequence[str], length: Length) -> Iterator[Figure]:
    if page.PART in parts:
        _say("page: bodies of GetRecords to the call of append_rows")
        yield from page.measure(runs=length.runs, laps=length.laps)
    if reads.PART in parts:
        _say("reads: one read of a shard, as the engine sends it and as botocore does")
        yield from reads.measure(runs=length.runs, laps=length.laps)
    if transforms.PART in parts:
        _say("transforms: the same through lists of them")
        yield from transforms.measure(runs=length.runs, laps=length.laps)
    if aggregates.PART in parts:
        _say("aggregates: the same, packed as the KPL does")
        yield from aggregates.measure(runs=length.runs, laps=length.laps)
    if full_rate.PATH in parts or full_rate.MEMORY in parts:
        yield from _full_rate(parts, length)
    if letters.PART in parts:
        _say("letters: one shard's records that can't be rows")
        yield from letters.measure(runs=length.runs, pages=length.letter_pages)
    if peer.PART in parts:
        yield from peer.figures([_peer(number, length) for number in range(length.runs)])
    yield from _engines(parts, length)
    if planning.PART in parts:
        _say("planning: many streams within the account's limits")
        yield from planning.figures([planning.measure() for _ in range(length.runs)])
    if placement.PART in parts:
        yield from placement.figures()


def _engines(parts: Sequence[str], length: Length) -> Iterator[Figure]:
    """Runs of the whole engine that are not at full rate alone."""
    if shards.PART in parts:
        yield from shards.figures([_shards(number, length) for number in range(length.runs)])
    if wide.PART in parts:
        yield from wide.figures([_wide(number, length) for number in range(length.runs)])
    if trickle.PART in parts:
        yield from trickle.figures([_trickle(number, length) for number in range(length.runs)])
    if fan_out.PART in parts:
        yield from fan_out.figures([_fan_out(number, length) for number in range(length.runs)])
    if idle.PART in parts:
        _say("idle: shards that bring nothing, polled")
        yield from idle.figures([idle.measure() for _ in range(length.runs)])
    if bounds.PART in parts:
        yield from bounds.figures([_bounds(number, length) for number in range(length.runs)])
    if start.PART in parts:
        yield from start.figures([_start(number, length) for number in range(length.runs)])


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


def _shards(number: int, length: Length) -> shards.Round:
    _say(f"shards: many, large records, a hot one, run {number + 1} of {length.runs}")
    return shards.measure(warm_up_s=length.warm_up_s, seconds=length.full_rate_s, epochs=length.epochs)


def _wide(number: int, length: Length) -> wide.Pair:
    _say(f"wide: 16 shards and 256, run {number + 1} of {length.runs}")
    return wide.measure(warm_up_s=length.warm_up_s, seconds=length.full_rate_s)


def _trickle(number: int, length: Length) -> trickle.Run:
    _say(f"latency: the engine at a trickle, run {number + 1} of {length.runs}")
    return trickle.measure(epochs=length.epochs)


def _fan_out(number: int, length: Length) -> fan_out.Round:
    _say(f"fan-out: a trickle, full rate, idle subscriptions, run {number + 1} of {length.runs}")
    return fan_out.measure(warm_up_s=length.warm_up_s, seconds=length.full_rate_s, epochs=length.epochs)


def _bounds(number: int, length: Length) -> bounds.Round:
    _say(f"bounds: a slow Snowflake, records of 10 MiB, nothing committed, run {number + 1} of {length.runs}")
    return bounds.measure(seconds=length.full_rate_s)


def _start(number: int, length: Length) -> start.Pair:
    _say(f"start: a bare session and the engine, run {number + 1} of {length.runs}")
    return start.measure()


def _peer(number: int, length: Length) -> peer.Turn:
    _say(f"peer: the engine and what a team would write in Java, run {number + 1} of {length.runs}")
    return peer.measure(warm_up_s=length.warm_up_s, seconds=length.full_rate_s)


def _say(what: str) -> None:
    click.echo(what, err=True)


if __name__ == "__main__":
    main()
