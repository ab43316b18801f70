"""Status of views: when each was refreshed last and how that ended, how far it has read, and what blocks it."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from firnline_infra.blueprint.redshift.definitions import StreamViewDefinition
from firnline_infra.blueprint.redshift.sql import literal
from firnline_infra.redshift.database import RedshiftDatabase, Row
from firnline_ingest.terminal import folded, in_a_line, text_table

REFRESHED = (
    "SELECT schema_name, mv_name, refresh_type, status, start_time FROM sys_mv_refresh_history "
    "WHERE database_name = {database} ORDER BY start_time DESC LIMIT 1000"
)
SCANNED = (
    "SELECT external_schema_name, stream_name, mv_name, count(DISTINCT partition_id) AS shards, "
    "max(stream_record_time_max) AS newest, sum(scanned_rows) AS scanned, sum(skipped_rows) AS skipped "
    "FROM sys_stream_scan_states GROUP BY external_schema_name, stream_name, mv_name"
)
FAILURES = (
    "SELECT external_schema_name, stream_name, mv_name, partition_id, position, error_reason, record_time "
    "FROM sys_stream_scan_errors ORDER BY record_time DESC LIMIT 1000"
)
FAILED = "Refresh failed"
"""How a status begins that keeps a view where it is (Database Developer Guide, SVL_MV_REFRESH_STATUS)."""


class ViewState(StrEnum):
    GOOD = "good"
    STALE = "stale"
    BLOCKED = "blocked"
    MISSING = "missing"


@dataclass(frozen=True, kw_only=True)
class ViewStatus:
    name: str
    stream: str
    is_there: bool
    auto_refresh: bool
    refreshed: str
    """The time at which a refresh began last, UTC; empty where none did."""
    outcome: str
    """How it ended, in Redshift's words."""
    refreshed_well: str
    """The time at which the last refresh began that did not fail, UTC; empty where none of the last ones is."""
    stale_after_minutes: int
    newest: str
    """The time at which the newest record that it has was put, UTC."""
    scanned: int
    skipped: int
    blocked_by: str
    """The error that its last refresh failed with, and where; empty where none did."""

    @property
    def is_blocked(self) -> bool:
        return self.outcome.startswith(FAILED)

    @property
    def is_good(self) -> bool:
        """True if the view is as exit statuses want it; a stale one is."""
        return self.is_there and not self.is_blocked

    def age_s(self, now: datetime) -> float | None:
        """The seconds since the last refresh that did not fail; None if none is known."""
        with suppress(ValueError):
            return max(0.0, (now - datetime.fromisoformat(self.refreshed_well).replace(tzinfo=UTC)).total_seconds())
        return None

    def state(self, now: datetime) -> ViewState:
        if not self.is_there:
            return ViewState.MISSING
        if self.is_blocked:
            return ViewState.BLOCKED
        age_s = self.age_s(now)
        is_stale = age_s is None or age_s > 60 * self.stale_after_minutes
        return ViewState.STALE if is_stale else ViewState.GOOD

    def why(self, now: datetime) -> str:
        """Returns what is wrong; empty if nothing is."""
        match self.state(now):
            case ViewState.MISSING:
                return "It is not there."
            case ViewState.BLOCKED:
                return f"{in_a_line(self.blocked_by)}. It keeps what it has."
            case ViewState.STALE:
                age_s = self.age_s(now)
                last = "none is known" if age_s is None else f"the last one was {age_s / 60:,.0f} min ago"
                return f"No refresh of the last {self.stale_after_minutes:,} min ended well; {last}."
        return ""

    def next_step(self, now: datetime) -> str:
        match self.state(now):
            case ViewState.MISSING:
                return "firnline redshift apply ENV"
            case ViewState.BLOCKED:
                return (
                    "correct its definition, or say unreadable: skip; then, while the stream still has its records: "
                    f"firnline redshift rebuild ENV {self.name}"
                )
            case ViewState.STALE:
                return f"firnline redshift refresh ENV {self.name}"
        return ""

    def as_document(self, now: datetime) -> dict[str, Any]:
        state = {"state": self.state(now).value, "why": self.why(now), "next_step": self.next_step(now)}
        return {**asdict(self), "is_blocked": self.is_blocked, "age_s": self.age_s(now), **state}


def view_lines(found: Sequence[ViewStatus], now: datetime) -> Iterator[str]:
    """A table of all, then what is wrong and the next step."""
    rows = [
        (each.name, each.stream, each.refreshed or "never", each.newest, f"{each.scanned:,}", each.outcome)
        for each in found
    ]
    yield text_table(("view of Redshift", "stream", "refreshed, UTC", "newest record", "read", "outcome"), rows)
    for each in found:
        if (state := each.state(now)) is not ViewState.GOOD:
            yield folded(f"{each.name} is {state.upper()}: {each.why(now)}", indent="  ")
            yield folded(f"Next: {each.next_step(now)}", first="  ", indent="  ")


def statuses(database: RedshiftDatabase, there: set[tuple[str, str]]) -> list[ViewStatus]:
    """`there` are the views that exist. Raises RedshiftStatementFailed, AwsRefused."""
    refreshed = database.run(REFRESHED.format(database=literal(database.destination.database)))
    scanned, failures = database.run(SCANNED), database.run(FAILURES)
    return [
        _status(view, (view.schema, view.name) in there, refreshed, scanned, failures)
        for view in database.destination.views
    ]


def _status(
    view: StreamViewDefinition, is_there: bool, refreshed: list[Row], scanned: list[Row], failures: list[Row]
) -> ViewStatus:
    own = [each for each in refreshed if (each["schema_name"], each["mv_name"]) == (view.schema, view.name)]
    last = own[0] if own else {}
    well = next((each for each in own if not str(each["status"] or "").startswith(FAILED)), {})
    read: Row = next(_of(view, scanned), {})
    failure: Row = next(_of(view, failures), {})
    outcome = str(last.get("status") or "")
    return ViewStatus(
        name=f"{view.schema}.{view.name}",
        stream=view.stream,
        is_there=is_there,
        auto_refresh=view.auto_refresh,
        refreshed=_text(last.get("start_time")),
        outcome=outcome,
        refreshed_well=_text(well.get("start_time")),
        stale_after_minutes=view.stale_after_minutes,
        newest=_text(read.get("newest")),
        scanned=int(read.get("scanned") or 0),
        skipped=int(read.get("skipped") or 0),
        blocked_by=_failure(failure) if outcome.startswith(FAILED) else "",
    )


def _of(view: StreamViewDefinition, rows: list[Row]) -> Iterator[Row]:
    """A view's schema is in none of these views: its stream tells it from another of its name."""
    whose = (view.external_schema, view.stream, view.name)
    return (each for each in rows if (each["external_schema_name"], each["stream_name"], each["mv_name"]) == whose)


def _failure(row: Row) -> str:
    if not row:
        return "Redshift does not say why (SYS_STREAM_SCAN_ERRORS has nothing of it)"
    where = f" at {row['position']} of {row['partition_id']}" if row.get("position") else ""
    return f"{row['error_reason']}{where}"


def _text(value: Any) -> str:
    return "" if value is None else str(value)[:19]
