"""Audits shards: each one asks the table first, then reads the stream past everything that the table had.

Years of rows from before the stream's oldest record are counted in the warehouse, and not fetched. Several shards are
audited at a time, each in a thread; where one fails, or somebody interrupts, the others end in a moment.
"""

import heapq
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, NamedTuple, Protocol

from firnline_infra.audit.comparison import ContentCheck, ReplayedInto, compare_shard, never, position_of
from firnline_infra.audit.conversion import Decoded, IsNotIngested
from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.left_out import LeftOutCheck, with_believed
from firnline_infra.audit.outcome import AuditOutcome
from firnline_infra.audit.shard_scan import ShardScan
from firnline_infra.audit.window import AuditWindow, RetentionCutoff
from firnline_ingest.kinesis.page import Record

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


OnInvalidPosition = Callable[[str], None]
TakenApart = Callable[[str, Iterable[Record]], Iterable[Record]]
OutcomesByShard = Mapping[str, Sequence[AuditOutcome]]
SHARDS_AT_ONCE = 8
Sleep = Callable[[float], None]


class RowCounts(NamedTuple):
    """The number of rows of a shard in the table."""

    older: int
    """Before the shard's first record."""
    young: int
    """The older rows that arrived so late that the stream should still have their record."""
    others: int


class ShardRows(Protocol):
    """The rows of a pipeline's tables, as AuditedTables gives them."""

    def count_rows(self, shard_id: str, *, first: str | None, kept_since_ms: int) -> RowCounts:
        """`first`: the number of the shard's first record; None if it has none, so that all rows are older."""

    def rows(
        self,
        shard_id: str,
        *,
        first: str | None,
        expected: int,
        with_contents: bool,
        on_invalid_position: OnInvalidPosition,
    ) -> Iterator[AuditOutcome]:
        """A shard's rows from `first` on, in order, without those that are appended after this call.

        `expected`: how many there are. `on_invalid_position` is called with each position that is not a number.
        """


@dataclass(frozen=True, kw_only=True)
class PipelineSources:
    """The two sides of one pipeline: what the stream and the table are asked with."""

    client: "KinesisClient"
    stream: str
    listed: frozenset[str]
    """The shards that the stream has; rows may name others."""
    table: ShardRows
    elsewhere: Sequence[OutcomesByShard]
    """Error rows and dead letters."""
    window: AuditWindow
    cutoff_at: Callable[[], RetentionCutoff]
    """The cutoff at the moment of the call."""
    check: ContentCheck | None = None
    """Compares contents; None where they are not compared."""
    not_ingested: Callable[[str], IsNotIngested | None] = lambda _: None
    """Gives, by shard id, what tells which records are intentionally not ingested."""
    left_out: Callable[[str], LeftOutCheck] | None = None
    """Gives, by shard id, what records that are nowhere are held against; None where no query drops any."""
    decoded: Callable[[str], Decoded] = lambda _: lambda records: records
    """Gives, by shard id, what makes the rows of a record's format."""
    taken_apart: TakenApart = lambda _, records: records
    """The records of a shard by its id, aggregates as their user records."""
    replayed_into: Callable[[str], ReplayedInto] = lambda _: never
    """Gives, by shard id, which dead letters were replayed, as of the first question, and proven, as of this call."""
    sleep: Callable[[float], None] = time.sleep

    def audit(self, shard_id: str) -> ShardFindings:
        """Raises AuditError and the fatal errors of Kinesis."""
        replayed_into = self.replayed_into(shard_id)  # before the rows are read
        reader = ShardScan(self.client, self.stream, shard_id, sleep=self.sleep)
        is_listed = shard_id in self.listed
        oldest = reader.first() if is_listed else None
        first = oldest.SequenceNumber if oldest else None
        cutoff = self.cutoff_at()
        findings = ShardFindings(shard_id)
        counts = self.table.count_rows(shard_id, first=first, kept_since_ms=cutoff.kept_since_ms)
        if counts.young:
            first = None  # some of the older ones are unexpected, and the walk along all of them says which
        else:
            findings.counts.older += counts.older
        expected = counts.others + (counts.older if counts.young else 0)
        outcomes = heapq.merge(
            self._rows(findings, first, expected) if expected else (),
            *(places.get(shard_id, ()) for places in self.elsewhere),
            key=position_of,
        )
        taken_apart = self.taken_apart(shard_id, reader.records()) if is_listed else ()
        records = self.decoded(shard_id)(self.window.records(taken_apart, shard_id))
        left_out = self.left_out(shard_id) if self.left_out is not None else None
        not_ingested = with_believed(self.not_ingested(shard_id), left_out)
        compare_shard(
            findings,
            records,
            outcomes,
            cutoff=cutoff,
            check=self.check,
            not_ingested=not_ingested,
            replayed_into=replayed_into,
            left_out=left_out,
        )
        return findings

    def _rows(self, findings: ShardFindings, first: str | None, expected: int) -> Iterator[AuditOutcome]:
        def on_invalid_position(position: str) -> None:
            findings.report(ProblemKind.UNEXPECTED, position, "a row has it, and no record of any stream can")

        return self.table.rows(
            findings.shard_id,
            first=first,
            expected=expected,
            with_contents=self.check is not None,
            on_invalid_position=on_invalid_position,
        )


class Stopped(Exception):
    """The audit of this shard was given up, because that of another one failed or somebody interrupted."""


def audit_shards(
    shard_ids: Iterable[str],
    audit: Callable[[str, Sleep], ShardFindings],
    *,
    on_shard: Callable[[ShardFindings], None],
) -> list[ShardFindings]:
    """The findings of each shard, sorted by shard id. `audit` has to sleep with what it is given; `on_shard` is called in
    this thread, as shards are done.
    """
    stop = Event()

    def sleep(seconds: float) -> None:
        if stop.wait(seconds):
            raise Stopped

    found: list[ShardFindings] = []
    with ThreadPoolExecutor(SHARDS_AT_ONCE, thread_name_prefix="audit") as pool:
        futures = [pool.submit(audit, shard_id, sleep) for shard_id in sorted(shard_ids)]
        try:
            for future in as_completed(futures):
                found.append(future.result())
                on_shard(found[-1])
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return sorted(found, key=lambda findings: findings.shard_id)
