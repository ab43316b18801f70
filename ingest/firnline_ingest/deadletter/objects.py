"""What lies beside the letters of a folder under names of its own, each made once and never changed."""

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from firnline_ingest.deadletter.errors import DeadLetterUnreadable, DeadLetterUnwritable
from firnline_ingest.deadletter.folder import sync


class FolderObjects:
    """Implements replay.journal.NamedObjects in a folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()

    def create(self, name: str, content: bytes) -> bool:
        """Raises DeadLetterUnwritable."""
        path = self._folder / name
        draft = path.with_name(f".{path.name}.{uuid4().hex}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            is_new = _link(draft, path)
            draft.unlink()
            for folder in (path.parent, *path.parent.relative_to(self._folder).parents):
                sync(self._folder / folder)
        except OSError as error:
            raise DeadLetterUnwritable(str(path), error.strerror or str(error)) from error
        return is_new

    def read(self, name: str) -> bytes:
        """Raises DeadLetterUnreadable."""
        try:
            return (self._folder / name).read_bytes()
        except OSError as error:
            raise DeadLetterUnreadable(str(self._folder / name), error.strerror or str(error)) from error

    def names(self, folder: str) -> Iterator[str]:
        found = sorted((self._folder / folder).glob("[!.]*"))
        return (f"{folder}{path.name}" for path in found)


def _link(draft: Path, path: Path) -> bool:
    """A link is made only where there is no such name, unlike a renaming."""
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        return False
    return True
