"""Phases of the time between two engines, for whoever wants it shorter: each ends where the next begins."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum


class Phase(StrEnum):
    """The phases of a roll-out in their order, each named by how it ends; one that was not seen to end is part of the next.
    If the new engine stood by, there is no GONE, TAKEN and PROGRAM: they came before, or come after."""

    PROOF = "the old engine had proven its last rows"
    GONE = "nothing of its run was left"
    TAKEN = "the service had taken the new run"
    PROGRAM = "machines and archive were there, and its program ran"
    HELD = "its engine held the application"
    READ = "every shard was open"


@dataclass(slots=True)
class Phases:
    """A clock that begins once: nothing was read since then."""

    clock: Callable[[], float]
    began_s: float | None = None
    _reached_s: float = 0.0
    _lasted_s: dict[Phase, float] = field(default_factory=dict)
    _is_closed: bool = False

    def begin(self) -> None:
        """Later calls change nothing."""
        if self.began_s is None:
            self.began_s = self._reached_s = self.clock()

    def end(self, phase: Phase) -> None:
        """Ends a phase: what has passed since the one before was its time; nothing before `begin`."""
        if self.began_s is None or self._is_closed:
            return
        now_s = self.clock()
        self._lasted_s[phase] = self._lasted_s.get(phase, 0.0) + now_s - self._reached_s
        self._reached_s = now_s

    def close(self) -> None:
        """Every shard is read: what comes now is not part of the gap."""
        self._is_closed = True

    @property
    def lasted_s(self) -> dict[Phase, float]:
        return {phase: self._lasted_s[phase] for phase in Phase if phase in self._lasted_s}

    @property
    def total_s(self) -> float | None:
        """Time of all phases that have ended together; None if nothing was stopped."""
        return None if self.began_s is None else self._reached_s - self.began_s
