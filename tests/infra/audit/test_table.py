from collections.abc import Iterator
from typing import Any

import pytest

from firnline_infra.audit.content_check import RowContent
from firnline_infra.audit.errors import RowsUnordered
from firnline_infra.audit.outcome import AuditOutcome, RecordPlace
from firnline_infra.audit.statements import StatementPart
from firnline_infra.audit.table import (
    MAX_PARTS,
    PART_ROWS,
    PART_ROWS_WITH_CONTENT,
    outcomes_of,
    parts_between,
    rows_of_a_part,
)

ARRIVAL = "2023-11-14T22:13:20.123Z"


def outcomes(*rows: tuple[Any, ...], invalid: list[str] | None = None) -> list[AuditOutcome]:
    def fetched() -> Iterator[tuple[Any, ...]]:
        yield from rows

    def on_invalid_position(position: str) -> None:
        assert invalid is not None
        invalid.append(position)

    return list(outcomes_of(fetched(), "s-1", on_invalid_position, metadata=["META"]))


@pytest.mark.parametrize("first", [None, "5"])
def test_parts_lie_between_cuts(first: str | None) -> None:
    assert parts_between(first, ["10", "20", "25"]) == [
        StatementPart(first, None, "10"),
        StatementPart(None, "10", "20"),
        StatementPart(None, "20", "25"),
    ]


def test_a_number_that_many_rows_share_is_in_one_part() -> None:
    assert parts_between(None, ["10", "10", "10", "12"]) == [
        StatementPart(None, None, "10"),
        StatementPart(None, "10", "12"),
    ]


def test_without_cuts_there_is_one_part() -> None:
    assert parts_between("5", []) == [StatementPart("5")]


def test_a_part_is_bounded_until_there_would_be_too_many() -> None:
    assert rows_of_a_part(10, with_content=False) == PART_ROWS
    assert rows_of_a_part(10, with_content=True) == PART_ROWS_WITH_CONTENT
    assert rows_of_a_part(MAX_PARTS * PART_ROWS + 1, with_content=False) == PART_ROWS + 1


def test_a_row_becomes_an_outcome() -> None:
    assert outcomes(("100", "0", "0", ARRIVAL), ("100", "2", "0", None)) == [
        AuditOutcome(100, 0, RecordPlace.TABLE, 1_700_000_000_123),
        AuditOutcome(100, 2, RecordPlace.TABLE),
    ]


def test_contents_stand_behind_the_position() -> None:
    (outcome,) = outcomes(("100", "0", "0", ARRIVAL, "{}", 1, "x"))
    assert outcome.content == RowContent({"META": "{}"}, [1, "x"])


@pytest.mark.parametrize(
    ("number", "sub_number"), [("twelve", "0"), ("0100", "0"), ("1e3", "0"), ("-1", "0"), ("٣", "0"), ("100", "x")]
)
def test_a_number_that_the_engine_would_not_write_has_no_place(number: str, sub_number: str) -> None:
    invalid: list[str] = []
    assert outcomes((number, sub_number, "0", ARRIVAL), invalid=invalid) == []
    assert invalid == [f"{number}.{sub_number}"]


@pytest.mark.parametrize("second", [("99", "0"), ("100", "0")])
def test_rows_that_come_out_of_order_are_not_believed(second: tuple[str, str]) -> None:
    with pytest.raises(RowsUnordered, match=r"100\.1 before"):
        outcomes(("100", "1", "0", ARRIVAL), (*second, "0", ARRIVAL))


def test_rows_at_one_position_are_in_order() -> None:
    assert len(outcomes(("100", "0", "0", ARRIVAL), ("100", "0", "0", ARRIVAL))) == 2


def test_a_row_of_several_has_its_number_behind_the_others() -> None:
    assert [each.position for each in outcomes(("100", "0", "0", ARRIVAL), ("100", "0", "12", ARRIVAL))] == [
        "100",
        "100.0.12",
    ]
    invalid: list[str] = []
    outcomes(("100", "0", "x", ARRIVAL), invalid=invalid)
    assert invalid == ["100.0.x"]
