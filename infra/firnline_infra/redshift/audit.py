"""Compares a stream with a view over it by position (shard and sequence number), for the records that arrived in a window.

The stream is read first, then the view is asked: Redshift reads a shard in its order, so a record that is older than the view's
newest row of that shard has to be in the view; a younger one may still come.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto
from typing import Any

from firnline_infra.accounts.aws import aws_call
from firnline_infra.blueprint.redshift.definitions import StreamViewDefinition
from firnline_infra.blueprint.redshift.sql import LONGEST_TEXT, literal, qualified
from firnline_infra.redshift.database import RedshiftDatabase
from firnline_ingest.errors import UsageError
from firnline_ingest.terminal import text_table

NEEDED = ("shard_id", "sequence_number", "approximate_arrival_timestamp")
NEWEST = "SELECT shard_id, max(lpad(sequence_number, 128, '0')) AS newest FROM {view} GROUP BY shard_id"
ROWS = "SELECT shard_id, sequence_number, count(*) AS times FROM {view}{window} GROUP BY shard_id, sequence_number"
MARGIN = timedelta(minutes=1)
READ_EVERY_S = 0.25
"""A shard gives five reads a second to all of its readers."""
AGGREGATE = b"\xf3\x89\x9a\xc2"
"""How an aggregate of the KPL begins."""
Position = tuple[str, int]
"""Shard and sequence number."""


class Fate(Enum):
    """Fate of a record under the view's definition."""

    KEPT = auto()
    SKIPPED = auto()
    AGGREGATE = auto()
    """Skipped as well: an aggregate is not JSON."""


@dataclass(frozen=True, kw_only=True)
class ViewAudit:
    view: str
    records: int
    """Records of the window that the stream has."""
    rows: int
    """Rows of the view that are of those records."""
    missing: Sequence[Position]
    """Not in the view, though younger records of their shard are; of a view with a condition, not counted as wrong."""
    twice: Sequence[Position]
    unknown: Sequence[Position]
    """Rows between records of the stream, of which the stream has none."""
    skipped: int
    aggregates: int
    """The KPL aggregates among the records that the view skips."""
    behind: int
    """Records that are younger than their shard's newest row."""
    has_condition: bool

    @property
    def wrong(self) -> dict[str, Sequence[Position]]:
        return {"missing": self.missing, "twice": self.twice, "unknown": self.unknown}

    @property
    def is_good(self) -> bool:
        return not (self.twice or self.unknown or (self.missing and not self.has_condition))


def audit_lines(found: Sequence[ViewAudit]) -> Iterator[str]:
    """A table of all, then what is wrong, the first of each."""
    columns = ("view", "records", "rows", "missing", "twice", "unknown", "skipped", "still to come")
    yield text_table(
        columns,
        [
            (each.view, each.records, each.rows, *map(len, each.wrong.values()), each.skipped, each.behind)
            for each in found
        ],
    )
    for each in found:
        if each.aggregates:
            yield f"{each.view} has skipped {each.aggregates:,} aggregates of the KPL, with the records in them."
        if each.missing and each.has_condition:
            yield f"{each.view} has a condition (where): it may be what keeps the missing ones out."
        for word, positions in each.wrong.items():
            if positions:
                shard, number = positions[0]
                yield f"{each.view}: the first of {len(positions):,} {word} is {number} of {shard}"


def audit_view(
    database: RedshiftDatabase,
    kinesis: Any,
    view: StreamViewDefinition,
    *,
    since: datetime | None,
    until: datetime | None,
    wait: Callable[[float], object] = time.sleep,
) -> ViewAudit:
    """Raises UsageError for a view that has no positions, RedshiftStatementFailed, AwsRefused."""
    if view.aggregates:
        raise UsageError(
            f"Rows of view {view.schema}.{view.name} are aggregates of records, and can't be compared with them.",
            next_step="audit another view of the stream, which has each record, and compute the aggregates over it.",
        )
    if missing := [each for each in NEEDED if each not in view.metadata]:
        raise UsageError(
            f"View {view.schema}.{view.name} has no {', '.join(missing)}: its rows can't be compared with records.",
            next_step="add it to the view's metadata, and rebuild the view.",
        )
    if (started := datetime.now(UTC)) < (until or started):
        raise UsageError("The window ends in the future.", next_step="leave --until out, or give an earlier time.")
    with aws_call("read the stream", f"stream {view.stream}"):
        records = dict(_records(kinesis, view, since, until or started, wait))
    newest = {row["shard_id"]: int(row["newest"]) for row in database.run(NEWEST.format(view=qualified(view)))}
    rows = database.run(ROWS.format(view=qualified(view), window=_window(since, until)))
    times = {(row["shard_id"], int(row["sequence_number"])): int(row["times"]) for row in rows}
    return compare(view, records, times, newest)


