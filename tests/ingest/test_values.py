import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.values import DIGITS, ForeignToken, Position

SEQUENCE_NUMBERS = st.integers(min_value=0, max_value=10**129 - 1)
PARTS = st.integers(min_value=0, max_value=10**DIGITS - 1)
TRIPLES = st.tuples(SEQUENCE_NUMBERS, PARTS, PARTS)


@given(TRIPLES)
def test_a_position_survives_as_text(triple: tuple[int, int, int]) -> None:
    position = Position(*triple)
    assert Position.from_token(position.token) == position
    assert position.token.isdecimal()


@given(TRIPLES, TRIPLES)
def test_positions_order_like_the_numbers_they_are_made_of(
    one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    assert (Position(*one) < Position(*other)) == (one < other)
    assert (Position(*one) == Position(*other)) == (one == other)


@given(TRIPLES, TRIPLES)
def test_tokens_order_like_positions_when_they_are_read_as_numbers(
    one: tuple[int, int, int], other: tuple[int, int, int]
) -> None:
    assert (int(Position(*one).token) < int(Position(*other).token)) == (one < other)


def test_tokens_are_not_ordered_as_text() -> None:
    """The reason why they are only ever compared through Position."""
    earlier, later = Position(9), Position(10)
    assert earlier < later
    assert earlier.token > later.token


def test_the_token_is_the_sequence_number_and_ten_digits_each() -> None:
    assert Position(4959, 7, 12).token == "495900000000070000000012"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "0",
        "1" * 20,
        "-" + "1" * 25,
        "+" + "1" * 25,
        " " + "1" * 25,
        "1" * 25 + "\n",
        "1" * 24 + "a",
        "shardId-1",
        "\u0661" * 25,
    ],
)
def test_text_that_no_engine_wrote_is_refused(token: str) -> None:
    with pytest.raises(ForeignToken, match="another program writes to this channel"):
        Position.from_token(token)


@given(st.text(max_size=40))
def test_any_text_is_a_token_or_refused(text: str) -> None:
    try:
        position = Position.from_token(text)
    except ForeignToken:
        return
    assert int(position.token) == int(text)


def test_positions_cross_processes() -> None:
    position = Position(1, 2, 3)
    assert pickle.loads(pickle.dumps(position)) == position
