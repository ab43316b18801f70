"""Finds the records on which a pipeline's query raises an error; each is unusable, and the pipeline's `on_error` decides.

A task that fails takes the process of its shards along, so pages go through the driver meanwhile: one of each group at a time,
run by itself, and halved where that fails. What fails alone is told to its shard with Spark's words (docs/design/engine.md).
"""

import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from firnline_ingest.spark.errors import QueryRoundFailed

UNEXPLAINED = 3
"""Objects that fail alone, one behind the other, while none succeeds any more: then it is not the objects."""
ISOLATE_S = 20.0
"""For one round; what is known by then is handed out, and the rest comes with another one."""
MOST_PAGES = 8
"""That the driver holds at once, of up to 10 MB each."""
CLEAN_PAGES = 100
"""One behind the other without an error, before Spark gets whole rounds again."""
LONGEST_WITNESS = 100_000
LONGEST_WORDS = 300

Document = tuple[int, str]
"""An object and its position."""
RunQuery = Callable[[Sequence[Document]], Sequence[tuple[int, str]]]
"""Makes rows of objects, with their positions. Raises QueryRoundFailed."""


@dataclass(slots=True)
class PageVerdict:
    """Holds what is known of a page's objects up to a position."""

    through: int = -1
    rows: list[tuple[int, str]] = field(default_factory=list)
    raised: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class Isolation:
    """Isolates the objects of one stream, while its pages go through the driver."""

    run: RunQuery
    clock: Callable[[], float] = time.monotonic
    is_at_work: bool = False
    _clean: int = 0
    _turn: int = 0
    _witness: Document | None = None
    """An object of which the query made what it makes."""

    def begin(self) -> None:
        self.is_at_work, self._clean = True, 0

    def places(self, groups: int) -> list[int]:
        """Returns the groups whose pages come next, of so many."""
        return [(self._turn + number) % groups for number in range(min(groups, MOST_PAGES))]

    def pages(self, gathered: Sequence[Sequence[Document]]) -> dict[int, PageVerdict]:
        """Decides about the pages of a round by their groups, until its time is over. Raises QueryRoundFailed where it is not the
        objects."""
        ends_s, found = self.clock() + ISOLATE_S, dict[int, PageVerdict]()
        for place in self.places(len(gathered)):
            if found and self.clock() >= ends_s:
                break
            self._turn += 1
            if gathered[place]:
                found[place] = self._decide(gathered[place], ends_s)
        return found

    def _decide(self, documents: Sequence[Document], ends_s: float) -> PageVerdict:
        """Returns what becomes of the first of the objects, of one at least."""
        found, parts = PageVerdict(), [documents]
        good, unexplained = self._witness, list[QueryRoundFailed]()
        while parts and (found.through < 0 or self.clock() < ends_s):
            part = parts.pop()
            try:
                found.rows += self.run(part)
            except QueryRoundFailed as error:
                if error.was_cancelled:
                    raise
                if len(part) > 1:
                    parts += [part[len(part) // 2 :], part[: len(part) // 2]]
                    continue
                found.raised[part[0][0]] = error.words or error.cause
                unexplained.append(error)
                if len(unexplained) >= UNEXPLAINED:
                    self._refuse(unexplained, parts if good is None else [[good]])
            else:
                unexplained.clear()
                good = part[0]
                if len(good[1]) <= LONGEST_WITNESS:
                    self._witness = good
            found.through = part[-1][0]
        if good is not None:
            self._refuse(unexplained, [[good]])
        self._clean = 0 if found.raised else self._clean + 1
        self.is_at_work = self._clean < CLEAN_PAGES
        return found

    def _refuse(self, unexplained: list[QueryRoundFailed], others: Sequence[Sequence[Document]]) -> None:
        """Raises the last of the errors where the query fails with each of the others too; else none is left unexplained."""
        if unexplained and not any(map(self._succeeds, others)):
            raise unexplained[-1]
        unexplained.clear()

    def _succeeds(self, part: Sequence[Document]) -> bool:
        try:
            self.run(part)
        except QueryRoundFailed:
            return False
        return True


def raised_words(text: str) -> str:
    """Returns what was raised, of what Spark says of a job: the same for a record whenever it is read."""
    _, traceback, behind = text.rpartition("Traceback (most recent call last):")
    if traceback:
        lines = (line for line in behind.splitlines()[1:] if line.strip())
        found = next((line for line in lines if not line[0].isspace()), "")
    else:
        of_its_class = re.search(r"\[[A-Z][A-Z0-9_.]{3,}\] .*", text)
        found = of_its_class[0] if of_its_class else ""
    return found.strip()[:LONGEST_WORDS]


def decision(order: str, token: str, found: PageVerdict) -> str:
    """Returns what `decide_partition` is told."""
    of = json.loads(order)
    return json.dumps(
        {
            "run_id": of["run_id"],
            "content_hash": of["content_hash"],
            "token": token,
            "through": found.through,
            "rows": found.rows,
            "raised": list(found.raised.items()),
        }
    )