def compare(
    view: StreamViewDefinition,
    records: Mapping[Position, Fate],
    rows: Mapping[Position, int],
    newest: Mapping[str, int],
) -> ViewAudit:
    """Pure. `rows` says how often each position is in the view, `newest` the highest sequence number of each shard's rows."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for shard, number in records:
        first[shard], last[shard] = min(first.get(shard, number), number), max(last.get(shard, number), number)
    absent = [each for each, fate in records.items() if each not in rows and fate is Fate.KEPT]
    skipped = [fate for each, fate in records.items() if each not in rows and fate is not Fate.KEPT]
    missing = sorted(each for each in absent if each[1] <= newest.get(each[0], -1))
    return ViewAudit(
        view=f"{view.schema}.{view.name}",
        records=len(records),
        rows=sum(times for each, times in rows.items() if each in records),
        missing=missing,
        twice=sorted(each for each, times in rows.items() if times > 1),
        unknown=sorted(
            each
            for each in rows
            if each not in records and each[0] in first and first[each[0]] < each[1] < last[each[0]]
        ),
        skipped=len(skipped),
        aggregates=sum(fate is Fate.AGGREGATE for fate in skipped),
        behind=len(absent) - len(missing),
        has_condition=view.where is not None,
    )


def fate_of(view: StreamViewDefinition, data: bytes) -> Fate:
    """The fate that the view's definition gives a record: JSON is what RFC 8259 says."""
    if not view.skips_unreadable or (_is_json(data) and not (view.columns and len(data) >= LONGEST_TEXT)):
        return Fate.KEPT
    return Fate.AGGREGATE if data.startswith(AGGREGATE) else Fate.SKIPPED


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data.decode(), parse_constant=_no_json)
    except (ValueError, RecursionError):
        return False
    return True


def _no_json(word: str) -> None:
    raise ValueError(word)


def _records(
    kinesis: Any,
    view: StreamViewDefinition,
    since: datetime | None,
    until: datetime,
    wait: Callable[[float], object],
) -> Iterator[tuple[Position, Fate]]:
    start: dict[str, Any] = {"ShardIteratorType": "TRIM_HORIZON"}
    if since is not None:
        start = {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": since}
    of_stream, more = {"StreamName": view.stream}, kinesis.get_paginator("list_shards")
    for shard in (each for page in more.paginate(**of_stream) for each in page["Shards"]):
        place = {**of_stream, "ShardId": shard["ShardId"]}
        iterator = kinesis.get_shard_iterator(**place, **start)["ShardIterator"]
        while iterator:
            page = kinesis.get_records(ShardIterator=iterator)
            late = [each for each in page["Records"] if each["ApproximateArrivalTimestamp"] > until]
            for record in page["Records"][: len(page["Records"]) - len(late)]:
                yield (shard["ShardId"], int(record["SequenceNumber"])), fate_of(view, record["Data"])
            iterator = None if late or not page["MillisBehindLatest"] else page.get("NextShardIterator")
            wait(READ_EVERY_S)


def _window(since: datetime | None, until: datetime | None) -> str:
    """Wider than the stream's by a minute: which rows count, their positions say."""
    edges = [(">=", since - MARGIN if since else None), ("<=", until + MARGIN if until else None)]
    said = [
        f"approximate_arrival_timestamp {sign} {literal(f'{edge.astimezone(UTC):%Y-%m-%d %H:%M:%S}')}"
        for sign, edge in edges
        if edge is not None
    ]
    return f" WHERE {' AND '.join(said)}" if said else ""
