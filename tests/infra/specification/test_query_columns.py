"""Columns of a query as they are read from its text are those that sqlglot, which we did not write, finds."""

import random

import pytest
import sqlglot
from sqlglot import exp

from firnline_infra.specification.query_columns import columns_of_query
from firnline_ingest.config.query import PipelineQuery

SCHEMA = "id BIGINT, name STRING, at TIMESTAMP, tags ARRAY<STRUCT<k: STRING, v: DECIMAL(3,1)>>"
COLUMNS = ("id", "name", "at", "tags")
EXPRESSIONS = (
    "id", "rows.name", "`at`", "id AS OID", "rows.id oid", "id + 1 AS `a b`", "upper(name) AS n", "coalesce(name, 'FROM, x') m",
    "CASE WHEN id > 1 THEN 'a' ELSE 'b' END AS c", "CASE id WHEN 1 THEN 2 END c", "tags[0].k AS k", "id IN (1, 2) AS few",
    "extract(YEAR FROM at) AS year", "CAST(id AS STRING) AS s", "id::STRING t", "array(1, 2)[0] AS first", "name LIKE 'a%' AS l",
    "name IS NOT NULL AS there", "id BETWEEN 1 AND 2 AS between_them", "INTERVAL 1 DAY AS d", "-id AS negated", "'a' AS text",
    "named_struct('a', id, 'b', name) AS both", "trim(BOTH 'x' FROM name) AS t", "date_add(at, 1) -- a comment, FROM\n AS next",
    "1.5e3 AS num", "transform(tags, x -> x.k) AS ks", "max(id) OVER (PARTITION BY name) AS m", "TRUE AS yes", "NULL nothing",
)  # fmt: skip # a paragraph, not a column
ENDS = (
    "FROM rows",
    "FROM rows WHERE name = ', b FROM c' AND id > 0",
    "FROM rows AS rows WHERE id IN (1, 2)",
    "from rows",
)


def by_sqlglot(text: str) -> set[str]:
    (select,) = sqlglot.parse(text, read="spark")
    assert isinstance(select, exp.Select)
    found: set[str] = set()
    for each in select.selects:
        found |= set(COLUMNS) if isinstance(each, exp.Star) or each.is_star else {each.alias_or_name}
    return found


@pytest.mark.parametrize("seed", range(300))
def test_the_columns_of_a_plain_select_are_those_that_sqlglot_finds(seed: int) -> None:
    draw = random.Random(seed)
    chosen = draw.sample(EXPRESSIONS, draw.randint(1, 5)) + ["*"] * (draw.random() < 0.2)
    text = f"SELECT {draw.choice(('', '/* a, b */ '))}_position, {', '.join(chosen)} {draw.choice(ENDS)}"
    found = columns_of_query(PipelineQuery.model_validate({"schema": SCHEMA, "sql": text}))
    assert found is not None, text
    assert {each.lower() for each in found} == {each.lower() for each in by_sqlglot(text)} - {"_position"}, text
