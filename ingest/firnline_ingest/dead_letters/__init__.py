"""Dead letters: where a record goes that can't be ingested, and how it is found again."""

from firnline_ingest.dead_letters.choice import REASONS, Choice, DeadLetterReader
from firnline_ingest.dead_letters.folder import LocalFolder
from firnline_ingest.dead_letters.letter import DeadLetter, DeadLetterKey, DeadLetterStore, FailedAt
from firnline_ingest.dead_letters.named_objects import NamedObjects
from firnline_ingest.dead_letters.store import check_place, open_objects, open_reader, open_store

__all__ = [
    "REASONS",
    "Choice",
    "DeadLetter",
    "DeadLetterKey",
    "DeadLetterReader",
    "DeadLetterStore",
    "FailedAt",
    "LocalFolder",
    "NamedObjects",
    "check_place",
    "open_objects",
    "open_reader",
    "open_store",
]
