"""An engine that is started, and waits beside the one that holds the application until the deployer lets it take over.

Its row (`@application` / `@standby`) is how the two hear of each other, and decides nothing about who may write: the one that
was let in takes the application's name as any engine does (lease.py), once it is free, and its shards by their fence. One
row, because one deployer is at work at a time: the newest standby has it, and an earlier one that beats finds that out.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

BY_HAND = "by hand"
"""The start of an engine that has no token."""
REMEMBERED = 10


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
    """The reason why it has ended, in words."""
    beat: int = 0
    displaced: tuple[str, ...] = ()
    """The starts, the newest last, whose standby gave way to another start's."""
    is_admitted: bool = False
    """The deployer wants it to take over."""

    def in_place_of(self, before: "Standby | None") -> "Standby | None":
        """Returns the row that takes the place of `before`; None where it has given way to a later start. What the deployer has
        said of a start is true of each attempt at it.

        A service starts a program again that was killed: without this memory an earlier deploy's would displace the later one's.
        """
        if before is None:
            return replace(self, displaced=())
        if before.start == self.start:
            return replace(self, displaced=before.displaced, is_admitted=before.is_admitted and self.start != BY_HAND)
        if self.start in before.displaced:
            return None
        known = [start for start in (*before.displaced, before.start) if start != BY_HAND]
        return replace(self, displaced=tuple(known[-REMEMBERED:]))

    @property
    def is_coming(self) -> bool:
        """The standby takes the application as soon as that is free."""
        return self.is_admitted and self.state is StandbyState.READY
