"""Steps of a rotation: the next one follows from the state alone, so that a rotation can be interrupted and resumed at any point.

A user has two places for public keys. The new key is registered in the free one; then the secret's current version
becomes the new key, so that the engine takes it up; when nobody uses the old key any more, its place is cleared.
"""

from dataclasses import dataclass
from enum import Enum, auto


class RotationStep(Enum):
    """The next step. The first five are done by the rotation, the last three by somebody else."""

    STAGE = auto()
    """Make a pair; its private half waits in the secret."""
    RECORD = auto()
    """Write the waiting key's public half into the free slot of the file."""
    PROMOTE = auto()
    """Make the waiting key the one that the engine reads."""
    RETIRE = auto()
    """Take the old key out of the file."""
    FORGET = auto()
    """Everything is as it should be; the old private half loses its stage."""

    REGISTER = auto()
    """`firnline up` has to register what the file says."""
    UNREGISTER = auto()
    """`firnline up` has to clear what the file no longer says."""
    TAKE_UP = auto()
    """The engine has to be seen with the new key."""


class ImpossibleState(ValueError):
    """The state is not one that a rotation leads through; the text says why."""


@dataclass(frozen=True, kw_only=True)
class RotationState:
    """The places of the user's keys, by fingerprint."""

    slots: tuple[str | None, str | None]
    """In the file."""
    current: str
    """In the secret: what the engine reads."""
    pending: str | None
    previous: str | None
    registered: frozenset[str]
    """With the user in Snowflake."""
    in_use: frozenset[str] | None
    """By those who log in as the user; None if nobody was seen."""

    @property
    def recorded(self) -> frozenset[str]:
        return frozenset(slot for slot in self.slots if slot)

    @property
    def new(self) -> str | None:
        """A key that waits to become the current one."""
        return self.pending if self.pending != self.current else None


def next_step(state: RotationState) -> RotationStep:
    """Raises ImpossibleState."""
    if state.current not in state.recorded:
        raise ImpossibleState(f"the secret's current key {state.current} is in no slot of the file")
    if state.new is not None:
        return _before_the_switch(state, state.new)
    if len(state.recorded) == 2:
        return _after_the_switch(state)
    if not state.recorded <= state.registered:
        return RotationStep.REGISTER
    if not state.registered <= state.recorded:
        return RotationStep.UNREGISTER
    return RotationStep.FORGET if state.previous else RotationStep.STAGE


def _before_the_switch(state: RotationState, new: str) -> RotationStep:
    if new not in state.recorded:
        if len(state.recorded) == 2:
            other = next(iter(state.recorded - {state.current}))
            raise ImpossibleState(f"both slots are taken, and {other} is not a key of the secret's")
        return RotationStep.RECORD
    return RotationStep.PROMOTE if state.recorded <= state.registered else RotationStep.REGISTER


def _after_the_switch(state: RotationState) -> RotationStep:
    if state.current not in state.registered:
        return RotationStep.REGISTER
    return RotationStep.RETIRE if state.in_use == frozenset({state.current}) else RotationStep.TAKE_UP
