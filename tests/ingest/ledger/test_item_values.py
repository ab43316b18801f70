"""Values of an item are read as boto3 reads them; its own deserializer takes three times as long."""

from decimal import Decimal
from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.ledger.item_table import deserialized, serialized

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(10**37), 10**37)
    | st.decimals(-(10**9), 10**9, places=3)
    | st.text()
    | st.binary()
)
sets = (
    st.sets(st.text(min_size=1), min_size=1)
    | st.sets(st.integers(0, 9), min_size=1)
    | st.sets(st.binary(min_size=1), min_size=1)
)
values = st.recursive(
    leaves | sets, lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(), each, max_size=3)
)


@given(st.dictionaries(st.text(min_size=1), values, max_size=6))
def test_whatever_an_item_holds_is_read_as_boto3_reads_it(item: dict[str, Any]) -> None:
    typed = serialized(item)
    read = TypeDeserializer().deserialize
    assert deserialized(typed) == {name: read(value) for name, value in typed.items()}


@pytest.mark.parametrize("number", ["0", "-7", "1E+2", "0.50", "007", "9" * 38])
def test_a_number_is_equal_however_it_is_spelt(number: str) -> None:
    assert deserialized({"count": {"N": number}})["count"] == Decimal(number)


@pytest.mark.parametrize("value", [{"S": "a", "N": "1"}, {}, {"X": "a"}])
def test_what_is_no_value_of_dynamodb_raises(value: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError, ArithmeticError)):
        deserialized({"name": value})
