"""The ledger's marks of what a query drops: exact whatever is killed, and begun anew where nobody knows what was before."""

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest

from firnline_ingest.kinesis.start import After
from firnline_ingest.ledger.left_out import BEGINNING, MOST_MARKS, LeftOutMark, difference, moved, sum_of
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.values import Position
from tests.fakes.kills import Killed, dies_at
from tests.ingest.shard.conftest import World

from .test_queries import OF, nothing, odd, queried, taken

__all__ = ["queried"]

HOUR_MS = 3_600_000
STEPS = [
    EpochStep.READ,
    EpochStep.DEAD_LETTERED,
    EpochStep.APPENDED,
    EpochStep.COMMITTED,
    EpochStep.PROVEN,
    EpochStep.LEDGERED,
]


def places(numbers: list[str]) -> Iterator[tuple[int, int]]:
    return ((int(number), 0) for number in numbers)


def test_the_row_says_how_many_records_were_left_out_and_which(queried: World) -> None:
    numbers = queried.put(*range(6), b"no json")
    taken(queried, odd)
    first, last = queried.row.left_out
    assert first == LeftOutMark()
    assert (last.through, last.records, last.sum) == (queried.row.read_through, 3, sum_of(places(numbers[:6:2])))


def test_a_query_that_keeps_everything_leaves_none_out(queried: World) -> None:
    queried.put(*range(4))
    taken(queried, lambda row: [row])
    assert queried.row.left_out[-1].records == 0
    assert queried.row.left_out[-1].through == queried.row.read_through


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("kills_at", [1, 2])
def test_a_kill_counts_none_twice_and_none_less(queried: World, step: EpochStep, kills_at: int) -> None:
    numbers = queried.put(*range(8), b"no json")
    with suppress(Killed):
        taken(queried, odd, "killed", observer=dies_at(step, kills_at))
    numbers += queried.put(*range(8, 12))
    taken(queried, odd, "next")
    last = queried.row.left_out[-1]
    assert last.through == queried.row.read_through == queried.shard.last_position
    assert (last.records, last.sum) == (6, sum_of(places([*numbers[:8:2], *numbers[9::2]])))


def test_skipped_records_are_left_out_too_because_nothing_has_them(queried: World) -> None:
    queried.configure(query=OF, on_error="skip")
    numbers = queried.put(1, b"no json", 2)
    taken(queried, odd)
    assert queried.row.left_out[-1].sum == sum_of(places(numbers[1:]))


def test_a_pipeline_without_a_query_counts_nothing_and_one_that_gets_one_begins_where_it_stands(queried: World) -> None:
    queried.configure()
    queried.put(1, 2)
    taken(queried, odd)
    assert queried.row.left_out == ()
    before = queried.row.read_through
    queried.configure(query=OF)
    queried.put(3, 4, 6)
    taken(queried, odd, "next")
    assert [(each.through, each.records) for each in queried.row.left_out] == [
        (before, 0),
        (queried.row.read_through, 2),
    ]


def test_a_row_whose_last_mark_stands_elsewhere_counts_anew(queried: World) -> None:
    """A roll-back to a release that knows no marks leaves such a row, and so does a person's decision."""
    queried.put(1, 2)
    taken(queried, odd)
    row = queried.row
    stale = replace(row, left_out=(LeftOutMark(), LeftOutMark(Position(1), 5, 5, 5)))
    queried.services().ledger.write(stale)
    queried.put(4)
    taken(queried, nothing, "next")
    assert row.read_through is not None
    assert queried.row.left_out[0] == LeftOutMark(row.read_through)
    assert queried.row.left_out[-1].records == 1
    assert After(row.read_through).position != BEGINNING


@pytest.mark.parametrize("seed", range(3))
def test_marks_stay_few_span_the_retention_and_their_differences_are_those_of_the_records_between(seed: int) -> None:
    rng, now_ms = random.Random(seed), 1_700_000_000_000
    marks: tuple[LeftOutMark, ...] = (LeftOutMark(),)
    left, through = list[Position](), 0
    for _ in range(3000):
        new = [Position(number) for number in range(through + 1, through + 10) if rng.random() < 0.3]
        through, now_ms = through + 10, now_ms + rng.randrange(HOUR_MS // 10)
        left += new
        marks = moved(marks, Position(through), new, now_ms, 24)
        assert len(marks) <= MOST_MARKS + 2
    assert now_ms - marks[0].made_ms >= 23 * HOUR_MS
    for first, last in pairwise(marks):
        between = [(each.sequence_number, 0) for each in left if first.through < each <= last.through]
        assert last.records - first.records == len(between)
        assert difference(last.sum, first.sum) == sum_of(between)


def test_a_mark_reads_as_it_was_written() -> None:
    mark = LeftOutMark(Position(10**56, 3, 4), 5, 2**63 + 7, 1_700_000_000_000)
    assert LeftOutMark.parse(mark.text) == mark
