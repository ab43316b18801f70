"""An engine that is started, and waits beside the one that holds the application until the deployer lets it take over.

Its row (`@application` / `@standby`) is how the two hear of each other, and decides nothing about who may write: the one that
was let in takes the application's name as any engine does (lease.py), once it is free, and its shards by their fence. One
row, because one deployer is at work at a time: the newest standby has it, and an earlier one that beats finds that out.
"""

from dataclasses import dataclass
from enum import StrEnum


class StandbyState(StrEnum):
    PREPARING = "preparing"
    READY = "ready"
    """Everything is up that can be before the first record is read."""
    TAKEN = "taken"
    """It has taken the application over."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Standby:
    """The row."""

    run_id: str
    """Under which it will hold the application."""
    holder: str
    """Host and process, for a person."""
    start: str
    """The token that it was started with."""
    configuration: str = ""
    version: str = ""
    state: StandbyState = StandbyState.PREPARING
    told: str = ""
    """Why it has ended, in words."""
    beat: int = 0
    is_admitted: bool = False
    """The deployer wants it to take over."""

    @property
    def is_coming(self) -> bool:
        """It takes the application as soon as that is free."""
        return self.is_admitted and self.state is StandbyState.READY
