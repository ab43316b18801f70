"""The audit's sums of one pipeline, and what a scene expected of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from firnline_ingest.terminal import text_table


class SceneFailed(Exception):
    """A scene is not as it must be; with what was said meanwhile."""

    def __init__(self, what: str, said: Iterable[str] = ()) -> None:
        super().__init__("\n  ".join([what, *said]))


@dataclass(frozen=True, kw_only=True)
class Sums:
    """records = rows + error_rows + dead_letters + skipped + not_ingested + missing - doubled, as the audit counts them."""

    records: int
    rows: int = 0
    error_rows: int = 0
    dead_letters: int = 0
    skipped: int = 0
    filtered: int = 0
    tombstones: int = 0
    control_messages: int = 0
    replayed: int = 0
    """Of the rows, those that were dead letters before."""
    missing: int = 0
    doubled: int = 0
    unexpected: int = 0
    changed: int = 0
    misrouted: int = 0

    @classmethod
    def of(cls, report: Mapping[str, Any]) -> Self:
        """Reads a pipeline in the audit's JSON."""
        return cls(**{each.name: report["totals"][each.name] for each in fields(cls)})

    @property
    def is_even(self) -> bool:
        """True if each record is in one place."""
        not_ingested = self.skipped + self.filtered + self.tombstones + self.control_messages
        there = self.rows + self.error_rows + self.dead_letters + not_ingested
        return self.records == there + self.missing - self.doubled


@dataclass(frozen=True)
class Line:
    """A line of a scene's result: one pipeline, at one moment."""

    what: str
    sums: Sums
    expected: Sums

    @property
    def problem(self) -> str:
        """Empty where all is as it was expected, and even."""
        found, expected = asdict(self.sums), asdict(self.expected)
        wrong = [f"{name} {found[name]}, not {expected[name]}" for name in found if found[name] != expected[name]]
        return ", ".join(wrong + ([] if self.sums.is_even else ["the sum is uneven"]))


def text(lines: Sequence[Line]) -> str:
    names = [each.name for each in fields(Sums)]
    rows = [[line.what, *(getattr(line.sums, name) for name in names), line.problem or "ok"] for line in lines]
    return text_table(["", *(name.replace("_", " ") for name in names), ""], rows)
