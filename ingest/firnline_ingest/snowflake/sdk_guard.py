"""The SDK is native code, and may fail in ways that no error of its own tells: it panics, or it does not come back.

A panic is given a code here, as its errors have one; sdk_errors.py reads it as a client that is to be recreated. Of a call
that does not come back it is known whose it is, on which thread, and for how long.
"""

import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

PANIC = "PanicException"
"""What PyO3 raises for a panic of Rust. It is not an Exception, so it would end a thread without a word."""
BLOCKED_S = 180.0
"""Longer than any call of a healthy SDK that a shard's thread makes: it takes rows, or says at once that it has no room."""

_inside: dict[int, tuple[float, object]] = {}
"""By thread: since when it is in a call, and of which client."""


class SdkPanicked(Exception):
    error_code = "SdkPanicked"


class SdkSilent(Exception):
    error_code = "SdkSilent"


def guarded(client: object, function: Callable[Given, Answer], *arguments: Given.args, **named: Given.kwargs) -> Answer:
    """Calls it, for `client`. Raises SdkPanicked for a panic, else what it raises."""
    thread = threading.get_ident()
    _inside[thread] = time.monotonic(), client
    try:
        return function(*arguments, **named)
    except Exception:
        raise
    except BaseException as error:
        if type(error).__name__ != PANIC:
            raise
        raise SdkPanicked(str(error)) from error
    finally:
        _inside.pop(thread, None)


def thread_blocked_s(thread: int) -> float:
    """The seconds that the thread has spent in its current call; 0 outside of one."""
    since_s, _ = _inside.get(thread, (time.monotonic(), None))
    return time.monotonic() - since_s


def is_blocked(client: object) -> bool:
    """Returns whether a thread is inside a call of this client for too long."""
    now_s = time.monotonic()
    return any(whose is client and now_s - since_s > BLOCKED_S for since_s, whose in tuple(_inside.values()))
