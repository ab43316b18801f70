"""The report of an audit, as values and as JSON, and the exit status that a program reads."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from firnline_infra.audit.findings import NEXT_STEPS, AuditProblem, Counts, ProblemKind, ShardFindings
from firnline_infra.audit.latest import LatestReport
from firnline_infra.audit.outcome import RecordPlace
from firnline_infra.audit.rejections import Rejections
from firnline_infra.audit.window import AuditWindow, arrival_text

PROVEN, REFUTED, UNPROVEN = 0, 3, 4


@dataclass(frozen=True, kw_only=True)
class PipelineReport:
    """One stream and its tables."""

    stream: str
    tables: Sequence[str]
    """The pipeline's own first, then those that its routes lead to."""
    window: AuditWindow
    compares_contents: bool
    shards: Sequence[ShardFindings]
    """By shard id: those of the stream, those that only rows or dead letters name, and `(none)` for rows without one."""
    looks_at_counters: bool = False
    """True if it was asked how many rows were rejected and not kept."""
    remarks: Sequence[str] = ()
    unprovable: str = ""
    """The part that no audit of the pipeline can prove; empty where there is nothing such."""
    totals: Counts = field(default_factory=Counts, init=False)

    def __post_init__(self) -> None:
        for findings in self.shards:
            self.totals.add(findings.counts)

    @property
    def table(self) -> str:
        return ", ".join(self.tables)

    @property
    def by_table(self) -> dict[str, dict[str, int]]:
        """Rows and error rows that have a record, of each table; together they are those of the totals."""
        if len(self.tables) == 1:
            return {self.table: {"rows": self.totals.rows, "error_rows": self.totals.error_rows}}
        found = sum((findings.by_table for findings in self.shards), Counter[tuple[str, RecordPlace]]())
        return {
            table: {"rows": found[table, RecordPlace.TABLE], "error_rows": found[table, RecordPlace.ERROR_TABLE]}
            for table in self.tables
        }

    @property
    def is_proven(self) -> bool:
        return not self.found and not self._is_unprovable

    @property
    def is_refuted(self) -> bool:
        """True if anything is wrong; what is neither proven nor refuted can't be told."""
        return bool(set(self.found) - {ProblemKind.UNPROVEN})

    @property
    def _is_unprovable(self) -> bool:
        return bool(self.unprovable) and bool(self.totals.rows)

    @property
    def found(self) -> dict[ProblemKind, int]:
        """The number of problems of each kind; empty if there are none."""
        return {kind: count for kind in ProblemKind if (count := getattr(self.totals, kind))}

    @property
    def rejections(self) -> Rejections:
        """Returns why the table rejected rows, and which records they are of."""
        return Rejections.together(findings.rejections for findings in self.shards)

    def problems(self, kind: ProblemKind) -> list[AuditProblem]:
        """The first few of every shard."""
        return [problem for findings in self.shards for problem in findings.problems if problem.kind is kind]

    def as_document(self) -> dict[str, Any]:
        since_ms = self.window.since_ms
        return {
            "stream": self.stream,
            "table": self.table,
            "tables": [{"table": table, **counts} for table, counts in self.by_table.items()],
            "proven": self.is_proven,
            "refuted": self.is_refuted,
            "unprovable": self.unprovable,
            "since": None if since_ms is None else arrival_text(since_ms),
            "until": arrival_text(self.window.until_ms),
            "contents_compared": self.compares_contents,
            "counters_looked_at": self.looks_at_counters,
            "remarks": list(self.remarks),
            "totals": asdict(self.totals),
            "shards": [
                {
                    "shard": findings.shard_id,
                    **asdict(findings.counts),
                    "problems": [
                        {"kind": each.kind, "position": each.position, "detail": each.detail}
                        for each in findings.problems
                    ],
                }
                for findings in self.shards
            ],
            "rejections": self.rejections.as_document(),
            "next_steps": {kind: NEXT_STEPS[kind] for kind in self.found},
        }


@dataclass(frozen=True)
class AuditReport:
    """The outcome of an audit: a report for each pipeline, and for each table of latest rows."""

    pipelines: Sequence[PipelineReport]
    latest: Sequence[LatestReport] = ()

    @property
    def is_proven(self) -> bool:
        return all(each.is_proven for each in self.pipelines) and all(each.is_proven for each in self.latest)

    @property
    def exit_status(self) -> int:
        if self.is_proven:
            return PROVEN
        is_refuted = any(each.is_refuted for each in self.pipelines) or not all(each.is_proven for each in self.latest)
        return REFUTED if is_refuted else UNPROVEN

    def as_document(self) -> dict[str, Any]:
        documents = [pipeline.as_document() for pipeline in self.pipelines]
        latest = [each.as_document() for each in self.latest]
        return {"proven": self.is_proven, "pipelines": documents, "latest": latest}
