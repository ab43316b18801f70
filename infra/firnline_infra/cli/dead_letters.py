"""`firnline dead-letters`: what could not be ingested, why, and its exact bytes."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from firnline_ingest.deadletter import DeadLetter, DeadLetterStore


@click.group("dead-letters")
def dead_letters() -> None:
    """Look at records that could not be ingested.

    The engine keeps them with their exact bytes, and goes on.
    """


def _place(command: Callable[..., Any]) -> Callable[..., Any]:
    """The two ways to say where the letters are; a bucket is opened with the AWS credentials of whoever asks."""
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    command = click.option("--folder", type=folder, help="A folder of this machine.")(command)
    return click.option("--config", type=file, help="An engine's configuration, which names the folder or the bucket.")(
        command
    )


@dead_letters.command("list")
@_place
@click.option("--json", "as_json", is_flag=True, help="One JSON document a line.")
def list_letters(config: Path | None, folder: Path | None, as_json: bool) -> None:
    """List the letters by stream, shard and position."""
    store, where = _store(config, folder)
    count = 0
    for count, letter in enumerate(store.list(), start=1):  # noqa: B007  # the last count is the total
        click.echo(_line(letter) if as_json else _entry(letter))
    if not as_json:
        click.echo(f"{count or 'No'} dead letter{'' if count == 1 else 's'} in {where}.")


@dead_letters.command("show")
@_place
@click.argument("key")
@click.option("--raw", is_flag=True, help="The record's bytes and nothing else, exactly as they were.")
def show_letter(config: Path | None, folder: Path | None, key: str, raw: bool) -> None:
    """Show one letter, by the KEY that list prints."""
    from firnline_ingest.deadletter import LetterKey

    store, _ = _store(config, folder)
    letter = store.get(LetterKey.parse(key))
    if raw:
        click.echo(letter.data, nl=False)
    else:
        click.echo(_page(letter))


def _store(config: Path | None, folder: Path | None) -> "tuple[DeadLetterStore, str]":
    """The store, and where that is."""
    from firnline_ingest.config.load import load_config
    from firnline_ingest.deadletter import LocalFolder, open_store

    if (config is None) == (folder is None):
        raise click.UsageError("give one of --config and --folder")
    if folder is not None:
        return LocalFolder(folder), str(folder)
    assert config is not None
    engine = load_config(config)
    place = engine.dead_letters
    return open_store(engine), str(place.folder or place.s3 or place.stream)


def _line(letter: "DeadLetter") -> str:
    import msgspec

    document = {"key": str(letter.key), **msgspec.to_builtins(letter), "bytes": len(letter.data)}
    del document["data"]
    return msgspec.json.encode(document).decode()


def _entry(letter: "DeadLetter") -> str:
    return f"{letter.key}\n    {letter.reason}, {len(letter.data)} bytes, arrived {_arrival(letter)}: {letter.detail}"


def _page(letter: "DeadLetter") -> str:
    fields = {
        "key": letter.key,
        "stream": letter.stream,
        "shard": letter.shard_id,
        "sequence number": letter.sequence_number,
        "partition key": _shown(letter.partition_key.encode()),
        "arrived": _arrival(letter),
        "reason": f"{letter.reason}: {letter.detail}",
        "bytes": len(letter.data),
    }
    return "\n".join(f"{name:<16} {value}" for name, value in fields.items()) + f"\n\n{_shown(letter.data)}"


def _arrival(letter: "DeadLetter") -> str:
    arrival = letter.approximate_arrival
    return arrival.isoformat(timespec="milliseconds").replace("+00:00", "Z") if arrival else "at an unknown time"


def _shown(data: bytes) -> str:
    """Text as text; bytes and control characters as escapes, so that a payload can't steer a terminal."""
    text = data.decode(errors="backslashreplace")
    return "".join(one if one.isprintable() or one in "\n\t" else f"\\x{ord(one):02x}" for one in text)
