"""The numbered points of an epoch at which a process may die (docs/design/ledger.md, section 6).

The engine reports each one to an observer; the chaos suite's observer kills or freezes the process there.
"""

from collections.abc import Callable
from enum import StrEnum

from firnline_ingest.values import ShardKey


class EpochStep(StrEnum):
    TAKEN = "taken"
    OPENED = "opened"
    REREAD = "reread"
    RECONCILED = "reconciled"
    READ = "read"
    DEAD_LETTERED = "dead-lettered"
    APPENDED = "appended"
    COMMITTED = "committed"
    PROVEN = "proven"
    LEDGERED = "ledgered"
    RECEIPT = "receipt"


Observer = Callable[[EpochStep, ShardKey], None]


def unobserved(step: EpochStep, key: ShardKey) -> None:
    """The default: no watcher."""
