"""Findings in one shard: how much of everything, the first few of each problem, and what to do about each kind.

records = rows - multiplied + error_rows + dead_letters + not ingested - doubled + missing, whatever was found among the records
that the claim is about; not ingested = skipped + filtered + tombstones + control_messages. What lies outside the claim (older,
later, before_start) is counted and is not a problem.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

from firnline_infra.audit.outcome import AuditOutcome, RecordPlace
from firnline_infra.audit.rejections import Rejection, Rejections
from firnline_ingest.records.rejection import LeftOut

SHOWN = 5  # of each problem in each shard: enough to look one up, whatever went wrong

SKIPPED = "skipped"
NOT_INGESTED = (SKIPPED, *LeftOut)
"""Why a record is intentionally not ingested, by the names of what counts it."""


class ProblemKind(StrEnum):
    """A problem; any of them refutes the claim, but for what is unproven: that keeps it from being proven."""

    MISSING = "missing"
    DOUBLED = "doubled"
    UNEXPECTED = "unexpected"
    CHANGED = "changed"
    MISROUTED = "misrouted"
    NOT_STORED = "not_stored"
    UNPROVEN = "unproven"

    @property
    def text(self) -> str:
        return self.replace("_", " ")


@dataclass(frozen=True, slots=True)
class AuditProblem:
    kind: ProblemKind
    shard_id: str
    position: str
    """The sequence number, with the sub-sequence number behind a dot where it is not 0; empty where there is none."""
    detail: str


@dataclass(slots=True)
class Counts:
    """The counts of one shard, or of all shards together."""

    records: int = 0
    """Records of the stream that the claim is about."""
    rows: int = 0
    error_rows: int = 0
    dead_letters: int = 0
    skipped: int = 0
    """Records that can't be rows, and are nowhere because the pipeline skips them or has its dead letters on a stream."""
    filtered: int = 0
    """Records that a transform leaves out."""
    tombstones: int = 0
    """Records without content, in a pipeline that ignores them."""
    control_messages: int = 0
    """Records by which CloudWatch Logs only tests the way."""
    missing: int = 0
    """Records that are in no table and no dead letter."""
    missing_at_the_end: int = 0
    """Those of them after which the shard has nothing that is anywhere: an engine that is behind looks like this."""
    doubled: int = 0
    """Copies beyond the first, in one place or in several."""
    unexpected: int = 0
    """Rows, error rows and dead letters without a record, though the stream would still have it."""
    changed: int = 0
    """Values that are not what their record says. Counted only where contents are compared."""
    replayed: int = 0
    """Records among the rows and error rows whose dead letter was replayed: it counts no more."""
    multiplied: int = 0
    """Rows beyond the first of their records, of a pipe that makes several."""
    repaired_rows: int = 0
    """Rows of these that the record's own bytes would not have become."""
    misrouted: int = 0
    """Rows in another table than their record goes to; and good records among the dead letters."""
    not_stored: int = 0
    """Rows that Snowflake counted as rejected, and that its error table has not. Counted only where counters are looked at."""
    unproven: int = 0
    """The skipped ones that a pipeline's query or pipe may have dropped, while nothing shows that it did."""
    older: int = 0
    """Rows, error rows and dead letters of records that have left the stream: not checkable."""
    later: int = 0
    """Rows, error rows and dead letters of records that arrived after the audit's end."""
    before_start: int = 0
    """Records from before the pipeline's beginning that are nowhere, as they should be."""
    unchecked_values: int = 0
    """Values in types or notations that the audit can't compare."""
    values_without_column: int = 0
    """Values that have no column in a table that doesn't evolve; Snowflake drops them by design."""
    values_before_column: int = 0
    """Values of records from before their column was seen first, in rows without a value in it."""

    def add(self, other: "Counts") -> None:
        for each in fields(Counts):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def not_ingested(self) -> int:
        """Records that are intentionally not ingested."""
        return sum(getattr(self, name) for name in NOT_INGESTED)

    @property
    def problems(self) -> int:
        return sum(getattr(self, kind) for kind in ProblemKind)


