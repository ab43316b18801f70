"""Processes that end when their parent does, however it ends: by the end of their stdin, or by the id of their parent.

The servers' parent holds the other end of their stdin (process.py), so its end says all. `pulumi` starts its language
host and its plugins, and leaves them behind when it is killed; so does the host with the program it runs. The engine
doesn't promise to keep their stdin open, so they look who their parent is: a process whose parent is gone has a new one.
"""

import os
import signal
import threading
import time

LOOK_EVERY_S = 0.25  # three generations, one after the other, are gone within a second


def exit_when_stdin_ends() -> None:
    """Ends this process, with status 0, as soon as its stdin reaches its end. Call it before the heavy imports."""

    def wait_for_the_end() -> None:
        # The descriptor, not sys.stdin: a daemon thread that holds its lock would abort the interpreter's shutdown.
        while os.read(0, 4096):
            pass
        os._exit(0)

    threading.Thread(target=wait_for_the_end, name="exit-when-stdin-ends", daemon=True).start()


def exit_when_parent_is_gone(parent_pid: int | None = None) -> None:
    """Ends this process, with status 0, as soon as its parent is gone. Call it before the heavy imports.

    A process that knows who started it passes that as `parent_pid`: then a parent that was gone before this call
    counts too.
    """
    parent = os.getppid() if parent_pid is None else parent_pid

    def watch() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for who does the work
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY_S)
        os._exit(0)

    threading.Thread(target=watch, name="exit-when-parent-is-gone", daemon=True).start()
