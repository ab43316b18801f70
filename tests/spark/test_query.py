"""Pipelines with a query through real Spark: SQL and a function between the records and the channel, killed and refused."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.spark.conftest import HANGS_S, Lane, until

pytestmark = [pytest.mark.slow, pytest.mark.spark, pytest.mark.timeout(HANGS_S)]

SCHEMA = "n BIGINT, amount DECIMAL(10, 2), tags ARRAY<STRING>"
SQL = "SELECT _position, n, amount * 2 AS twice, size(tags) AS tags FROM rows WHERE n % 3 <> 0"


def query(sql: str = SQL, **changes: Any) -> dict[str, Any]:
    return {"query": {"schema": SCHEMA, "sql": sql, **changes}}


def event(n: int) -> dict[str, Any]:
    return {"n": n, "amount": n + 0.25, "tags": ["a"] * (n % 4), "not in the schema": n}


def expected(numbers: range) -> list[int]:
    """What the query keeps, by an oracle of its own."""
    return [n for n in numbers if n % 3]


def test_a_query_filters_and_makes_columns_and_what_does_not_fit_its_schema_is_a_dead_letter(
    new_lane: Callable[..., Lane],
) -> None:
    lane = new_lane(pipeline=query())
    lane.put(*map(event, range(300)), b"not json", {"n": "a text"}, {"amount": 1})
    with lane.engine(available_now=True) as engine:
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
        assert engine.total("dead_letters") == 2
    rows = sorted(lane.rows("N, TWICE, TAGS"))
    assert [row[0] for row in rows] == expected(range(300))
    assert all(float(twice) == 2 * n + 0.5 and tags == n % 4 for n, twice, tags in rows)
    letters = [path for path in Path(lane.folder / "dead-letters").rglob("*") if path.is_file()]
    assert letters
    with lane.engine(available_now=True) as again:
        assert again.wait(HANGS_S) == 0, list(again.last_lines)
        assert again.total("rows") == 0
        assert again.total("records") == 0  # what the query drops holds no position up
