"""Keeps the memory of one page for the next: glibc would give it back to the system, and fetch it again, each time.

It costs a fifth of the read path's CPU (docs/performance.md), and at most KEPT_BYTES a process. Threads share ARENAS
pools of memory, or each shard's thread, and each epoch's new one, would keep a page's worth of its own. A piece of up to
MAPPED_BYTES comes from these: left to itself, glibc would map a page, an append and what zstd takes for it from the system,
each time, because it adapts to their sizes only where none of this is set (mallopt(3)).
"""

import ctypes
import sys

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -2, -3, -8  # malloc.h
KEPT_BYTES, STEP_BYTES = 256 * 1024 * 1024, 16 * 1024 * 1024
MAPPED_BYTES = 4 * 1024 * 1024  # what is larger is a record of many megabytes, and is given back at once
ARENAS = 2  # Python's lock lets one thread allocate at a time anyway; the SDK has an allocator of its own


def keep_freed_memory() -> None:
    """Has to be called before threads are started. Does nothing without glibc."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(M_TOP_PAD, STEP_BYTES)
        mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES)
        mallopt(M_ARENA_MAX, ARENAS)
