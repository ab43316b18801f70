"""Dead letters in a folder: one JSON file a dead letter, named by its key.

<folder>/<stream>@<created ms>/<shard>/<position>.<stage>.json. One file a dead letter, because a restart cuts its pages
elsewhere: a file that held several would come again under another name. A file appears whole or not at all.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote
from uuid import uuid4

import msgspec

from firnline_ingest.dead_letters.choice import ALL, Choice, OnDamaged, refuse
from firnline_ingest.dead_letters.errors import DeadLetterUnreadable, DeadLetterUnwritable, UnknownDeadLetter
from firnline_ingest.dead_letters.letter import DeadLetter, DeadLetterKey, shard_path, sorted_shards, why_unreadable
from firnline_ingest.values import ShardKey

SUFFIX = ".json"
OPEN_FILES = 64  # written, then made durable together: a disk takes many at little more than the price of one

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(DeadLetter).decode


class LocalFolder:
    """A DeadLetterStore. The folder is made when the first dead letter comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()
        self._durable_folders: set[Path] = set()

    def put(self, letters: Iterable[DeadLetter]) -> int:
        groups: dict[Path, dict[Path, DeadLetter]] = defaultdict(dict)
        for letter in letters:
            path = self._path(letter.key)
            groups[path.parent].setdefault(path, letter)
        try:
            return sum(self._put_together(folder, group) for folder, group in groups.items())
        except OSError as error:
            raise DeadLetterUnwritable(str(self._folder), error.strerror or str(error)) from error

    def list(self, choice: Choice = ALL, on_damaged: OnDamaged = refuse) -> Iterator[DeadLetter]:
        keys = sorted(self._keys(choice))
        for key in keys:
            try:
                letter = self.get(key)
            except DeadLetterUnreadable as error:
                on_damaged(error)
                continue
            if choice.has(letter):
                yield letter

    def shards(self, choice: Choice = ALL) -> Sequence[ShardKey]:
        return sorted_shards((key.stream, key.stream_created_ms, key.shard_id) for key in self._keys(choice))

    def get(self, key: DeadLetterKey) -> DeadLetter:
        path = self._path(key)
        try:
            letter = _decode(path.read_bytes())
            found = letter.key
        except FileNotFoundError:
            raise UnknownDeadLetter(str(key)) from None
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            raise DeadLetterUnreadable(str(path), why_unreadable(error)) from error
        if found != key:
            raise DeadLetterUnreadable(str(path), f"it holds the dead letter {found}")
        return letter

    def _path(self, key: DeadLetterKey) -> Path:
        return self._folder / shard_path(key) / f"{key.position.token}.{key.stage}{SUFFIX}"

    def _keys(self, choice: Choice) -> Iterator[DeadLetterKey]:
        shards = choice.folder if choice.folder.endswith("/") else "*@*/*/"
        for path in self._folder.glob(f"{shards}[0-9]*{SUFFIX}"):
            incarnation, shard, name = path.relative_to(self._folder).parts
            key = DeadLetterKey.parse(f"{unquote(incarnation)}/{unquote(shard)}/{name.removesuffix(SUFFIX)}")
            if choice.has_shard(key.stream, key.stream_created_ms, key.shard_id) and (
                not choice.is_timed or choice.has_time(_written(path))
            ):
                yield key

    def _put_together(self, folder: Path, letters: dict[Path, DeadLetter]) -> int:
        """Letters of one shard. The folder is synced in any case: a dead letter that was there may be a moment old."""
        self._make_durably(folder)
        new = [(path, _encode(letter)) for path, letter in letters.items() if not path.exists()]
        for first in range(0, len(new), OPEN_FILES):
            _write_durably(new[first : first + OPEN_FILES])
        sync(folder)
        return len(new)

    def _make_durably(self, folder: Path) -> None:
        """A folder lasts when the one that it stands in is synced; once a process is enough."""
        if folder in self._durable_folders and folder.is_dir():
            return
        missing = [one for one in folder.parents if not one.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for one in {folder, folder.parent, *missing}:
            sync(one.parent)
        self._durable_folders.add(folder)


def _written(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


def _write_durably(files: Sequence[tuple[Path, bytes]]) -> None:
    """Writes under names of this call's own, syncs, then renames: no reader sees half a dead letter."""
    mark = uuid4().hex
    drafts = [path.with_name(f".{path.name}.{mark}") for path, _ in files]
    try:
        _write_all(drafts, [content for _, content in files])
        for draft, (path, _) in zip(drafts, files, strict=True):
            draft.replace(path)
    except BaseException:
        for draft in drafts:
            draft.unlink(missing_ok=True)
        raise


def _write_all(paths: Sequence[Path], contents: Sequence[bytes]) -> None:
    descriptors: list[int] = []
    try:
        for path, content in zip(paths, contents, strict=True):
            descriptors.append(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            with open(descriptors[-1], "wb", closefd=False) as file:
                file.write(content)
        for descriptor in descriptors:
            os.fsync(descriptor)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def sync(folder: Path) -> None:
    """Makes durable which names the folder has."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class FolderObjects:
    """Implements journal.NamedObjects in a folder of this machine."""

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
