"""Whether the rows of each shard came in the order of the shard: from a log of commits, where a server keeps one.

A commit names its channel and the tokens of its first row and of its last accounted record. Rows keep their order inside
one append, so it is enough that no commit begins at or before the end of the one before it. Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.outcome import RecordPlace, position_text
from firnline_ingest.identifiers import CHANNEL_SEPARATOR, routed_channel
from firnline_ingest.values import ForeignToken, Position


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """An entry of the log, by the log's own names."""

    channel: str
    start_offset_token: str | None
    end_offset_token: str | None
    rows_inserted: int
    entry: int = 0
    """Counts the commits of a table without a gap."""


class CommitHistory(Protocol):
    """Tells the audit what a Snowflake has committed. A real account keeps no such log."""

    def __call__(self, *, database: str, schema: str, table: str) -> list[LoggedCommit] | None:
        """The commits that the log still has, in order; None where there is no log. Names are as the REST API writes them.

        Raises QueryFailed.
        """


NOT_LOGGED = "it can't be proven here, because Snowflake keeps no log of commits"


@dataclass
class Order:
    """How far it could be proven that rows were committed in order."""

    commits: int = 0
    """Commits that were compared."""
    rows: int = 0
    """Rows that they brought."""
    problems: list[str] = field(default_factory=list)
    """Why order is proven in part only, or not at all."""

    @classmethod
    def together(cls, by_table: Mapping[str, "Order"]) -> "Order":
        """Of several tables, by their names; what is not proven of all is said once."""
        if len(by_table) == 1:
            return next(iter(by_table.values()))
        told = (
            problem if problem == NOT_LOGGED else f"{table}: {problem}"
            for table, order in by_table.items()
            for problem in order.problems
        )
        return cls(
            sum(order.commits for order in by_table.values()),
            sum(order.rows for order in by_table.values()),
            list(dict.fromkeys(told)),
        )

    @property
    def is_proven(self) -> bool:
        """Whether all of it could be compared; commits that went back are findings of their shards."""
        return not self.problems


def check_order(
    commits: Sequence[LoggedCommit] | None,
    *,
    stream: str,
    created_ms: int,
    shards: Mapping[str, ShardFindings],
    route: str = "",
    mark: str = "",
) -> Order:
    """`commits` of one table in their order, None where there is no log. Reports MISPLACED in the findings of a shard. Of a
    pipeline with several tables, `route` is the table's stored name, empty for the pipeline's own, and `mark` what its rows say.
    """
    if commits is None:
        return Order(problems=[NOT_LOGGED])
    order = Order()
    if commits and commits[0].entry:
        order.problems.append(f"the log has forgotten the first {commits[0].entry} commits; the others were compared")
    ends: dict[str, Position] = {}
    strange = set[str]()
    by_name = {shard_id.upper(): findings for shard_id, findings in shards.items()}
    for commit in commits:
        findings = by_name.get(_shard_named_by(commit.channel, stream, created_ms, route))
        if findings is None:
            continue
        try:
            start, end = _positions(commit)
        except ForeignToken:
            strange.add(commit.channel)
            continue
        order.commits += 1
        order.rows += commit.rows_inserted
        before = ends.get(findings.shard_id)
        if start is not None and before is not None and start <= before:
            _report(findings, start, f"was committed after {_text(before)}, which it precedes")
        elif start is not None and end < start:
            _report(findings, start, f"was committed up to {_text(end)}, which precedes it")
        ends[findings.shard_id] = end
    counted = sum(_rows_in(findings, mark) for findings in shards.values())
    counted += 0 if route else sum(findings.counts.repaired_rows for findings in shards.values())
    replayed = sum(commit.rows_inserted for commit in commits if _is_replay(commit.channel, stream, created_ms))
    if (unlogged := counted - replayed - order.rows) > 0:
        order.problems.append(f"{unlogged:,} rows came through no logged commit")
    order.problems += [f"channel {channel} has tokens of another program" for channel in sorted(strange)]
    return order


def _rows_in(findings: ShardFindings, mark: str) -> int:
    return findings.by_table[mark, RecordPlace.TABLE] if mark else findings.counts.rows


def _shard_named_by(channel: str, stream: str, created_ms: int, route: str = "") -> str:
    """The shard, in upper case, that an engine of any application named its channel for; empty for other channels."""
    parts = channel.upper().split(CHANNEL_SEPARATOR)
    if route and channel.upper() == routed_channel(CHANNEL_SEPARATOR.join(parts[:4]), route).upper():
        parts = parts[:4]
    elif route:
        return ""
    return parts[3] if len(parts) == 4 and parts[1:3] == [stream.upper(), str(created_ms)] else ""


def _is_replay(channel: str, stream: str, created_ms: int) -> bool:
    """Whether dead letters came back through it: later than what followed them in their shard, as they should."""
    *engines, last = channel.upper().split(CHANNEL_SEPARATOR)
    return last == "REPLAY" and bool(_shard_named_by(CHANNEL_SEPARATOR.join(engines), stream, created_ms))


def _positions(commit: LoggedCommit) -> tuple[Position | None, Position]:
    """Of its first and of its last record; an append may lack the first."""
    start = Position.from_token(commit.start_offset_token) if commit.start_offset_token else None
    return start, Position.from_token(commit.end_offset_token or "")


def _report(findings: ShardFindings, position: Position, detail: str) -> None:
    findings.report(ProblemKind.MISPLACED, _text(position), detail)


def _text(position: Position) -> str:
    return position_text(position.sequence_number, position.sub_sequence_number)
