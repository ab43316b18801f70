"""Identifiers, as SQL and as REST paths write them."""

import pytest

from firnline_local.snowflake.catalog.errors import InvalidIdentifier
from firnline_local.snowflake.catalog.names import display, quote, read_identifier, read_name, read_path_segment


@pytest.mark.parametrize(
    ("text", "name"),
    [("orders", "ORDERS"), ("_a$1", "_A$1"), ('"Orders"', "Orders"), ('"a ""b"" c"', 'a "b" c'), ('"a.b"', "a.b")],
)
def test_an_identifier_is_upper_cased_unless_it_is_quoted(text: str, name: str) -> None:
    assert read_identifier(text) == name


@pytest.mark.parametrize("text", ["", "1a", "a b", "a-b", '"open', 'a"b"', "a.b", '""', "a."])
def test_what_is_no_identifier_is_refused(text: str) -> None:
    with pytest.raises(InvalidIdentifier):
        read_identifier(text)


def test_a_dotted_name_is_read_outermost_first() -> None:
    assert read_name('db."My Schema".t') == ("DB", "My Schema", "T")


@pytest.mark.parametrize(
    ("segment", "name"),
    [("orders-streaming", "ORDERS-STREAMING"), ('"Orders-STREAMING"', "Orders-STREAMING"), ('"', '"')],
)
def test_the_case_of_a_path_segment_counts_only_in_quotes(segment: str, name: str) -> None:
    assert read_path_segment(segment) == name


def test_a_shown_name_is_quoted_only_where_it_has_to_be() -> None:
    assert display("DB", "tx lower", 'A"B') == 'DB."tx lower"."A""B"'
    assert read_name(display("DB", "tx lower", 'A"B')) == ("DB", "tx lower", 'A"B')
    assert quote("DB") == '"DB"'
