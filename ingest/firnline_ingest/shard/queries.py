"""Pages of this process that wait for their pipeline's query, and the rounds in which Spark runs it over them.

A round takes every page of a stream that waits. Its answers count when the driver says that Spark's job has succeeded, and not
before: a stream of rows that was cut short looks to its reader like one that has ended (docs/design/engine.md).
"""

import itertools
import threading
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from firnline_ingest.config.format import SchemasOf
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.records.queried import QueriedRows, Raised
from firnline_ingest.records.rows import RowMaker
from firnline_ingest.values import ShardKey

PLACES = 24
"""Bits of a position that are the place of an object in its page; a page is bounded by its bytes (records/rows.py)."""
LOOK_EVERY_S = 0.5
FULL_BYTES = 200_000
"""A page that has as many is probably one of a backlog: another one follows as soon as its rows are there."""
Answers = Mapping[int, Sequence[bytes] | Raised]
"""The rows of objects by their positions, or what was raised; an object without rows is not in it."""
Look = Callable[[], None]
"""Called now and then while a page waits; what it raises ends the wait, and the page is read again."""


@dataclass(slots=True)
class WaitingPage:
    """Objects that one shard waits for the rows of."""

    number: int
    documents: Sequence[bytes]
    answered: threading.Event = field(default_factory=threading.Event)
    answers: Answers = field(default_factory=dict)
    through: int | None = None
    """The position of the last object that is answered; None for all of them."""

    @property
    def is_full(self) -> bool:
        return sum(map(len, self.documents)) >= FULL_BYTES

    def positions(self) -> Iterator[tuple[int, bytes]]:
        """Each object with its `_position`."""
        first = self.number << PLACES
        return ((first + place, document) for place, document in enumerate(self.documents))

    def rows(self) -> Sequence[Sequence[bytes] | Raised]:
        first, count = self.number << PLACES, len(self.documents)
        answered = count if self.through is None else min(count, self.through - first + 1)
        return [self.answers.get(first + place, ()) for place in range(answered)]


@dataclass(slots=True)
class Round:
    """One run of a query over the pages that waited when it began."""

    pages: Sequence[WaitingPage]
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    answers: Answers | None = None
    """None until all of them are here."""

    @property
    def full_pages(self) -> int:
        return sum(page.is_full for page in self.pages)

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
        self._expected: dict[str, int] = {}
        """Pages of a stream that probably come at once, because their shards have just been answered a full one."""

    def row_maker(
        self,
        pipeline: PipelineConfig,
        key: ShardKey,
        schemas: SchemasOf,
        *,
        typed_by: Callable[[PipelineConfig], Callable[[bytes], bytes]],
        look: Look,
        now_ms: Callable[[], int],
    ) -> RowMaker:
        """Returns what makes a shard's rows: by the pipeline's query, where it has one."""
        if pipeline.query is None:
            return RowMaker(pipeline, key.stream, key.shard_id, schemas, now_ms=now_ms)
        query = ShardQuery(key.stream, self, typed_by(pipeline), look)
        return QueriedRows(pipeline, key.stream, key.shard_id, schemas, query=query, now_ms=now_ms)

    def rows_of(self, stream: str, documents: Sequence[bytes], look: Look) -> Sequence[Sequence[bytes] | Raised]:
        """Returns the rows of the objects, or of the first of them, when a round has them. Raises what `look` raises before."""
        with self._lock:
            page = WaitingPage(next(self._numbers), documents)
            self._waiting.setdefault(stream, []).append(page)
            self._arrived.notify_all()
        try:
            while not page.answered.wait(LOOK_EVERY_S):
                look()
        finally:
            with self._lock:
                self._waiting[stream].remove(page)
        return page.rows()

    def begin(self, stream: str, wait_s: float, most_pages: int | None = None) -> Round:
        """Returns a round over the pages of the stream that wait; waits for the first one, and for those that probably come at
        once. It is the stream's only one from then on."""
        with self._lock:
            expected = max(1, self._expected.pop(stream, 0))
            self._arrived.wait_for(lambda: len(self._unanswered(stream)) >= expected, wait_s)
            self._rounds[stream] = Round(self._unanswered(stream)[:most_pages])
            return self._rounds[stream]

    def keep(self, of: Round, rows: Iterable[tuple[int, bytes]]) -> None:
        """Takes all that the query made in a round."""
        answers: dict[int, list[bytes]] = {}
        for position, row in rows:
            answers.setdefault(position, []).append(row)
        with self._lock:
            of.answers = answers

    def confirm(self, tokens: Collection[str]) -> None:
        """Hands out the answers of rounds whose jobs have succeeded. A token of another process is not one of this one's."""
        with self._lock:
            for stream, found in list(self._rounds.items()):
                if found.token in tokens and found.answers is not None:
                    del self._rounds[stream]
                    self._expected[stream] = found.full_pages
                    for page in found.pages:
                        page.answers = found.answers
                        page.answered.set()

    def decide(self, token: str, rows: Iterable[tuple[int, bytes]], raised: Mapping[int, str], through: int) -> None:
        """Hands out what is known of a round's objects up to a position. A token of another process is not one of this one's."""
        answers: dict[int, Sequence[bytes] | Raised] = {place: Raised(words) for place, words in raised.items()}
        for position, made in itertools.groupby(rows, key=lambda row: row[0]):
            answers[position] = [row for _, row in made]
        with self._lock:
            for stream, found in list(self._rounds.items()):
                if found.token == token:
                    del self._rounds[stream]
                    for page in found.pages:
                        page.answers, page.through = answers, through
                        page.answered.set()

    def _unanswered(self, stream: str) -> list[WaitingPage]:
        return [page for page in self._waiting.get(stream, ()) if not page.answered.is_set()]


@dataclass(frozen=True)
class ShardQuery:
    """The way of one shard's session to its pipeline's query (records/queried.py)."""

    stream: str
    pages: PageQueries
    typed: Callable[[bytes], bytes]
    look: Look

    def rows_of(self, documents: Sequence[bytes]) -> Sequence[Sequence[bytes] | Raised]:
        """Returns what the query makes of the first of them, of one at least. Raises what `look` raises."""
        return self.pages.rows_of(self.stream, documents, self.look)
