"""Each statement goes through other people's grammars; what those don't know is a row with the vendor's page (gaps.py)."""

from collections.abc import Iterator
from functools import cache

import pytest

from tests.sql import grammars
from tests.sql.corpus import FILE, committed
from tests.sql.gaps import GAPS, gaps_of, without
from tests.sql.grammars import refused_by
from tests.sql.written import written

JUDGEMENTS = "sql/judgements"


@pytest.fixture
def judgements_of_earlier_runs(request: pytest.FixtureRequest) -> Iterator[None]:
    """To parse a thousand statements anew takes twenty seconds. A run with `-p no:cacheprovider` keeps none."""
    cache: pytest.Cache | None = getattr(request.config, "cache", None)
    grammars.known.update(cache.get(JUDGEMENTS, {}) if cache else {})
    yield
    if cache:
        cache.set(JUDGEMENTS, grammars.asked)


@cache
def carried_out() -> list[tuple[str, str]]:
    return sorted((dialect, sql) for (dialect, _), sql in committed().items())


def judged() -> Iterator[tuple[str, str, str]]:
    yield from (("statements.txt", dialect, sql) for dialect, sql in carried_out())
    yield from written()


@pytest.mark.usefixtures("judgements_of_earlier_runs")
def test_every_statement_is_one_of_a_grammar_or_of_a_vendors_page_and_every_row_is_needed() -> None:
    refused, needed = [], set()
    for where, dialect, sql in judged():
        rows, left = gaps_of(dialect, sql)
        refused += [f"{where}: {sql}\n    {grammar}: {why}" for grammar, why in left.items()]
        for row in rows:
            others = without((each for each in rows if each.grammar == row.grammar and each is not row), sql)
            if row not in needed and row.grammar in refused_by(dialect, others):
                needed.add(row)
    assert not refused, "\n".join(refused)
    assert not [row for row in GAPS if row not in needed], "the grammars know these by now: remove the rows"


def test_what_the_suite_recorded_has_no_shape_twice_and_is_sorted() -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(f"{dialect} {sql}" for dialect, sql in carried_out())


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("snowflake", "CREATE TABLE T (A NUMBER) CLUSTERED ON (A)"),
        ("snowflake", "GRANT SELECT ON TABLE T ROLE R"),
        ("snowflake", "SHOW TABLES INSIDE SCHEMA S"),
        ("redshift", "CREATE EXTERNAL SCHEMA S FROM KINESIS STREAM IAM_ROLE 'x'"),
        ("redshift", "CREATE MATERIALIZED VIEW V REFRESH AUTO YES AS SELECT 1"),
    ],
)
def test_what_no_grammar_knows_is_refused(dialect: str, sql: str) -> None:
    assert gaps_of(dialect, sql)[1]


def test_a_judgement_is_kept_for_the_statement_and_the_grammars_that_it_is_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grammars, "asked", {})
    sql = "SELECT 1 AS KEPT"
    name = grammars.name_of("snowflake", sql)
    monkeypatch.setattr(grammars, "known", {name: {"sqlfluff": "as an earlier run found"}})
    assert refused_by("snowflake", sql) == {"sqlfluff": "as an earlier run found"}
    assert refused_by("redshift", sql) == refused_by("snowflake", f"{sql} ") == {}
    monkeypatch.setattr(grammars, "_judges", lambda: "another version")
    assert refused_by("snowflake", sql) == {}
