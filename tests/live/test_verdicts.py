"""Every row of docs/design/beliefs.md that nobody has looked up is asked by a question, or says why no script can ask it and who
can; and what an account answers goes into the page by itself.
"""

import re
from datetime import date
from typing import Any

import pytest

from docs.tools.beliefs import PAGE, Mark, beliefs
from tests.live import recordings
from tests.live.verdicts import (
    BELIEVED,
    NOT_ASKED,
    Outcome,
    asked_about,
    open_rows,
    report,
    settled_by,
    updated,
    verdicts,
)

TEXT = PAGE.read_text(encoding="utf-8")
OPEN = [each for each in beliefs(TEXT) if each.mark in {Mark.BELIEVED, Mark.UNKNOWN}]
DAY = date(2026, 12, 1)


def answers() -> dict[str, dict[str, Any]]:
    """Returns answers of an account that answers what is believed."""
    return recordings.read(BELIEVED)


def test_each_open_row_is_asked_by_a_question_or_says_why_no_script_can_and_who_can() -> None:
    asked = asked_about()
    neither = [each.id for each in OPEN if each.id not in asked and NOT_ASKED not in each.how_to_ask]
    assert neither == [], "give it a question in tests/live/questions, or say so in its last cell"
    said = [each.how_to_ask.partition(NOT_ASKED)[2] for each in OPEN if NOT_ASKED in each.how_to_ask]
    assert [each for each in said if not re.search(r"; \w+|^as B\d+", each)] == []


def test_what_is_asked_does_not_say_that_no_script_can() -> None:
    assert [each for each, cell in open_rows(TEXT).items() if NOT_ASKED in cell and each in asked_about()] == []


def test_each_question_is_about_a_row() -> None:
    assert asked_about() <= open_rows(TEXT).keys()


@pytest.mark.parametrize("part", ["snowflake", "aws", "redshift"])
def test_each_answer_is_about_a_belief_and_each_question_has_one(part: str) -> None:
    assert set(answers()[part]) == set(settled_by()[part])


def test_an_account_that_answers_as_believed_settles_the_rows() -> None:
    found = verdicts(answers(), answers())
    assert {each.outcome for each in found} <= {Outcome.HOLDS, Outcome.IN_PART}
    page = updated(TEXT, found, DAY)
    marks = {each.id: each.mark for each in beliefs(page)}
    assert marks["B2"] is Mark.ANSWERED
    assert "| answered | 0 |" in TEXT
    assert "| answered | 0 |" not in page
    assert updated(page, found, DAY) == page


def test_an_answer_with_nothing_beside_it_refutes_no_row() -> None:
    said = {"life": dict.fromkeys(settled_by()["life"], "ended")}
    assert verdicts(said, {}) == ()
    rows = report((), said, day=DAY, heading="A run", lines=[])
    assert "| B23 B24 B53 B90 B131 | question | life: up | ended | nothing is recorded beside it: is it so? |" in rows
    assert "| question | life: doctor |" not in rows  # it settles nothing


def test_another_answer_refutes_the_row_and_says_what_it_was() -> None:
    said = answers()
    said["snowflake"]["streaming: rows of one that was sent twice"] = 2
    found = verdicts(said, answers())
    (verdict,) = (each for each in found if each.belief == "B2")
    assert verdict.outcome is Outcome.REFUTED
    page = updated(TEXT, found, DAY)
    (row,) = (line for line in page.splitlines() if line.startswith("| B2 |"))
    assert "refuted by an account on 2026-12-01 (snowflake: streaming: rows of one that was sent twice is 2)" in row
    assert "Before: reported: supabase" in row
    written = report(found, said, day=DAY, heading="A run", lines=["removed: everything"])
    assert "| B2 | otherwise | snowflake: streaming: rows of one that was sent twice | 2 | 1 |" in written
    assert "1 otherwise" in written


def test_a_later_run_takes_the_place_of_an_earlier_one() -> None:
    said = answers()
    said["snowflake"]["streaming: rows of one that was sent twice"] = 2
    once = updated(TEXT, verdicts(said, answers()), DAY)
    again = updated(once, verdicts(answers(), answers()), date(2026, 12, 2))
    (row,) = (line for line in again.splitlines() if line.startswith("| B2 |"))
    assert "answered by an account on 2026-12-02" in row
    assert "refuted" not in row
    assert row.count("Before: ") == 1


def test_a_belief_of_which_a_question_was_not_asked_keeps_its_row() -> None:
    some = {"snowflake": {"streaming: rows of one that was sent twice": 1}}
    (found,) = verdicts(some, answers())
    assert found.outcome is Outcome.IN_PART
    assert updated(TEXT, [found], DAY) == TEXT
    assert "| B2 | in part | snowflake: streaming: append | not asked | |" in report(
        [found], some, day=DAY, heading="A run", lines=[]
    )


def test_what_the_embedded_environment_refuses_by_name_refutes_nothing() -> None:
    said = answers()
    assert "[FL-6040]" in str(said["snowflake"]["no statement"])
    said["snowflake"]["no statement"] = {"code": 1003, "state": "42000", "text": "syntax error"}
    assert {each.outcome for each in verdicts(said, answers())} <= {Outcome.HOLDS, Outcome.IN_PART}


def test_a_bar_in_an_answer_makes_no_cell() -> None:
    said = answers()
    said["snowflake"]["streaming: rows of one that was sent twice"] = "a | b"
    page = updated(TEXT, verdicts(said, answers()), DAY)
    assert {each.id for each in beliefs(page)} == {each.id for each in beliefs(TEXT)}
