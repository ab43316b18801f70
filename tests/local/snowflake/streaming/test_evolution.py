"""Which columns new keys become."""

import pytest

from firnline_local.snowflake.streaming.reader import (
    MAX_NEW_COLUMNS,
    EvolutionRefused,
    JsonKind,
    kind_of,
    new_columns,
)


def seen(*values: str) -> set[JsonKind]:
    return {kind_of(value.encode()) for value in values}


@pytest.mark.parametrize(
    ("values", "column_type"),
    [
        (['"text"', '"2026-01-01T00:00:00Z"'], "VARCHAR(16777216)"),
        (["1", "-20"], "NUMBER(38,0)"),
        (["1.5"], "FLOAT"),
        (["1", "2e3"], "FLOAT"),
        (["true", "false", "null"], "BOOLEAN"),
        (["null"], "VARCHAR(16777216)"),
        (['{"a":1}', "null"], "VARIANT"),
        (["[1]"], "VARIANT"),
        (["1", "[1]"], "VARIANT"),
        (["1", '"x"'], "VARCHAR(16777216)"),
        (["true", "1.5"], "VARCHAR(16777216)"),
    ],
)
def test_a_new_column_takes_every_value_that_was_seen(values: list[str], column_type: str) -> None:
    ((name, found),) = new_columns({"price": seen(*values)})

    assert (name, str(found)) == ("PRICE", column_type)


def test_columns_come_in_the_order_their_keys_were_seen_and_ignore_case() -> None:
    columns = new_columns({"b": seen("1"), "a": seen('"x"'), "B": seen("1.5")})

    assert [(name, found.family) for name, found in columns] == [("B", "FLOAT"), ("A", "VARCHAR")]


def test_where_case_is_matched_a_column_is_called_exactly_as_its_key() -> None:
    assert [name for name, _ in new_columns({"Price": seen("1")}, match_case=True)] == ["Price"]


@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb"])
def test_a_key_that_can_be_no_column_is_refused(key: str) -> None:
    with pytest.raises(EvolutionRefused, match="not a valid column name"):
        new_columns({key: seen("1")})


def test_one_batch_may_add_a_hundred_columns_and_no_more() -> None:
    keys = {f"k{number}": seen("1") for number in range(MAX_NEW_COLUMNS)}
    assert len(new_columns(keys)) == MAX_NEW_COLUMNS

    with pytest.raises(EvolutionRefused, match="101 columns"):
        new_columns(keys | {"one_more": seen("1")})
