"""What letters are repaired with: a callable by its import path, or a file of letters that a person has edited."""

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from firnline_ingest.deadletter import DeadLetter, LetterKey
from firnline_ingest.deadletter.errors import UnknownDeadLetter
from firnline_ingest.replay.errors import RepairUnusable

Repair = Callable[[DeadLetter], bytes | None]
"""A record's bytes as they should have been; None where it stays a letter."""


class CallableFailed(Exception):
    """What the callable raised, or returned instead of bytes."""


class EditedLetter(msgspec.Struct):
    """What counts in a line of a file: everything else is the store's to say."""

    key: str
    text: str | msgspec.UnsetType = msgspec.UNSET
    data: bytes | msgspec.UnsetType = msgspec.UNSET


def callable_of(path: str) -> Repair:
    """`path` is module:function; modules in the working folder are found too. Raises RepairUnusable."""
    module, _, name = path.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        function = getattr(importlib.import_module(module), name)
    except Exception as error:  # whatever a module does when it is imported
        raise RepairUnusable(repr(path), f"{type(error).__name__}: {error}") from error
    if not callable(function):
        raise RepairUnusable(repr(path), "it is no function")

    def repair(letter: DeadLetter) -> bytes | None:
        """Raises CallableFailed."""
        try:
            repaired = function(letter.data)
        except Exception as error:
            raise CallableFailed(f"the callable raised {type(error).__name__}") from error
        if repaired is not None and not isinstance(repaired, bytes):
            raise CallableFailed(f"the callable returned {type(repaired).__name__}, not bytes")
        return repaired

    return repair


def edited_letters(file: Path) -> Mapping[LetterKey, bytes]:
    """By their keys, as `firnline dead-letters export` wrote them and somebody changed them. Raises RepairUnusable."""
    found: dict[LetterKey, bytes] = {}
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        place = f"{file}, line {number},"
        try:
            edited = msgspec.json.decode(line, type=EditedLetter)
            key = LetterKey.parse(edited.key)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RepairUnusable(place, str(error)) from error
        except UnknownDeadLetter as error:
            raise RepairUnusable(place, "its key names no letter") from error
        given = [each for each in (edited.text, edited.data) if not isinstance(each, msgspec.UnsetType)]
        if len(given) != 1:
            raise RepairUnusable(place, 'it has to have one of "text" and "data"')
        if key in found:
            raise RepairUnusable(place, f"the letter {key} is there twice")
        found[key] = given[0].encode() if isinstance(given[0], str) else given[0]
    return found
