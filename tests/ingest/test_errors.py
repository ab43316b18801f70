import pytest

from firnline_ingest.errors import did_you_mean


@pytest.mark.parametrize(
    ("name", "valid", "hint"),
    [
        ("oders", ["returns", "orders"], "did you mean 'orders'?"),
        ("x", ["returns", "orders", "orders"], "expected one of: orders, returns."),
        ("x", [], "there is none."),
    ],
)
def test_a_name_that_is_not_valid_is_answered_with_the_nearest_or_with_all(
    name: str, valid: list[str], hint: str
) -> None:
    assert did_you_mean(name, valid) == hint
