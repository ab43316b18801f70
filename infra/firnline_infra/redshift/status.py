"""How views are doing: when each was refreshed last and how that ended, how far it has read, and what blocks it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from firnline_infra.blueprint.redshift.definitions import StreamViewDefinition
from firnline_infra.blueprint.redshift.sql import literal
from firnline_infra.redshift.database import RedshiftDatabase, Row
from firnline_ingest.terminal import in_a_line, text_table

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


@dataclass(frozen=True, kw_only=True)
class ViewStatus:
    name: str
    stream: str
    is_there: bool
    auto_refresh: bool
    refreshed: str
    """When a refresh began last, UTC; empty where none did."""
    outcome: str
    """How it ended, in Redshift's words."""
    newest: str
    """When the newest record that it has was put, UTC."""
    scanned: int
    skipped: int
    blocked_by: str
    """The error that its last refresh failed with, and where; empty where none did."""

    @property
    def is_blocked(self) -> bool:
        return self.outcome.startswith(FAILED)

    @property
    def is_good(self) -> bool:
        return self.is_there and not self.is_blocked


def view_lines(found: Sequence[ViewStatus]) -> Iterator[str]:
    """A table of all, then what is wrong and the next step."""
    rows = [
        (each.name, each.stream, each.refreshed or "never", each.newest, f"{each.scanned:,}", each.outcome)
        for each in found
    ]
    yield text_table(("view of Redshift", "stream", "refreshed, UTC", "newest record", "read", "outcome"), rows)
    for each in found:
        if not each.is_there:
            yield f"{each.name} is not there. Next: firnline redshift apply"
        if each.is_blocked:
            why = in_a_line(each.blocked_by)
            yield f"{each.name} is BLOCKED: {why}. It keeps what it has. Next: correct its definition, or"
            yield "  say unreadable: skip; then firnline redshift rebuild, while the stream still has its records."


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
    last = next((each for each in refreshed if (each["schema_name"], each["mv_name"]) == (view.schema, view.name)), {})
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
