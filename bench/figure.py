"""A measured quantity: one value a run, the median of them, their spread, and the bar that it has to clear."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

TO_HUNDREDTHS = frozenset({"x", "CPU ms"})


class Direction(StrEnum):
    AT_MOST = "<="
    AT_LEAST = ">="


@dataclass(frozen=True)
class Bar:
    direction: Direction
    value: float

    def is_cleared_by(self, value: float) -> bool:
        return value <= self.value if self.direction is Direction.AT_MOST else value >= self.value

    def __str__(self) -> str:
        return f"{self.direction} {self.value:g}"


@dataclass(frozen=True, kw_only=True)
class Figure:
    part: str
    name: str
    unit: str
    values: Sequence[float]
    """One a run, in their order."""
    bar: Bar | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def rounded(self, value: float) -> Decimal:
        """Returns a value of it as people read it: a ratio, and what a single read costs, take a second decimal."""
        return Decimal(value).quantize(Decimal("0.01" if self.unit in TO_HUNDREDTHS else "0.1"))

    @property
    def is_met(self) -> bool | None:
        """None where there is no bar."""
        return self.bar.is_cleared_by(self.median) if self.bar else None

    def as_dict(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "name": self.name,
            "unit": self.unit,
            "median": self.median,
            "min": min(self.values),
            "max": max(self.values),
            "runs": list(self.values),
            "bar": str(self.bar) if self.bar else None,
            "is_met": self.is_met,
        }


def at_most(value: float) -> Bar:
    return Bar(Direction.AT_MOST, value)


def at_least(value: float) -> Bar:
    return Bar(Direction.AT_LEAST, value)


def percentile(values: Sequence[float], percent: float) -> float:
    """The least value that `percent` of them do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Returns the slope of the straight line through (x, y) points, by least squares."""
    return statistics.linear_regression(*zip(*points, strict=True)).slope
