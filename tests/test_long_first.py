"""Whatever tests there are, all of them run once, and the long ones begin first on every worker."""

from hypothesis import given
from hypothesis import strategies as st

from tests.long_first import long_first


def is_long(item: int) -> bool:
    return item < 0


@given(st.lists(st.integers(-9, 9)), st.integers(1, 5))
def test_each_test_is_there_once(items: list[int], workers: int) -> None:
    assert sorted(long_first(items, workers, is_long)) == sorted(items)


def test_each_worker_begins_with_its_share_of_the_long_ones() -> None:
    items = [1, 2, -1, 3, 4, -2, -3, 5, 6, 7, -4, 8]
    assert long_first(items, 3, is_long) == [-1, -4, 1, 2, -2, 3, 4, 5, -3, 6, 7, 8]


def test_short_ones_stay_in_their_order() -> None:
    assert long_first(range(10), 3, is_long) == list(range(10))
