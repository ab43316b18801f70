"""Letters as files that a person can repair: JSON documents a line, or each record's bytes as they were."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from firnline_ingest.dead_letters import DeadLetter


def exported(letter: "DeadLetter") -> str:
    """Bytes that are text in UTF-8 are text, so that an editor can be used."""
    import msgspec

    document = {"key": str(letter.key), **msgspec.to_builtins(letter)}
    with suppress(UnicodeDecodeError):
        document["text"] = letter.data.decode()
        del document["data"]
    return msgspec.json.encode(document).decode()


@contextmanager
def raw_folder(folder: Path) -> Iterator["Callable[[DeadLetter], int]"]:
    """Gives what writes a letter's bytes into the folder, under its key with dashes for slashes. Returns 1."""
    if folder.exists() and any(folder.iterdir()):
        raise click.UsageError(f"{folder} is not empty: its files would be mixed with those of the dead letters.")
    folder.mkdir(parents=True, exist_ok=True)

    def write(letter: "DeadLetter") -> int:
        name = str(letter.key).replace("/", "-")
        (folder / name).write_bytes(letter.data)
        return 1

    yield write


def kept(letters: "Iterable[DeadLetter]", folder: Path) -> int:
    """Puts them into a folder of letters. How many it did not have."""
    from firnline_ingest.dead_letters import LocalFolder

    store = LocalFolder(folder)
    return sum(store.put([letter]) for letter in letters)
