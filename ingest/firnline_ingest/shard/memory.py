"""Keeps the memory of one page for the next: glibc would give it back to the system, and fetch it again, each time.

It costs a fifth of the read path's CPU (docs/performance.md), and at most KEPT_BYTES a process.
"""

import ctypes
import sys

M_TRIM_THRESHOLD, M_TOP_PAD = -1, -2  # malloc.h
KEPT_BYTES, STEP_BYTES = 256 * 1024 * 1024, 16 * 1024 * 1024


def keep_freed_memory() -> None:
    """Does nothing where there is no glibc."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(M_TOP_PAD, STEP_BYTES)
