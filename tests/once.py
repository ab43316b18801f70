"""Makes something once for all processes of a run: the first that asks makes it, the others wait for it."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def once(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The folder of that name, made by `make` in the first process; where that fails, the next one tries it itself."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    made, is_made = shared / name, shared / f"{name}.made"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_made.exists():
            made.mkdir(exist_ok=True)
            make(made)
            is_made.touch()
    return made
