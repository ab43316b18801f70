"""docs/design/beliefs.md counts its rows as they are, and each row says how sure it is and what an account is asked."""

import pytest

from docs.tools.beliefs import BEGIN, END, PAGE, Belief, Mark, beliefs, page

TEXT = PAGE.read_text(encoding="utf-8")


def test_the_count_is_that_of_the_rows() -> None:
    """`python -m docs.tools.beliefs` writes it anew."""
    assert page(TEXT) == TEXT


def test_no_id_stands_twice() -> None:
    ids = [each.id for each in beliefs(TEXT)]
    assert len(ids) == len(set(ids))


def test_at_most_a_third_is_only_believed() -> None:
    marks = [each.mark for each in beliefs(TEXT)]
    assert marks.count(Mark.BELIEVED) <= len(marks) / 3


def test_what_is_unknown_or_believed_names_a_question() -> None:
    open_ones = [each for each in beliefs(TEXT) if each.mark in {Mark.BELIEVED, Mark.UNKNOWN}]
    assert [each.id for each in open_ones if each.how_to_ask in {"", "-"}] == []


def test_a_row_counts_by_its_weakest_mark() -> None:
    def mark(how_sure: str) -> Mark:
        return Belief(id="B1", how_sure=how_sure, how_to_ask="-").mark

    assert mark("documented (`a-page`); that it holds for streams is believed") is Mark.BELIEVED
    assert mark("Differs: documented otherwise") is Mark.DIFFERS
    assert mark("client: read in its source") is Mark.CLIENT
    with pytest.raises(ValueError, match="B1 has no mark"):
        mark("its text at 1.0.0")


def test_what_an_account_said_counts_before_what_was_looked_up() -> None:
    def mark(how_sure: str) -> Mark:
        return Belief(id="B1", how_sure=how_sure, how_to_ask="-").mark

    assert mark("answered by an account on 2026-12-01 (aws: a). Before: unknown") is Mark.ANSWERED
    assert mark("refuted by an account on 2026-12-01 (aws: a). Before: documented") is Mark.REFUTED
    assert mark("documented; answered otherwise is nothing that the page has") is Mark.DOCUMENTED


def test_another_row_is_another_count() -> None:
    row = "| B99999 | a fact | none | unknown | ask |\n"
    assert page(TEXT + row) != TEXT
    assert "| unknown |" in page(TEXT + row).partition(BEGIN)[2].partition(END)[0]
