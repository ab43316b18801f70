"""The order of a run: each worker of xdist begins with its share of the long tests, so that no long one is alone at the end."""

from collections.abc import Callable, Sequence
from typing import TypeVar

LONG = ("chaos", "pulumi", "terraform", "spark", "e2e")
"""Marks of tests that start engines and whole commands: seconds to minutes each, where the others take milliseconds."""

T = TypeVar("T")


def long_first(items: Sequence[T], workers: int, is_long: Callable[[T], bool]) -> list[T]:
    """In the rows that xdist's `worksteal` hands out first: as long as one another, each with a share of the long ones ahead.

    A worker that is done takes over the end of another one's row, where the short ones are. Otherwise the order stays:
    tests of one module share its fixtures.
    """
    long, short = [item for item in items if is_long(item)], [item for item in items if not is_long(item)]
    rows: list[T] = []
    for worker in range(workers):
        left = workers - worker
        size = (len(items) - len(rows)) // left
        head = long[worker::workers]
        rest = max(0, size - len(head))
        rows += head + short[:rest]
        short = short[rest:]
    return rows + short
