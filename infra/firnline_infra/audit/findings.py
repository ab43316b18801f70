"""What was found in one shard: how much of everything, and the first few of each problem.

records = rows + error_rows + dead_letters + filtered - doubled + missing, whatever was found among the records that the
claim is about. What lies outside the claim (older, later, before_start) is counted and is no problem.
"""

from dataclasses import dataclass, field, fields
from enum import StrEnum

from firnline_infra.audit.outcome import Place

SHOWN = 5  # of each problem in each shard: enough to look one up, whatever went wrong


class Kind(StrEnum):
    """A problem; any of them refutes the claim."""

    MISSING = "missing"
    DOUBLED = "doubled"
    FOREIGN = "foreign"
    CHANGED = "changed"
    MISPLACED = "misplaced"


@dataclass(frozen=True, slots=True)
class Problem:
    kind: Kind
    shard_id: str
    position: str
    """The sequence number, with the sub-sequence number behind a dot where it is not 0; empty where there is none."""
    detail: str


@dataclass(slots=True)
class Counts:
    """Of one shard, or of all together."""

    records: int = 0
    """Of the stream, that the claim is about."""
    rows: int = 0
    error_rows: int = 0
    dead_letters: int = 0
    filtered: int = 0
    """Always 0: pipelines have no filters yet."""
    missing: int = 0
    """Records that are nowhere."""
    missing_at_the_end: int = 0
    """Those of them after which the shard has nothing that is anywhere: an engine that is behind looks like this."""
    doubled: int = 0
    """Copies beyond the first, in one place or in several."""
    foreign: int = 0
    """What bears no position of a record in the stream, though such a record would still be there."""
    changed: int = 0
    """Values that are not what their record says. Counted only where contents are compared."""
    misplaced: int = 0
    """Commits that went back in their shard; and good records among the dead letters."""
    older: int = 0
    """Rows, error rows and dead letters of records that have left the stream: not checkable."""
    later: int = 0
    """The same of records that arrived after the audit's end."""
    before_start: int = 0
    """Records from before the pipeline's beginning that are nowhere, as they should be."""
    unchecked_values: int = 0
    """Values in types or notations that the audit can't compare."""
    values_without_column: int = 0
    """Values that have no column in a table that doesn't evolve; Snowflake drops them by design."""

    def add(self, other: "Counts") -> None:
        for each in fields(Counts):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))

    @property
    def problems(self) -> int:
        return sum(getattr(self, kind) for kind in Kind)


@dataclass
class ShardFindings:
    shard_id: str
    counts: Counts = field(default_factory=Counts)
    problems: list[Problem] = field(default_factory=list)

    def place(self, place: Place) -> None:
        """Counts something that stands at a record's position."""
        match place:
            case Place.TABLE:
                self.counts.rows += 1
            case Place.ERROR_TABLE:
                self.counts.error_rows += 1
            case Place.DEAD_LETTERS:
                self.counts.dead_letters += 1

    def report(self, kind: Kind, position: str, detail: str, *, times: int = 1) -> None:
        before = getattr(self.counts, kind)
        setattr(self.counts, kind, before + times)
        if sum(problem.kind is kind for problem in self.problems) < SHOWN:
            self.problems.append(Problem(kind, self.shard_id, position, detail))
