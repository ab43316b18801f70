"""Tests of what a roll-out does next, for every combination of what it can find, as it was reviewed.

FIRNLINE_WRITE_GOLDEN=1 writes the table anew. An empty step is the one above it.
"""

import os
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.rollout.plan import Attempt, Observation, Step, plan
from firnline_infra.runtimes.service import Run, RunState
from firnline_ingest.ledger.backend import Run as EngineRun
from firnline_ingest.ledger.standby import BY_HAND, Standby, StandbyState

GOLDEN = Path(__file__).parent / "golden" / "plan.txt"
OLD, NEW, THIRD = (Run(id=name, hash=name, state=RunState.RUNNING, start=name) for name in ("old", "new", "third"))
ENDING = Run(id="new", hash="new", state=RunState.STOPPING, start="new")
RUNS = {
    "nothing runs": (),
    "old": (OLD,),
    "new": (NEW,),
    "new, ending": (ENDING,),
    "old, new": (OLD, NEW),
    "old, third": (OLD, THIRD),
    "old, new, third": (OLD, NEW, THIRD),
}
HOLDERS = {
    "free": None,
    "old holds": EngineRun("e-old", "old's", start="old"),
    "new holds": EngineRun("e-new", "new's", start="new"),
    "by hand": EngineRun("e-hand", "somebody's", start=BY_HAND),
}
ROWS: dict[str, Standby | None] = {
    "no standby": None,
    "preparing": Standby("e-new", "new's", "new"),
    "ready": Standby("e-new", "new's", "new", state=StandbyState.READY),
    "promoted": Standby("e-new", "new's", "new", state=StandbyState.READY, is_admitted=True),
    "taken": Standby("e-new", "new's", "new", state=StandbyState.TAKEN, is_admitted=True),
}
ATTEMPTS: dict[str, dict[str, Any]] = {
    "-": {},
    "seen ready": {"ready": "e-new"},
    "started beside": {"started": NEW, "beside": OLD},
    "started": {"started": NEW},
    "no room": {"lacks_room": True},
    "no room for the standby": {"lacks_room": True, "started": NEW, "beside": OLD},
    "handed over": {"started": NEW, "beside": OLD, "handed_over": NEW},
    "reads": {"started": NEW, "reads": NEW},
    "standby failed": {"standby_failed": "why"},
    "failed": {"failed": "why"},
}
FOUND = frozenset({"old", "new", "third"})


def observations() -> Iterator[tuple[tuple[str, ...], Observation]]:
    """Without those that can't be: a row of a run that is neither there nor started, a holder without its run."""
    for names in product(("in turn", "standby"), RUNS, HOLDERS, ROWS, ATTEMPTS):
        order, runs, holder, row, attempt = names
        ids = {run.id for run in RUNS[runs]}
        has_started = "started" in ATTEMPTS[attempt]
        if (holder == "old holds" and "old" not in ids) or (holder == "new holds" and "new" not in ids):
            continue
        if ROWS[row] and "new" not in ids and not has_started:
            continue
        if (row == "no standby") == (attempt == "seen ready") or (holder == "new holds") != (row == "taken"):
            continue
        yield names, observed(order, RUNS[runs], HOLDERS[holder], ROWS[row], ATTEMPTS[attempt])


def observed(
    order: str, runs: tuple[Run, ...], engine: EngineRun | None, row: Standby | None, attempt: dict[str, Any]
) -> Observation:
    return Observation(
        wanted="new",
        stands_by=order == "standby",
        runs=runs,
        engine=engine,
        standby=row,
        attempt=Attempt(found=FOUND, **attempt),
    )


def table() -> str:
    lines, last = [], None
    for names, found in observations():
        if names[:2] != last:
            last = names[:2]
            lines += ["", ": ".join(names[:2])]
        action = plan(found)
        done = f"{action.step.name}{f' {action.run.id}' if action.run else ''}"
        lines.append(f"  {names[2]:10}{names[3]:12}{names[4]:25}{done}")
    return "\n".join(lines).lstrip("\n") + "\n"


def test_each_step_is_the_one_that_was_reviewed() -> None:
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(table(), encoding="utf-8")
        pytest.fail(f"{GOLDEN.name} was written: review it, and run the test again")
    assert table() == GOLDEN.read_text(encoding="utf-8")


def test_every_step_is_in_the_table_but_what_comes_too_late() -> None:
    assert {plan(found).step for _, found in observations()} == set(Step) - {Step.REFUSE}


def test_nothing_is_started_in_turn_or_put_back_while_a_run_is_left() -> None:
    for _, found in observations():
        if plan(found).step in (Step.START, Step.PUT_BACK):
            assert not found.runs


def test_the_engine_that_reads_is_neither_stopped_nor_cancelled_while_another_one_only_comes_up() -> None:
    """Until the standby is ready and promoted."""
    for _, found in observations():
        action, holder = plan(found), found.holder
        is_beside = found.row is not None and not found.attempt.failed and not found.attempt.lacks_room
        if is_beside and not found.attempt.handed_over and not found.attempt.reads and holder and holder.id == "old":
            assert action.run != holder or action.step in (Step.HAND_OVER, Step.CALL_OFF, Step.START_BESIDE)
            if action.step is Step.HAND_OVER:
                assert found.row is not None
                assert found.row.is_admitted


def test_a_run_that_comes_while_others_are_stopped_is_refused() -> None:
    late = Run(id="late", hash="late", state=RunState.RUNNING)
    for runs in ((late,), (OLD, late)):
        action = plan(observed("in turn", runs, None, None, {}))
        assert (action.step, action.run) == (Step.REFUSE, late)