@dataclass
class ShardFindings:
    shard_id: str
    counts: Counts = field(default_factory=Counts)
    problems: list[AuditProblem] = field(default_factory=list)
    by_table: Counter[tuple[str, RecordPlace]] = field(default_factory=Counter)
    """How many rows and error rows have a record, by what they say of their table."""
    filled: set[tuple[str, str]] = field(default_factory=set)
    """Columns in which a row so far has a value that is not their default, by what rows say of their table, and by name."""
    defaults: dict[tuple[str, str], object] = field(default_factory=dict)
    """What rows from before their column have in it, where its default is an expression: one value for all of them."""
    rejections: Rejections = field(default_factory=Rejections)
    """The reason why the error rows that have a record were rejected."""

    def place(self, outcome: AuditOutcome) -> None:
        """Counts a row, an error row or a dead letter that has a record."""
        self.by_table[outcome.table, outcome.place] += 1
        match outcome.place:
            case RecordPlace.TABLE:
                self.counts.rows += 1
            case RecordPlace.ERROR_TABLE:
                self.counts.error_rows += 1
            case RecordPlace.DEAD_LETTERS:
                self.counts.dead_letters += 1

    def rejected(self, outcome: AuditOutcome) -> None:
        """Says of an error row that has a record why it was rejected."""
        if isinstance(outcome.content, Rejection):
            self.rejections.add(outcome.content, self.shard_id, outcome.position)

    def count_not_ingested(self, why: str) -> None:
        """Counts a record that is intentionally not ingested; `why` is one of NOT_INGESTED."""
        setattr(self.counts, why, getattr(self.counts, why) + 1)

    def report(self, kind: ProblemKind, position: str, detail: str, *, times: int = 1) -> None:
        before = getattr(self.counts, kind)
        setattr(self.counts, kind, before + times)
        if sum(problem.kind is kind for problem in self.problems) < SHOWN:
            self.problems.append(AuditProblem(kind, self.shard_id, position, detail))


NEXT_STEPS: Mapping[ProblemKind, str] = {
    ProblemKind.NOT_STORED: "rows were rejected, and are in no table: ERROR_LOGGING was off for a while (which also empties the "
    "error table), or somebody emptied it (the query history tells: ALTER TABLE … ERROR_LOGGING, TRUNCATE ERROR_TABLE). Records "
    "that are still in the stream are reported as missing, by their places; those that left it are gone, unless the producer has "
    "them. Keep error logging on: firnline drift tells when it is off.",
    ProblemKind.MISSING: "if the engine is behind (what is missing stands at its shards' ends), let it finish: "
    "firnline run --config engine.json --available-now; or audit up to a moment that it is past: --until. If records stay "
    "missing, were rows deleted, the error table emptied, or the dead letters moved? "
    "Or were they rejected while the table kept no rejected rows: "
    "--counters tells. While the stream still has the records, an engine with "
    "another application name and another table reads them again.",
    ProblemKind.DOUBLED: "stop whatever else writes to the table (SHOW CHANNELS, the query history: a second engine, an "
    "INSERT, a repaired row whose original is still in the error table). Every copy bears the position: keep one, delete the "
    "others.",
    ProblemKind.UNEXPECTED: "rows that no record of the stream stands behind: look at them by their position, find out who wrote "
    "them (query history), and delete them. A stream that this table may also hold is named with --also-holds.",
    ProblemKind.CHANGED: "compare the row with its record. An UPDATE shows in the query history; a column that can't hold the "
    "value (a fraction in NUMBER(38,0), a long integer in FLOAT) needs a wider type: new column, or VARIANT.",
    ProblemKind.UNPROVEN: "these records may be lost, or may rightly be nowhere: audit from a moment on that the problem names "
    "(--since), if it names one; or look yourself which of them the table has to have. No record that is proven is among them.",
    ProblemKind.MISROUTED: "a good record among the dead letters: firnline dead-letters show KEY tells why it went there. A row "
    "in another table than its record goes to: the query history of that table tells who wrote it; insert it into the right "
    "table and delete it there. If the routes were changed, audit from that moment on: --since.",
}
"""What to do about each kind of problem. The report says it once, under the positions that it is about."""
