"""Tests of where rows stand: several of a record, one of it, and some of a record that was taken in only partly."""

from firnline_ingest.snowflake.row_positions import RowPositions
from firnline_ingest.values import LAST_ROW, Position, row_number


def places() -> RowPositions:
    """Two records of one row, between them one of three."""
    return RowPositions(["7", "8", "8", "8", "9"], [0, *(row_number(row, 3) for row in range(3)), 0])


def test_rows_of_a_record_are_in_order_and_only_the_last_one_completes_it() -> None:
    assert [*places()] == sorted(places())
    assert [position.is_inside_record for position in places()] == [False, True, True, False, False]
    assert places()[3] == Position(8, 0, LAST_ROW)


def test_a_position_tells_the_rows_at_or_before_it() -> None:
    assert [places().count_up_to(position) for position in places()] == [1, 2, 3, 4, 5]
    assert [places().count_up_to(Position(number)) for number in (6, 7, 8, 9)] == [0, 1, 1, 5]


def test_a_part_keeps_the_places_of_its_rows() -> None:
    assert [*places().first(2), *places().without_first(2)] == [*places()]
    assert (places().records, places().first(3).records, RowPositions(["1", "2"]).records) == (3, 2, 2)


def test_the_token_of_a_record_of_one_row_is_as_it_always_was() -> None:
    assert RowPositions(["42"])[0].token == Position(42).token == "42" + 20 * "0"
    assert Position.from_token(Position(8, 0, LAST_ROW).token) == Position(8, 0, LAST_ROW)
