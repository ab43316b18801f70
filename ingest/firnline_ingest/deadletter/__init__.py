"""Where a record goes that can't be ingested, and how it is found again."""

from firnline_ingest.deadletter.choice import REASONS, Choice, LetterReader
from firnline_ingest.deadletter.folder import LocalFolder
from firnline_ingest.deadletter.letter import DeadLetter, DeadLetterStore, FailedAt, LetterKey
from firnline_ingest.deadletter.store import check_place, open_objects, open_reader, open_store

__all__ = [
    "REASONS",
    "Choice",
    "DeadLetter",
    "DeadLetterStore",
    "FailedAt",
    "LetterKey",
    "LetterReader",
    "LocalFolder",
    "check_place",
    "open_objects",
    "open_reader",
    "open_store",
]
