"""Pages of this process that wait for their pipeline's query, and the rounds in which Spark runs it over them.

A round takes every page of a stream that waits. Its answers count when the driver says that Spark's job has succeeded, and not
before: a stream of rows that was cut short looks to its reader like one that has ended (docs/design/engine.md).
"""

import itertools
import threading
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

PLACES = 24
"""Bits of a position that are the place of an object in its page; a page is bounded by its bytes (records/rows.py)."""
LOOK_EVERY_S = 0.5
Answers = Mapping[int, Sequence[bytes]]
"""The rows of objects by their positions; an object without rows is not in it."""
Wait = Callable[[], bool]
"""Returns whether to give up."""


class QueryGivenUp(Exception):
    """Raised for a page that nobody wants any more: it was not taken in, and is read again."""


@dataclass(slots=True)
class WaitingPage:
    """Objects that one shard waits for the rows of."""

    number: int
    documents: Sequence[bytes]
    answered: threading.Event = field(default_factory=threading.Event)
    answers: Answers = field(default_factory=dict)

    def positions(self) -> Iterator[tuple[int, bytes]]:
        """Each object with its `_position`."""
        first = self.number << PLACES
        return ((first + place, document) for place, document in enumerate(self.documents))

    def rows(self) -> Sequence[Sequence[bytes]]:
        first = self.number << PLACES
        return [self.answers.get(first + place, ()) for place in range(len(self.documents))]


@dataclass(slots=True)
class Round:
    """One run of a query over the pages that waited when it began."""

    pages: Sequence[WaitingPage]
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    answers: Answers | None = None
    """None until all of them are here."""

    def positions(self) -> Iterator[tuple[int, bytes]]:
        return itertools.chain.from_iterable(page.positions() for page in self.pages)


class PageQueries:
    """The pages of one process; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._numbers = itertools.count()
        self._waiting: dict[str, list[WaitingPage]] = {}
        self._rounds: dict[str, Round] = {}

    def rows_of(self, stream: str, documents: Sequence[bytes], is_over: Wait) -> Sequence[Sequence[bytes]]:
        """Returns the rows of each object when a round has made them. Raises QueryGivenUp where `is_over` says so before."""
        with self._lock:
            page = WaitingPage(next(self._numbers), documents)
            self._waiting.setdefault(stream, []).append(page)
            self._arrived.notify_all()
        try:
            while not page.answered.wait(LOOK_EVERY_S):
                if is_over():
                    raise QueryGivenUp
        finally:
            with self._lock:
                self._waiting[stream].remove(page)
        return page.rows()

    def begin(self, stream: str, wait_s: float) -> Round:
        """Returns a round over the pages of the stream that wait; waits for the first one. It is the stream's only one from then
        on."""
        with self._lock:
            self._arrived.wait_for(lambda: self._unanswered(stream), wait_s)
            self._rounds[stream] = Round(self._unanswered(stream))
            return self._rounds[stream]

    def keep(self, of: Round, rows: Iterable[tuple[int, bytes]]) -> None:
        """Takes all that the query made in a round."""
        answers: dict[int, list[bytes]] = {}
        for position, row in rows:
            answers.setdefault(position, []).append(row)
        with self._lock:
            of.answers = answers

    def confirm(self, tokens: Collection[str]) -> None:
        """Hands out the answers of rounds whose jobs have succeeded. A token of another process is none of this one's."""
        with self._lock:
            for stream, found in list(self._rounds.items()):
                if found.token in tokens and found.answers is not None:
                    del self._rounds[stream]
                    for page in found.pages:
                        page.answers = found.answers
                        page.answered.set()

    def _unanswered(self, stream: str) -> list[WaitingPage]:
        return [page for page in self._waiting.get(stream, ()) if not page.answered.is_set()]


@dataclass(frozen=True)
class ShardQuery:
    """The way of one shard's session to its pipeline's query (records/queried.py)."""

    stream: str
    pages: PageQueries
    typed: Callable[[bytes], bytes]
    is_over: Wait

    def rows_of(self, documents: Sequence[bytes]) -> Sequence[Sequence[bytes]]:
        """Raises QueryGivenUp where the shard is not wanted any more."""
        return self.pages.rows_of(self.stream, documents, self.is_over)
