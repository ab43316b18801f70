"""Whatever tests there are, all of them run once, and the long ones begin first on every worker."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import fixture_of_module
from tests.conftest import is_long as is_long_here
from tests.long_first import LONG_FILES, long_first


def is_long(item: int) -> bool:
    return item < 0


def alone(item: int) -> None:
    """Shares nothing."""


@given(st.lists(st.integers(-9, 9)), st.integers(1, 5))
def test_each_test_is_there_once(items: list[int], workers: int) -> None:
    assert sorted(long_first(items, workers, is_long, lambda item: item if item % 3 else None)) == sorted(items)


def test_each_worker_begins_with_its_share_of_the_long_ones() -> None:
    items = [1, 2, -1, 3, 4, -2, -3, 5, 6, 7, -4, 8]
    assert long_first(items, 3, is_long, alone) == [-1, -4, 1, 2, -2, 3, 4, 5, -3, 6, 7, 8]


def test_short_ones_stay_in_their_order() -> None:
    assert long_first(range(10), 3, is_long, alone) == list(range(10))


def test_long_ones_that_share_something_are_on_one_worker() -> None:
    items = [-1, -2, -3, -4, 1, 2, 3, 4]
    shares = {-2: "environment", -4: "environment"}
    assert long_first(items, 2, is_long, shares.get) == [-1, -3, 1, 2, -2, -4, 3, 4]


def test_the_files_of_long_tests_are_there() -> None:
    assert [file for file in LONG_FILES if not (Path(__file__).parents[1] / file).exists()] == []


def test_a_test_of_such_a_file_is_long_and_one_of_this_is_not(request: pytest.FixtureRequest) -> None:
    item: Any = SimpleNamespace(nodeid=f"{LONG_FILES[0]}::test", iter_markers=lambda: ())
    assert is_long_here(item)
    assert not is_long_here(request.node)


@pytest.fixture(scope="module")
def made_once() -> str:
    return "an environment"


def test_what_is_made_once_for_a_module_is_shared_by_its_tests(request: pytest.FixtureRequest, made_once: str) -> None:
    assert fixture_of_module(request.node) == request.node.nodeid.partition("::")[0]


def test_what_each_test_makes_is_not(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    assert fixture_of_module(request.node) is None
