"""Waiting for what another thread does."""

import time
from collections.abc import Callable

HANGS_S = 30.0


def until(condition: Callable[[], object]) -> None:
    give_up_s = time.monotonic() + HANGS_S
    while not condition():
        assert time.monotonic() < give_up_s
        time.sleep(0.002)
