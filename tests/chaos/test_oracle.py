"""The oracle sees each way of breaking the promise, and nothing where it is kept."""

from dataclasses import replace

import pytest

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import Position, ShardKey
from tests.chaos.oracle import Evidence, Found, Loss, Put, Stop, place_of, problems
from tests.chaos.records import Fate
from tests.chaos.simulated.left_behind import without_compared

A, B, C = "shard-a", "shard-b", "shard-c"
PUTS = [
    Put(A, 1, 1000, Fate.ROW),
    Put(A, 2, 2000, Fate.ERROR_ROW),
    Put(A, 3, 3000, Fate.DEAD_LETTER),
    Put(A, 4, 4000, Fate.ROW),
    Put(B, 5, 5000, Fate.ROW),
]
ROWS = [Found("t", A, 1), Found("t", A, 4), Found("t", B, 5)]
ERRORS, LETTERS = [Found("errors", A, 2)], [Found("letters", A, 3)]
KEPT = Evidence(
    puts=PUTS, found={Fate.ROW: ROWS, Fate.ERROR_ROW: ERRORS, Fate.DEAD_LETTER: LETTERS}, parents={B: [A], C: [B]}
)


def with_rows(*rows: Found, **changes: object) -> Evidence:
    return replace(KEPT, found={**KEPT.found, Fate.ROW: rows}, **changes)  # type: ignore[arg-type] # a test's shorthand


def test_a_promise_that_is_kept_has_no_problems() -> None:
    assert problems(KEPT) == []


def test_a_child_by_the_name_of_another_ones_is_not_before_its_parent() -> None:
    assert problems(with_rows(ROWS[0], ROWS[2], ROWS[1], of_two_lineages={B})) == []


@pytest.mark.parametrize(
    ("evidence", "problem"),
    [
        (with_rows(*ROWS, ROWS[-1]), "1 rows are doubled in t: 5"),
        (with_rows(*ROWS, Found("t", A, 2)), "1 rows should be something else, or were never put: 2"),
        (with_rows(*ROWS, Found("t", B, 9)), "1 rows should be something else, or were never put: 9"),
        (with_rows(ROWS[1], ROWS[0], ROWS[2]), f"{A}: the rows in t are not in the shard's order"),
        (with_rows(ROWS[0], ROWS[2], ROWS[1]), f"{B} has a row in t before its parent {A} has all of its own"),
        (with_rows(ROWS[0], ROWS[2]), f"{A}: 1 of 4 records are missing without a word: 4"),
        (
            replace(KEPT, found={**KEPT.found, Fate.DEAD_LETTER: []}),
            f"{A}: 1 of 4 records are missing without a word: 3",
        ),
        (
            replace(KEPT, came_again=[("t", A, 4)]),
            "1 rows that were proven came again after a resume: 4",
        ),
        (
            replace(KEPT, under_old_identity=2),
            "2 rows went into a new table as if it were the one that it replaced",
        ),
        (
            replace(KEPT, stops=[Stop(B, "FL-1", "look")]),
            f"{B} stopped, and nothing had happened that time does not heal: FL-1",
        ),
        (
            replace(KEPT, stops=[Stop("", "", "")], may_lose=True),
            "the pipeline stopped without an id or a next step: Stop(shard='', id='', next_step='')",
        ),
    ],
)
def test_each_way_of_breaking_it_is_named(evidence: Evidence, problem: str) -> None:
    assert problem in problems(evidence)


def test_a_row_in_each_of_two_tables_is_not_doubled() -> None:
    assert problems(with_rows(*ROWS, Found("t2", B, 5))) == []


def test_a_record_that_is_too_large_may_be_a_letter_but_not_a_row_as_well() -> None:
    puts = [replace(PUTS[0], or_letter=True), *PUTS[1:]]
    letters = [*LETTERS, Found("letters", A, 1)]
    as_letter = replace(KEPT, puts=puts, found={**KEPT.found, Fate.ROW: ROWS[1:], Fate.DEAD_LETTER: letters})
    assert problems(as_letter) == []
    assert problems(replace(KEPT, puts=puts)) == []
    both = replace(as_letter, found={**as_letter.found, Fate.ROW: ROWS})
    assert problems(both) == ["1 records are rows and dead letters, too: 1"]


@pytest.mark.parametrize(
    ("loss", "is_covered"),
    [
        (Loss(A, "retention_loss"), True),
        (Loss(B, "retention_loss"), False),
        (Loss(A, "retention_loss", before=5), True),
        (Loss(A, "retention_loss", before=4), False),
        (Loss(A, "retention_loss", from_ms=3500, to_ms=4000), True),
        (Loss(A, "retention_loss", from_ms=4001), False),
        (Loss(A, "retention_loss", to_ms=3999), False),
    ],
)
def test_a_missing_record_is_excused_by_the_incident_that_names_its_range_alone(loss: Loss, is_covered: bool) -> None:
    evidence = with_rows(ROWS[0], ROWS[2], losses=[loss], may_lose=True)
    assert (problems(evidence) == []) is is_covered


def test_an_incident_that_nothing_caused_is_a_problem_even_if_nothing_is_missing() -> None:
    assert len(problems(replace(KEPT, losses=[Loss(A, "parent_unread")]))) == 1


def test_a_shard_that_stopped_with_a_next_step_excuses_its_own_records_and_its_descendants() -> None:
    stop = Stop(A, "FL-1", "look")
    late = [*PUTS, Put(C, 6, 6000, Fate.ROW)]
    assert problems(replace(with_rows(ROWS[0], stops=[stop], may_lose=True), puts=late)) == []
    assert problems(replace(with_rows(ROWS[0], stops=[replace(stop, shard=B)], may_lose=True), puts=late)) == [
        f"{A}: 1 of 4 records are missing without a word: 4"
    ]
    assert problems(replace(with_rows(stops=[replace(stop, shard="")], may_lose=True), puts=late)) == []


def test_records_before_the_initial_position_are_not_missed_and_must_not_be_there() -> None:
    history = "1 records from before the initial position were read: 1"
    assert problems(with_rows(ROWS[1], ROWS[2], begins_at_ms=2500)) == []
    assert problems(with_rows(*ROWS, begins_at_ms=2999)) == []
    assert history in problems(with_rows(*ROWS, begins_at_ms=3001))


def test_a_dead_letter_is_a_row_too_only_beyond_where_a_person_was_asked_to_compare() -> None:
    letters = [Found("letters", shard, place_of(number)) for shard in (A, B) for number in (1, 2, 3)]
    rows = [Found("t", shard, place_of(number)) for shard in (A, B) for number in (1, 2)]
    row = ShardRow(key=ShardKey("events", 1, A), start=TrimHorizon())
    rebuilt = row.with_incident(Incident(IncidentKind.LEDGER_REBUILT, 1, "compare", Position(1)))
    assert without_compared(letters, rows, [(A, row), (B, row)]) == letters
    assert without_compared(letters, rows, [(A, row), (A, rebuilt)]) == [letters[0], *letters[2:]]
    begun = row.with_incident(Incident(IncidentKind.LEDGER_REBUILT, 1, "compare"))
    assert without_compared(letters, rows, [(A, begun), (A, rebuilt)]) == letters[2:]
