"""Tests of when a view counts as stale, by its refreshes, and what helps. The answers of the database are given."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.redshift.status import FAILED, ViewState, ViewStatus, statuses, view_lines
from tests.infra.specifications import smallest

NOW = datetime(2026, 11, 23, 14, 0, tzinfo=UTC)


class Database:
    """Answers with refreshes, newest first."""

    def __init__(self, *refreshes: tuple[str | None, Any]) -> None:
        view = {"stream": "orders", "stale_after_minutes": 30}
        spec = smallest(aws={"region": "us-east-1"}, redshift={"workgroup": {}, "views": [view]})
        destination = blueprint_of(spec).redshift
        assert destination is not None
        self.destination = destination
        self.refreshes = refreshes

    def run(self, sql: str) -> list[dict[str, Any]]:
        if "sys_mv_refresh_history" not in sql:
            return []
        view = {"schema_name": "public", "mv_name": "orders"}
        return [{**view, "status": status, "start_time": at} for status, at in self.refreshes]


def status(*refreshes: tuple[str | None, Any], is_there: bool = True) -> ViewStatus:
    (found,) = statuses(Database(*refreshes), {("public", "orders")} if is_there else set())  # type: ignore[arg-type] # a double
    return found


WELL, BAD = "Refresh successfully updated MV incrementally", f"{FAILED}. Internal error"


@pytest.mark.parametrize(
    ("refreshes", "state", "age_s"),
    [
        ([(WELL, "2026-11-23 13:31:00")], ViewState.GOOD, 1740),
        ([(WELL, "2026-11-23 13:30:00.000000")], ViewState.GOOD, 1800),
        ([(WELL, "2026-11-23 13:29:59")], ViewState.STALE, 1801),
        ([(WELL, "2026-11-23 14:00:09")], ViewState.GOOD, 0),  # by a clock that is fast
        ([], ViewState.STALE, None),
        ([(None, None)], ViewState.STALE, None),
        ([(WELL, "yesterday")], ViewState.STALE, None),
        ([(BAD, "2026-11-23 13:59:00"), (WELL, "2026-11-23 13:50:00")], ViewState.BLOCKED, 600),
        ([(WELL, "2026-11-23 13:59:00"), (BAD, "2026-11-23 13:58:00")], ViewState.GOOD, 60),
    ],
)
def test_what_counts_is_the_last_refresh_that_did_not_fail(
    refreshes: list[tuple[str | None, Any]], state: ViewState, age_s: float | None
) -> None:
    found = status(*refreshes)
    assert (found.state(NOW), found.age_s(NOW)) == (state, age_s)
    document = found.as_document(NOW)
    assert (document["state"], document["age_s"]) == (state.value, age_s)
    assert bool(document["why"]) == bool(document["next_step"]) == (state is not ViewState.GOOD)


def test_a_view_that_is_not_there_is_missing_however_it_was_refreshed() -> None:
    found = status((WELL, "2026-11-23 13:59:00"), is_there=False)
    assert (found.state(NOW), found.next_step(NOW)) == (ViewState.MISSING, "firnline redshift apply ENV")


def test_the_lines_fit_a_terminal_and_hold_nothing_that_moves_it() -> None:
    late = status((WELL, "2026-11-01 13:59:00"))
    blocked = replace(late, outcome=BAD, blocked_by="not valid JSON\x1b[2J\n" + "x " * 90)
    lines = "\n".join(view_lines((late, blocked), NOW)).splitlines()
    assert any(line.startswith("public.orders is STALE: No refresh of the last 30 min ended well") for line in lines)
    assert any("firnline redshift rebuild ENV public.orders" in line for line in lines)
    assert "\x1b" not in "".join(lines)
    assert max(len(line) for line in lines if not line.startswith(("public.orders  ", "view of", "-"))) <= 100
