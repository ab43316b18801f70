"""A scene whose sums are others than expected says which, and a sum that does not add up is told though it was expected."""

from dataclasses import replace

import pytest

from tests.acceptance.sums import Line, Sums, text

GOOD = Sums(records=10, rows=6, error_rows=1, dead_letters=1, skipped=1, filtered=1)


def test_what_is_as_expected_is_no_problem() -> None:
    assert Line("orders", GOOD, GOOD).problem == ""
    assert text([Line("orders", GOOD, GOOD)]).rstrip().endswith("ok")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (replace(GOOD, rows=5, missing=1), "rows 5, not 6, missing 1, not 0"),
        (replace(GOOD, rows=7, doubled=1), "rows 7, not 6, doubled 1, not 0"),
        (replace(GOOD, unexpected=2), "unexpected 2, not 0"),
        (replace(GOOD, rows=5), "rows 5, not 6, the sum is uneven"),
    ],
    ids=["missing", "doubled", "unexpected", "uneven"],
)
def test_what_differs_is_named(found: Sums, said: str) -> None:
    assert Line("orders", found, GOOD).problem == said


def test_an_uneven_sum_is_told_though_nothing_else_was_expected() -> None:
    uneven = replace(GOOD, records=11)
    assert Line("orders", uneven, uneven).problem == "the sum is uneven"
