"""The source of a shard's pages: what polling (polling.py) and fan-out (fan_out.py) have in common.

A source holds an iterator or a subscription and no position: the reader (reader.py) knows what was read, says where to begin,
and judges what a page means.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.start import Start


@dataclass(frozen=True, slots=True)
class Page:
    """One answer, or one event of a subscription."""

    records: Sequence[Record]
    behind_ms: int | None
    """None where the service did not say."""
    goes_on: bool
    """False where the service names no place to go on from: the shard's end, or an answer that is none."""
    children: tuple[str, ...] = ()
    is_explicit: bool = True
    """True if that there is no place to go on from was said, and not just left out."""
    answered_ms: int | None = None
    """The service's time of the answer, or an earlier one; None where it did not say."""
    cbor_refusals: int = 0
    """How often a server has made nothing of a request in CBOR (kinesis/cbor.py)."""
    is_first: bool = False
    """It begins at the position that was asked for, whose record, if it was read before, has to come first."""


class PageSource(Protocol):
    """The pages of one shard; not thread-safe."""

    operation: str
    """What it is called in errors: GetRecords, SubscribeToShard."""
    calls: int
    """How many pages were asked for, or came."""

    @property
    def not_before_s(self) -> float:
        """Earliest time at which the service may be asked next, by the reader's clock."""

    def page(self, start: Start) -> Page | None:
        """The next one; None where there is none yet. Begins at `start` if it has to begin. Raises KinesisErrors."""

    def forget(self) -> None:
        """Begins at the position again with what comes next."""

    def close(self) -> None:
        """Gives back what it holds, without waiting."""
