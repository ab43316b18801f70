"""The journal of records that were put into their stream again, of one shard: a request each, beside the batches of rows.

    <number>.put.json     the request's dead letters, made before it is sent
    <number>.put.done.json    its end: which of them the stream has acknowledged

Both are only made where there is none of the name. A dead letter of a request without an end is taken: it may be in the stream,
and a person says whether it is. One that was refused, or whose request a person called void, is free again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from firnline_ingest.dead_letters.errors import JournalUnreadable
from firnline_ingest.dead_letters.named_objects import NamedObjects
from firnline_ingest.values import Position

RecordPlace = tuple[int, int]
"""Sequence number and sub-sequence number."""
SUFFIX, DONE = ".put.json", ".put.done.json"
NUMBER_DIGITS = 10


class PutOutcome(StrEnum):
    """The end of a request."""

    ANSWERED = "answered"
    """The stream has said of each record whether it has it."""
    VOID = "void"
    """None of its records is in the stream, or a person said so."""
    ACCEPTED = "accepted"
    """A person said that all of them are in the stream."""


class PutRequest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Dead letters that go into the stream with one PutRecords, by their positions as tokens."""

    version: int = 1
    number: int
    stream: str
    begun_ms: int
    letters: tuple[str, ...]


class PutEnd(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The end of a request: of each of its dead letters, whether the stream has the record."""

    version: int = 1
    outcome: PutOutcome
    are_in: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Put:
    """A request, and its end where it has one."""

    request: PutRequest
    end: PutEnd | None

    def places(self, *, are_in: bool | None = None) -> Iterator[RecordPlace]:
        """The records that are taken by it; with `are_in`, those that the stream has."""
        if self.end is None:
            kept: Sequence[bool] = [not are_in] * len(self.request.letters)
        elif self.end.outcome is PutOutcome.ANSWERED:
            kept = self.end.are_in
        else:
            kept = [self.end.outcome is PutOutcome.ACCEPTED] * len(self.request.letters)
        for token, is_kept in zip(self.request.letters, kept, strict=True):
            if is_kept:
                position = Position.from_token(token)
                yield position.sequence_number, position.sub_sequence_number


_decode, _decode_end = msgspec.json.Decoder(PutRequest).decode, msgspec.json.Decoder(PutEnd).decode


class PutJournal:
    """The journal in one shard's folder (dead_letters/journal.py)."""

    def __init__(self, objects: NamedObjects, folder: str) -> None:
        self._objects, self._folder = objects, folder

    def puts(self) -> list[Put]:
        """All requests, by number. Raises DeadLetterError."""
        names = {name for name in self._objects.names(self._folder) if is_put(name)}
        return [self._put(name, names) for name in sorted(names) if not name.endswith(DONE)]

    def taken(self) -> set[RecordPlace]:
        """The records that are in the stream again, or may be."""
        return {place for put in self.puts() for place in put.places()}

    def begin(self, request: PutRequest) -> bool:
        """Returns whether the number was free. From now on its dead letters are taken."""
        return self._objects.create(self._name(request.number, SUFFIX), msgspec.json.encode(request))

    def finish(self, number: int, end: PutEnd) -> None:
        self._objects.create(self._name(number, DONE), msgspec.json.encode(end))

    def _put(self, name: str, names: set[str]) -> Put:
        done = name.removesuffix(SUFFIX) + DONE
        try:
            request = _decode(self._objects.read(name))
            end = _decode_end(self._objects.read(done)) if done in names else None
        except msgspec.MsgspecError as error:
            raise JournalUnreadable(name, str(error)) from error
        if end is not None and end.outcome is PutOutcome.ANSWERED and len(end.are_in) != len(request.letters):
            raise JournalUnreadable(
                done, f"it is of {len(end.are_in)} records, and its request of {len(request.letters)}"
            )
        return Put(request, end)

    def _name(self, number: int, suffix: str) -> str:
        return f"{self._folder}{number:0{NUMBER_DIGITS}d}{suffix}"


def is_put(name: str) -> bool:
    return name.endswith((SUFFIX, DONE))
