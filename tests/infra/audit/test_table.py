import pytest

from firnline_infra.audit.statements import Part
from firnline_infra.audit.table import parts_between


@pytest.mark.parametrize("first", [None, "5"])
def test_parts_lie_between_cuts(first: str | None) -> None:
    assert parts_between(first, ["10", "20", "25"]) == [
        Part(first, None, "10"),
        Part(None, "10", "20"),
        Part(None, "20", "25"),
    ]


def test_a_number_that_many_rows_share_is_in_one_part() -> None:
    assert parts_between(None, ["10", "10", "10", "12"]) == [Part(None, None, "10"), Part(None, "10", "12")]


def test_without_cuts_there_is_one_part() -> None:
    assert parts_between("5", []) == [Part("5")]
