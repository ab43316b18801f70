"""Named objects of a folder that holds the journals of replays, on this machine or in a bucket; made once and never changed."""

from collections.abc import Iterator
from typing import Protocol


class NamedObjects(Protocol):
    """The folder, on this machine or in a bucket, that holds a journal."""

    def create(self, name: str, content: bytes) -> bool:
        """Returns whether there was none of this name; durable when this returns. Raises DeadLetterError."""

    def read(self, name: str) -> bytes:
        """Raises DeadLetterError."""

    def names(self, folder: str) -> Iterator[str]:
        """The names of all objects in this folder, in order. Raises DeadLetterError."""
