"""Marks of what the application reads under a stream's name, as the ledger keeps them (ledger/incarnation.py)."""

from dataclasses import dataclass

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.incident import Incident


@dataclass(frozen=True, slots=True)
class StreamMark:
    """A mark of what the application reads under a stream's name."""

    incarnation: str
    """The stream's name and creation time, as in the key of its rows."""
    start: str = ""
    """Where a person said that it begins; empty where its pipeline's initial position says so."""
    incidents: tuple[Incident, ...] = ()
    since_ms: int = 0
    """Service time since when what it holds is the application's: its first plan, before any shard has a row, or its creation,
    where a pattern's streams were looked for before that."""
    is_paused: bool = False
    """A person wants the stream left alone: no plan has its shards until it is resumed."""

    @property
    def begins_at_the_horizon(self) -> bool:
        return self.start == TrimHorizon.text
