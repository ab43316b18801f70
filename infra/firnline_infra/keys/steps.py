"""Which step of a rotation comes next, from the world alone: a rotation can be left and taken up at any point.

A user has two places for public keys. The new key is registered in the free one; then the secret's current version
becomes the new key, so that the engine takes it up; when nobody uses the old key any more, its place is cleared.
"""

from dataclasses import dataclass
from enum import Enum, auto


class Step(Enum):
    """What is to be done next. The upper four are done here, the lower ones wait for somebody else."""

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


class Impossible(ValueError):
    """The world is not one that a rotation leads through; the text says why."""


@dataclass(frozen=True, kw_only=True)
class World:
    """Keys by fingerprint."""

    slots: tuple[str | None, str | None]
    """In the file."""
    current: str
    """In the secret: what the engine reads."""
    pending: str | None
    previous: str | None
    registered: frozenset[str]
    """With the user in Snowflake."""
    in_use: frozenset[str] | None
    """By whoever logs in as the user; None where nobody was seen."""

    @property
    def recorded(self) -> frozenset[str]:
        return frozenset(slot for slot in self.slots if slot)

    @property
    def new(self) -> str | None:
        """A key that waits to become the current one."""
        return self.pending if self.pending != self.current else None


def next_step(world: World) -> Step:
    """Raises Impossible."""
    if world.current not in world.recorded:
        raise Impossible(f"the secret's current key {world.current} is in no slot of the file")
    if world.new is not None:
        return _before_the_switch(world, world.new)
    if len(world.recorded) == 2:
        return _after_the_switch(world)
    if not world.recorded <= world.registered:
        return Step.REGISTER
    if not world.registered <= world.recorded:
        return Step.UNREGISTER
    return Step.FORGET if world.previous else Step.STAGE


def _before_the_switch(world: World, new: str) -> Step:
    if new not in world.recorded:
        if len(world.recorded) == 2:
            other = next(iter(world.recorded - {world.current}))
            raise Impossible(f"both slots are taken, and {other} is no key of the secret's")
        return Step.RECORD
    return Step.PROMOTE if world.recorded <= world.registered else Step.REGISTER


def _after_the_switch(world: World) -> Step:
    if world.current not in world.registered:
        return Step.REGISTER
    return Step.RETIRE if world.in_use == frozenset({world.current}) else Step.TAKE_UP
