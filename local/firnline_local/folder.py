"""The folder of an embedded environment: what is where, and who has it.

The lock belongs to the process that runs the environment and goes with it, however it ends; so a state file without a
locked lock is known to be stale. Everything else in the folder is replaced by the next start.
"""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firnline_local.errors import FolderForeign, FolderInUse

DEFAULT_FOLDER = Path(".firnline/local")


class Folder:
    """Paths are absolute, because they are handed to other processes."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.lock = self.path / "lock"
        self.state = self.path / "state.json"
        self.keys = self.path / "keys"
        self.logs = self.path / "logs"
        self.snowflake = self.path / "snowflake"
        self.runtimes = self.path / "runtimes"
        """What jobs work in, that the embedded runtimes run."""
        self.engine_config = self.path / "engine.json"
        self.made = self.path / "made.json"
        """What the start made of its specification, as Pulumi's state; gone once Pulumi has it."""
        self.engine = self.path / "engine"
        """Checkpoint and dead letters of an engine that runs here."""

    @contextmanager
    def held(self) -> Iterator[None]:
        """Holds the folder, emptied of an earlier environment. Raises FolderInUse or FolderForeign."""
        if self.path.exists() and not self.lock.exists() and any(self.path.iterdir()):
            raise FolderForeign(self.path)
        self.path.mkdir(parents=True, exist_ok=True)
        with self.lock.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FolderInUse(self.path) from None
            self._empty()
            try:
                yield
            finally:
                self.state.unlink(missing_ok=True)

    def is_held(self) -> bool:
        """Returns whether a process runs an environment here now."""
        try:
            with self.lock.open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    def _empty(self) -> None:
        """The services begin empty; a checkpoint of the last ones would point at records that are gone."""
        self.state.unlink(missing_ok=True)
        self.engine_config.unlink(missing_ok=True)
        self.made.unlink(missing_ok=True)
        for folder in (self.keys, self.logs, self.snowflake, self.engine, self.runtimes):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in (self.logs, self.snowflake, self.engine, self.runtimes):
            folder.mkdir()
