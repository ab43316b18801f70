"""Processes of the engine that end when it does.

`pulumi` starts its language host and its plugins, and leaves them behind when it is killed; so does the host with the
program it runs. They watch instead: a process whose parent is gone has a new one. Standard input, by which the
servers' processes know it (local/process.py), says nothing here: the engine does not promise to keep it open.
"""

import os
import signal
import threading
import time

LOOK_EVERY_S = 0.25  # three generations, one after the other, are gone within a second


def end_with_parent(parent_pid: int | None = None) -> None:
    """Ends this process, with status 0, as soon as its parent is gone. Call it before the heavy imports.

    A process that was told who started it passes that as `parent_pid`: then a parent that was gone before this call
    counts too.
    """
    parent = os.getppid() if parent_pid is None else parent_pid

    def watch() -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # they are for who does the work
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY_S)
        os._exit(0)

    threading.Thread(target=watch, name="end-with-parent", daemon=True).start()
