"""The order of a run: each worker of xdist begins with its share of the long tests, so that no long one is alone at the end."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

LONG = ("chaos", "pulumi", "terraform", "foreign", "spark", "e2e")
"""Marks of tests that start engines and whole commands: seconds to minutes each, where the others take milliseconds."""

LONG_FILES = (
    "tests/infra/drift/test_environments.py",
    "tests/live/test_recorded.py",
)
"""Of tests without these marks, those of half a minute and more."""

T = TypeVar("T")


def long_first(
    items: Sequence[T], workers: int, is_long: Callable[[T], bool], shares: Callable[[T], Hashable | None]
) -> list[T]:
    """In the rows that xdist's `worksteal` hands out first: as long as one another, each with a share of the long ones ahead.

    A worker that is done takes over the end of another one's row, where the short ones are. Long tests that share
    something (`shares` names it; None where there is nothing) go to one worker: each other worker would make it anew, and where
    it is a whole environment or a run of the engine, that takes longer than the tests. Otherwise the order stays.
    """
    long, short = [item for item in items if is_long(item)], [item for item in items if not is_long(item)]
    heads: list[list[T]] = [[] for _ in range(workers)]
    for number, group in enumerate(_together(long, shares)):
        heads[number % workers] += group
    rows: list[T] = []
    for worker, head in enumerate(heads):
        size = (len(items) - len(rows)) // (workers - worker)
        rest = max(0, size - len(head))
        rows += head + short[:rest]
        short = short[rest:]
    return rows + short


def _together(items: Sequence[T], shares: Callable[[T], Hashable | None]) -> Iterable[list[T]]:
    """In the order of each group's first test."""
    groups: dict[Hashable, list[T]] = {}
    for number, item in enumerate(items):
        shared = shares(item)
        groups.setdefault((shared,) if shared is not None else number, []).append(item)
    return groups.values()
