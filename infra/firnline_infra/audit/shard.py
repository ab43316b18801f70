"""Audits one shard: asks the table first, then reads the stream past everything that the table had.

Years of rows from before the stream's oldest record are counted in the warehouse, and not fetched.
"""

import heapq
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from firnline_infra.audit.claim import Claim
from firnline_infra.audit.comparison import ContentCheck, compare_shard, position_of
from firnline_infra.audit.content.column import Column
from firnline_infra.audit.findings import Kind, ShardFindings
from firnline_infra.audit.horizon import Horizon
from firnline_infra.audit.outcome import Outcome
from firnline_infra.audit.shard_reader import AuditReader

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


OnStray = Callable[[str], None]
OutcomesByShard = Mapping[str, Sequence[Outcome]]


class RowCounts(NamedTuple):
    """How many rows of a shard stand where."""

    older: int
    """Before the first record."""
    young: int
    """Of these: that arrived too late to be there."""
    others: int


class ShardRows(Protocol):
    """The rows of a table, as an AuditedTable gives them."""

    def count_rows(self, shard_id: str, *, first: str | None, kept_since: str) -> RowCounts:
        """`first`: the number of the first record; None where there is none, and all rows are older."""

    def rows(
        self,
        shard_id: str,
        *,
        first: str | None,
        expected: int,
        columns: Sequence[Column] | None,
        on_stray: OnStray,
    ) -> Iterator[Outcome]:
        """A shard's rows from `first` on, in order, without what comes behind them after this is called.

        `expected` says how many there are; `on_stray` hears of positions that are none.
        """


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Both sides of one pipeline."""

    client: "KinesisClient"
    stream: str
    listed: frozenset[str]
    """The shards that the stream has; others occur in rows only."""
    table: ShardRows
    elsewhere: Sequence[OutcomesByShard]
    """Error rows and dead letters."""
    claim: Claim
    horizon_at: Callable[[], Horizon]
    """What the stream has certainly kept, now."""
    columns: Sequence[Column] | None = None
    check: ContentCheck | None = None
    """With `columns`, where contents are compared."""
    sleep: Callable[[float], None] = time.sleep

    def audit(self, shard_id: str) -> ShardFindings:
        """Raises AuditError and the fatal errors of Kinesis."""
        reader = AuditReader(self.client, self.stream, shard_id, sleep=self.sleep)
        is_listed = shard_id in self.listed
        oldest = reader.first() if is_listed else None
        first = oldest.SequenceNumber if oldest else None
        horizon = self.horizon_at()
        findings = ShardFindings(shard_id)
        counts = self.table.count_rows(shard_id, first=first, kept_since=horizon.text)
        if counts.young:
            first = None  # some of the older ones are foreign, and the walk along all of them says which
        else:
            findings.counts.older += counts.older
        expected = counts.others + (counts.older if counts.young else 0)
        outcomes = heapq.merge(
            self._rows(findings, first, expected) if expected else (),
            *(places.get(shard_id, ()) for places in self.elsewhere),
            key=position_of,
        )
        records = self.claim.records(reader.records()) if is_listed else ()
        compare_shard(findings, records, outcomes, horizon=horizon, check=self.check)
        return findings

    def _rows(self, findings: ShardFindings, first: str | None, expected: int) -> Iterator[Outcome]:
        def on_stray(position: str) -> None:
            findings.report(Kind.FOREIGN, position, "a row has it, and no record of any stream can")

        return self.table.rows(
            findings.shard_id, first=first, expected=expected, columns=self.columns, on_stray=on_stray
        )
