"""What a format does with the bytes of a record."""

from collections.abc import Iterator
from typing import Protocol


class Decoder(Protocol):
    """One shard's; not thread-safe."""

    def __call__(self, data: bytes) -> Iterator[bytes]:
        """The JSON objects that the record holds, checked to be rows, each on one line: at least one.

        A function of the bytes alone. Raises Unusable, at any of them, or Omitted: then the record is no row at all.
        """
