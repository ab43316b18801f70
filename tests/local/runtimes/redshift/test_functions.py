"""Tests of what the database below has and Redshift does not document is refused by name."""

import duckdb
import pytest

from firnline_infra.specification.redshift_sql import called
from firnline_local.runtimes.redshift.functions import DOCUMENTED
from firnline_local.runtimes.redshift.lowering import of_query
from firnline_local.runtimes.redshift.statements import StatementError


def test_no_function_of_the_database_below_is_redshifts_unless_a_page_has_it() -> None:
    found = duckdb.sql("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
    others = {name for (name,) in found if name.isidentifier() and name == name.lower()} - DOCUMENTED
    assert len(others) > 500
    for name in others:
        with pytest.raises(StatementError):
            of_query(f"SELECT {name} (1)", str, {}, "user")


def test_words_of_the_grammar_types_and_names_are_no_functions() -> None:
    sql = """WITH n(a, b) AS (SELECT CAST(a AS VARCHAR(4)), public.f(1) FROM t AS x (a)) -- now()
             SELECT count (*), 'now()' FROM n WHERE a IN (1) AND (b)"""
    assert called(sql) == ["cast", "count"]
