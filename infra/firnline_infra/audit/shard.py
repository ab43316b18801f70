"""Audits one shard: asks the table first, then reads the stream past everything that the table had."""

import heapq
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from firnline_infra.audit.claim import Claim
from firnline_infra.audit.comparison import ContentCheck, compare_shard, position_of
from firnline_infra.audit.content.column import Column
from firnline_infra.audit.findings import Kind, ShardFindings
from firnline_infra.audit.horizon import Horizon
from firnline_infra.audit.outcome import Outcome
from firnline_infra.audit.shard_reader import AuditReader

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


class ShardRows(Protocol):
    """The rows of a table, as an AuditedTable gives them."""

    def count_before(self, shard_id: str, *, first: str | None, kept_since: str) -> tuple[int, int]:
        """How many rows stand before `first` (None: in the shard), and how many of those are too young for that."""

    def rows(
        self, shard_id: str, *, first: str | None, columns: Sequence[Column] | None, on_stray: Callable[[str], None]
    ) -> Iterator[Outcome]:
        """A shard's rows from `first` on, in order, as they are when this is called."""


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Both sides of one pipeline."""

    client: "KinesisClient"
    stream: str
    listed: frozenset[str]
    """The shards that the stream has; others occur in rows only."""
    table: ShardRows
    elsewhere: Sequence[Mapping[str, Sequence[Outcome]]]
    """Error rows and dead letters, by shard."""
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
        horizon = self.horizon_at()
        findings = ShardFindings(shard_id)
        outcomes = heapq.merge(
            self._rows(findings, horizon, first=oldest.SequenceNumber if oldest else None),
            *(places.get(shard_id, ()) for places in self.elsewhere),
            key=position_of,
        )
        records = self.claim.records(reader.records()) if is_listed else ()
        compare_shard(findings, records, outcomes, horizon=horizon, check=self.check)
        return findings

    def _rows(self, findings: ShardFindings, horizon: Horizon, *, first: str | None) -> Iterator[Outcome]:
        """Years of rows from before the stream's horizon are counted in the warehouse, not fetched."""
        shard_id = findings.shard_id
        older, too_young = self.table.count_before(shard_id, first=first, kept_since=horizon.text)
        if too_young:
            first = None  # some of them are foreign, and the walk along all of them says which
        else:
            findings.counts.older += older
            if first is None:
                return iter(())

        def on_stray(position: str) -> None:
            findings.report(Kind.FOREIGN, position, "a row has it, and no record of any stream can")

        return self.table.rows(shard_id, first=first, columns=self.columns, on_stray=on_stray)
