"""Simulated time: one thread at a time, chosen by when it wants to go on; a sleep costs nothing.

An actor is a thread of an engine. It gives its turn away before every effect and in every wait, so that anything may happen
between any two effects; a seed that fails fails again. Threads that are not actors have the machine's own time.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from firnline_local.clock import ManualClock
from tests.chaos.simulated.turns import TurnTaker, current_taker

EFFECT_S = 0.02  # of simulated time, at most, between two effects

_monotonic, _time, _sleep = time.monotonic, time.time, time.sleep


class Actor(TurnTaker):
    """A thread that goes on to its next effect when its time comes."""

    def __init__(self, simulation: "Simulation", run: Callable[[], None]) -> None:
        self.simulation = simulation
        self.wake_s = simulation.now_s
        self.is_frozen = False
        self.clock_ahead_s = 0.0
        """How far its machine's clock is from the truth."""
        self.start_another: Callable[[Callable[[], None]], None] = lambda run: None
        """In the same process."""
        super().__init__(run)

    def sleep(self, seconds: float) -> None:
        """Called by the actor's own thread."""
        self.wake_s = self.simulation.now_s + seconds
        self.give_turn_away()


class Simulation:
    """The time, and who goes on next. `clock` is the services' own."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.now_s = 0.0
        self.clock = ManualClock()
        self.actors: list[Actor] = []

    def start(self, run: Callable[[], None]) -> Actor:
        actor = Actor(self, run)
        self.actors.append(actor)
        return actor

    def run_until(self, time_s: float) -> None:
        """Everybody who is not frozen goes on, until then."""
        while True:
            awake = [actor for actor in self.actors if not actor.is_frozen]
            following = min(awake, key=lambda actor: actor.wake_s, default=None)
            if following is None or following.wake_s > time_s:
                self.pass_time(time_s - self.now_s)
                return
            self.pass_time(following.wake_s - self.now_s)
            following.take_turn()
            if following.is_over:
                self.actors.remove(following)

    def pass_time(self, seconds: float) -> None:
        if seconds > 0:
            self.now_s += seconds
            self.clock.advance(seconds=seconds)

    @property
    def now_ms(self) -> int:
        """The services' clock."""
        return int(self.clock().timestamp() * 1000)


def current_actor() -> Actor | None:
    taker = current_taker()
    return taker if isinstance(taker, Actor) else None


def pause() -> None:
    """Before an effect: others may come first."""
    actor = current_actor()
    if actor is not None:
        actor.sleep(actor.simulation.rng.random() * EFFECT_S)


def monotonic() -> float:
    actor = current_actor()
    return actor.simulation.now_s if actor else _monotonic()


def wall_clock() -> float:
    """The clock of the actor's machine, which may be wrong."""
    actor = current_actor()
    return actor.simulation.clock().timestamp() + actor.clock_ahead_s if actor else _time()


def sleep(seconds: float) -> None:
    actor = current_actor()
    if actor is None:
        _sleep(seconds)
    else:
        actor.sleep(seconds)


class SimulatedEvent:
    """threading.Event for actors, in simulated time."""

    def __init__(self) -> None:
        self._is_set = False
        self._waiting: list[Actor] = []

    def set(self) -> None:
        self._is_set = True
        for actor in self._waiting:
            actor.wake_s = min(actor.wake_s, actor.simulation.now_s)

    def clear(self) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def wait(self, timeout: float | None = None) -> bool:
        actor = current_actor()
        assert actor is not None, "only actors have simulated time"
        if not self._is_set and (timeout is None or timeout > 0):
            self._waiting.append(actor)
            try:
                actor.sleep(float("inf") if timeout is None else timeout)
            finally:
                self._waiting.remove(actor)
        return self._is_set


SIMULATED = SimpleNamespace(**{**vars(time), "monotonic": monotonic, "time": wall_clock, "sleep": sleep})
_BY_REAL = {_monotonic: monotonic, _time: wall_clock, _sleep: sleep}


@contextmanager
def simulated_time() -> Iterator[None]:
    """While the block lasts, the engine's modules have the time of whoever calls them."""
    undo: list[Callable[[], None]] = []
    for module in [m for name, m in sys.modules.items() if name.startswith("firnline_ingest.")]:
        if getattr(module, "time", None) is time:
            _set(undo, module, "time", SIMULATED)
        for function in _functions_of(module):
            _replace_defaults(undo, function)
    try:
        yield
    finally:
        for step in reversed(undo):
            step()


def _functions_of(module: ModuleType) -> Iterator[Any]:
    for value in list(vars(module).values()):
        if getattr(value, "__module__", None) != module.__name__:
            continue
        members = vars(value).values() if isinstance(value, type) else (value,)
        yield from (member for member in members if isinstance(member, FunctionType))


def _replace_defaults(undo: list[Callable[[], None]], function: Any) -> None:
    """Clocks that a function takes by default were bound when it was made."""
    if any(_is_clock(default) for default in function.__defaults__ or ()):
        defaults = tuple(_BY_REAL[one] if _is_clock(one) else one for one in function.__defaults__)
        _set(undo, function, "__defaults__", defaults)
    if any(_is_clock(default) for default in (function.__kwdefaults__ or {}).values()):
        named = {name: _BY_REAL[one] if _is_clock(one) else one for name, one in function.__kwdefaults__.items()}
        _set(undo, function, "__kwdefaults__", named)


def _is_clock(value: Any) -> bool:
    return any(value is real for real in _BY_REAL)


def _set(undo: list[Callable[[], None]], holder: Any, name: str, value: Any) -> None:
    before = getattr(holder, name)
    setattr(holder, name, value)
    undo.append(lambda: setattr(holder, name, before))
