"""Where a record goes that can't be ingested, and how it is found again."""

from firnline_ingest.deadletter.folder import LocalFolder
from firnline_ingest.deadletter.letter import DeadLetter, DeadLetterStore, FailedAt, LetterKey
from firnline_ingest.deadletter.store import check_place, open_store

__all__ = ["DeadLetter", "DeadLetterStore", "FailedAt", "LetterKey", "LocalFolder", "check_place", "open_store"]
