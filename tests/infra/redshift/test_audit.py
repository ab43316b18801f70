"""Tests of what an audit of a view says of each difference."""

from typing import Any

import pytest

from firnline_infra.blueprint.redshift.definitions import SelectedColumn, StreamViewDefinition
from firnline_infra.redshift.audit import AGGREGATE, Fate, audit_lines, audit_view, compare, fate_of
from firnline_ingest.errors import UsageError

KEPT, SKIPPED = Fate.KEPT, Fate.SKIPPED


def view(**changes: Any) -> StreamViewDefinition:
    said = {
        "name": "orders",
        "schema": "public",
        "stream": "orders",
        "external_schema": "kinesis",
        "auto_refresh": True,
        "skips_unreadable": True,
        "metadata": ("shard_id", "sequence_number", "approximate_arrival_timestamp"),
    }
    return StreamViewDefinition(**{"stale_after_minutes": 15, **said, **changes})


RECORDS = {("a", number): KEPT for number in (10, 20, 30)}
ALL = dict.fromkeys(RECORDS, 1)


@pytest.mark.parametrize(
    ("rows", "newest", "wrong", "behind"),
    [
        (ALL, {"a": 30}, {}, 0),
        ({("a", 10): 1}, {"a": 10}, {}, 2),  # still to come
        ({}, {}, {}, 3),
        ({("a", 10): 1, ("a", 30): 1}, {"a": 30}, {"missing": [("a", 20)]}, 0),
        ({("a", 10): 1}, {"a": 40}, {"missing": [("a", 20), ("a", 30)]}, 0),  # a younger row is behind the window
        ({**ALL, ("a", 20): 2}, {"a": 30}, {"twice": [("a", 20)]}, 0),
        ({**ALL, ("a", 25): 1}, {"a": 30}, {"unknown": [("a", 25)]}, 0),
        ({**ALL, ("a", 5): 1, ("a", 35): 1, ("z", 1): 1}, {"a": 35, "z": 1}, {}, 0),  # older, younger, trimmed
    ],
)
def test_each_position_is_compared(rows: Any, newest: dict[str, int], wrong: dict[str, Any], behind: int) -> None:
    found = compare(view(), RECORDS, rows, newest)
    assert {word: list(places) for word, places in found.wrong.items() if places} == wrong
    assert (found.records, found.behind, found.is_good) == (3, behind, not wrong)


def test_what_a_view_skips_is_not_missing_and_aggregates_are_said() -> None:
    records = {**RECORDS, ("a", 20): SKIPPED, ("a", 25): Fate.AGGREGATE}
    found = compare(view(), records, {("a", 10): 1, ("a", 30): 1}, {"a": 30})
    assert (found.is_good, found.skipped, found.aggregates, found.rows) == (True, 2, 1, 2)
    assert any("skipped 1 aggregates of the KPL" in line for line in audit_lines([found]))


def test_what_a_condition_may_keep_out_is_said_and_is_no_failure() -> None:
    found = compare(view(where="n > 1"), RECORDS, {("a", 30): 1}, {"a": 30})
    assert (found.is_good, len(found.missing)) == (True, 2)
    assert any("has a condition (where)" in line for line in audit_lines([found]))


@pytest.mark.parametrize(
    ("data", "fate"),
    [
        *((each, KEPT) for each in (b'{"n": 1}', b" 1 ", b'"' + b"a" * 70_000 + b'"')),
        *((each, SKIPPED) for each in (b"", b"no json", b"NaN", b"\xff", b"[" * 100_000)),
        (AGGREGATE + b"...", Fate.AGGREGATE),
    ],
)
def test_what_is_json_is_kept(data: bytes, fate: Fate) -> None:
    assert fate_of(view(), data) is fate
    assert fate_of(view(skips_unreadable=False), data) is KEPT


def test_columns_leave_out_what_is_too_long_for_them() -> None:
    column = SelectedColumn(name="kind", type="DATE", path=("kind",))
    assert fate_of(view(columns=(column,)), b'"' + b"a" * 70_000 + b'"') is SKIPPED


def test_a_view_without_positions_is_refused() -> None:
    with pytest.raises(UsageError, match="has no sequence_number"):
        audit_view(None, None, view(metadata=NO_NUMBER), since=None, until=None)  # type: ignore[arg-type] # refused before


NO_NUMBER = ("shard_id", "approximate_arrival_timestamp")
