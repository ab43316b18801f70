"""Reads and replaces one user's part of the reviewed file beside the specification (specification/keys_file.py has its form)."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from firnline_infra.keys.pair import body_fingerprint
from firnline_infra.specification.keys_file import KeysFile, UserKeys, keys_file_of
from firnline_infra.specification.load import load_keys

HEADER = "# Written by `firnline keys`. Nothing secret: review and commit it.\n"


@dataclass(frozen=True)
class ReviewedFile:
    path: Path

    @classmethod
    def beside(cls, spec_file: Path) -> "ReviewedFile":
        return cls(keys_file_of(spec_file))

    def of(self, user: str) -> UserKeys:
        """Empty where the file, or the user in it, is missing. Raises ConfigError with all that is wrong."""
        return self._read().of(user) or UserKeys()

    def put(self, user: str, keys: UserKeys | None) -> None:
        """Writes the user's keys; None removes the user."""
        with _alone(self.path.parent):
            self._replace(self._read().having(user, keys))

    def put_encryption_key(self, arn: str) -> None:
        with _alone(self.path.parent):
            self._replace(self._read().model_copy(update={"encryption_key": arn}))

    def _replace(self, keys: KeysFile) -> None:
        """Writes atomically, so that a crash leaves the old file or the new one."""
        text = _rendered(keys)
        descriptor, draft = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(draft).chmod(0o644)
            Path(draft).replace(self.path)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise

    def _read(self) -> KeysFile:
        return load_keys(self.path) if self.path.exists() else KeysFile()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Waits until no other command changes a file of keys there: each would write what it had read. A lock on the folder leaves
    no file behind; where a file system has none, nothing is waited for."""
    try:
        import fcntl
    except ModuleNotFoundError:
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def slots_of(keys: UserKeys) -> tuple[str | None, str | None]:
    """The fingerprints of the user's two slots."""
    first, second = (body_fingerprint(key) if key else None for key in (keys.slot_1, keys.slot_2))
    return first, second


def _rendered(keys: KeysFile) -> str:
    """Deterministic: the same keys give the same text. An empty slot is written as null."""
    document: dict[str, Any] = keys.model_dump(mode="json", include={"ingest", "reader", "pipelines"})
    document = {user: found for user, found in document.items() if found}
    if keys.encryption_key is not None:
        document["encryption_key"] = keys.encryption_key
    return HEADER + yaml.safe_dump(document, sort_keys=False, width=10_000)
