"""Activities that the process waits for: a call to a service, another program, a check. Told to whom it may concern.

Nothing listens unless a command wants it (`firnline --debug`, a terminal), and saying it costs two steps of a list.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Listener = Callable[["Activity", BaseException | None], None]
"""Hears of an activity when it ends, with the error that ended it."""


@dataclass(eq=False)
class Activity:
    what: str
    """For a person: what is asked, of whom."""
    began: float = field(default_factory=time.monotonic)


_running: list[Activity] = []
_listeners: list[Listener] = []


@contextmanager
def waiting_for(what: str) -> Iterator[None]:
    """Says what is waited for while the block runs. May be nested, and used by several threads."""
    activity = Activity(what)
    _running.append(activity)
    error: BaseException | None = None
    try:
        yield
    except BaseException as raised:
        error = raised
        raise
    finally:
        _running.remove(activity)
        for listener in tuple(_listeners):
            listener(activity, error)


def current() -> Activity | None:
    """The innermost that began last; None while nothing is waited for."""
    return _running[-1] if _running else None


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)
