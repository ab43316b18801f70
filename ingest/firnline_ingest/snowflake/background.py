"""Work that a shard's thread must not wait for, each piece on a thread of its own that never keeps the process alive."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def in_background(function: Callable[[], Result], *, name: str) -> "Future[Result]":
    future: Future[Result] = Future()
    threading.Thread(target=lambda: settle(future, function), name=name, daemon=True).start()
    return future


def settle(future: "Future[Result]", function: Callable[[], Result]) -> None:
    """Gives the future what the function returns or raises."""
    try:
        result = function()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
