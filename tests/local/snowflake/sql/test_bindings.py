"""Bound values."""

import pytest

from firnline_local.snowflake.catalog.errors import CompilationFault, NotExact, NotKnown
from firnline_local.snowflake.sql.bindings import bind
from firnline_local.snowflake.sql.statement import Statement


def bound(kind: str, value: object) -> dict[str, dict[str, object]]:
    return {"1": {"type": kind, "value": value}}


@pytest.mark.parametrize(
    ("kind", "value", "cell"),
    [
        ("TEXT", "it's \\ ?", "it's \\ ?"),
        ("FIXED", "-12345678901234567890.5", "-12345678901234567890.5"),
        ("REAL", "1.5e300", "1.5e+300"),
        ("BOOLEAN", "true", "1"),
        ("BINARY", "00ff", "00FF"),
        ("DATE", "1767225600000", "20454"),
        ("TIME", "3723500000000", "3723.500000000"),
        ("TIMESTAMP_NTZ", "1767229323000004000", "1767229323.000004000"),
        ("TIMESTAMP_LTZ", "1767229323000004000", "1767229323.000004000"),
        ("TIMESTAMP_TZ", "1767225600000000000 1560", "1767225600.000000000 1440"),
        ("ANY", None, None),
        ("FIXED", None, None),
    ],
)
def test_a_bound_value_arrives_as_it_was_sent(sql, kind: str, value: object, cell: str | None) -> None:
    assert sql.rows("SELECT ? -- ?", bound(kind, value)) == [(cell,)]


def test_marks_in_strings_and_casts_are_told_apart(sql) -> None:
    assert sql.rows("SELECT '?', ?::INT", bound("TEXT", "5")) == [("?", "5")]


def test_bound_arrays_become_rows(sql) -> None:
    sql("CREATE TABLE t (a INT, b VARCHAR)")
    bindings = {"1": {"type": "FIXED", "value": ["1", "2", None]}, "2": {"type": "TEXT", "value": ["x", None, "z"]}}
    sql("INSERT INTO t (a, b) VALUES (?, ?)", bindings)

    assert sql.rows("SELECT a, b FROM t ORDER BY a") == [("1", "x"), ("2", None), (None, "z")]
    with pytest.raises(NotKnown, match="bound arrays"):
        bind(Statement.read("SELECT ?"), bound("FIXED", ["1", "2"]))


def test_what_can_not_be_bound_is_refused() -> None:
    with pytest.raises(CompilationFault, match="1 values are bound to 2 question marks"):
        bind(Statement.read("SELECT ?, ?"), bound("FIXED", "1"))
    with pytest.raises(CompilationFault, match="'one' is not a bound FIXED"):
        bind(Statement.read("SELECT ?"), bound("FIXED", "one"))
    with pytest.raises(NotKnown, match="bound values of type MAP"):
        bind(Statement.read("SELECT ?"), bound("MAP", "{}"))
    with pytest.raises(NotExact, match="microsecond"):
        bind(Statement.read("SELECT ?"), bound("TIMESTAMP_NTZ", "1"))


@pytest.mark.parametrize(
    ("sql", "bindings"),
    [
        ("SELECT ?, a -- ?\n FROM t WHERE b = ? ;", {**bound("TEXT", "it's"), "2": {"type": "DATE", "value": "0"}}),
        ("INSERT INTO t (a) VALUES (?)", bound("FIXED", ["1", None, "-3"])),
    ],
)
def test_a_bound_statement_has_the_tokens_of_its_text(sql: str, bindings: dict[str, dict[str, object]]) -> None:
    statement = bind(Statement.read(sql), bindings)

    assert statement == Statement.read(statement.text)
