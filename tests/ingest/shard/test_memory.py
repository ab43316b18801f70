"""Memory that a page has taken is there for the next one, on every thread."""

import platform
import subprocess
import sys

import pytest

TAKES_AND_FREES = """
import resource, threading
from firnline_ingest.shard.memory import keep_freed_memory

def pages():
    for _ in range(200):
        b"x" * 1_000_000

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

keep_freed_memory()
before = faults()
for _ in range(2):
    thread = threading.Thread(target=pages)
    thread.start()
    thread.join()
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is glibc's allocator that is told")
def test_the_system_gives_a_page_s_memory_once() -> None:
    """400 times a megabyte is taken: 244 faults each, where each is the system's."""
    ran = subprocess.run(
        [sys.executable, "-c", TAKES_AND_FREES], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(ran.stdout) < 5_000
