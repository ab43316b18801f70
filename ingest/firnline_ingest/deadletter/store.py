"""Where dead letters are kept. The engine only puts; the command line lists and gets."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from firnline_ingest.deadletter.letter import DeadLetter, LetterKey


class DeadLetterStore(Protocol):
    """Safe to use from several threads, and from several engines."""

    def put(self, letters: Iterable[DeadLetter]) -> int:
        """Keeps letters; every one is durable when this returns. How many were not kept before.

        Idempotent: under a key that has a letter, nothing changes. Raises DeadLetterError: then some may be kept.
        """

    def list(self) -> Iterator[DeadLetter]:
        """All letters, by stream, shard and position. Raises DeadLetterError."""

    def get(self, key: LetterKey) -> DeadLetter:
        """Raises UnknownDeadLetter."""
