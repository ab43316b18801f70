"""Part 1, with transforms: what they add to the cost of a page, each list in turns with the same pages without any.

Records that no list of a pipeline touches cost what part 1 measures: there is no other path for them.
"""

from typing import Any

from bench.figure import Figure
from bench.page import Bodies, cost, our_lap

PART = "transforms"
UNTOUCHED = "none"
LISTS: dict[str, list[dict[str, Any]]] = {
    "hoist": [{"type": "hoist", "field": "RECORD"}],
    "exclude of what is not there": [{"type": "exclude", "fields": ["nothing"]}],
    "filter that keeps all": [{"type": "filter", "field": "nothing", "exists": True}],
    "exclude, rename, insert": [
        {"type": "exclude", "fields": ["currency"]},
        {"type": "rename", "fields": {"number": "id"}},
        {"type": "insert", "field": "source", "value": "web"},
    ],
    "flatten": [{"type": "flatten"}],
    "callable": [{"type": "callable", "callable": f"{__name__}:unchanged", "version": "1"}],
}


def unchanged(record: dict[str, Any]) -> dict[str, Any]:
    return record


def measure(*, runs: int, laps: int) -> list[Figure]:
    """The ratio of each run is of two laps that followed one another, so that a busy machine slows both."""
    bodies = Bodies()
    untouched = our_lap(bodies)
    untouched()
    figures = []
    for name, transforms in LISTS.items():
        lap = our_lap(bodies, transforms=transforms)
        lap()
        ratios = [cost(lap, laps, bodies) / cost(untouched, laps, bodies) for _ in range(runs)]
        figures.append(Figure(part=PART, name=f"{name}, against {UNTOUCHED}", unit="x", values=ratios))
    return figures
