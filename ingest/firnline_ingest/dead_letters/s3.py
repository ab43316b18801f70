"""Dead letters in S3: one object for the dead letters of a page, named by the dead letters that it holds.

<folder>/<stream>@<created ms>/<shard>/<first position>-<last position>.<stage>.<digest>.jsonl.gz, the digest being that of the
positions inside. The same dead letters always have the same name, and an object is only made where there is none, so writing
again changes nothing. A restart cuts its pages elsewhere: a dead letter may then be in two objects, and is listed once.
"""

import gzip
import hashlib
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any
from urllib.parse import unquote

import msgspec
from botocore.exceptions import ClientError

from firnline_ingest.dead_letters.aws_errors import code_of, explained
from firnline_ingest.dead_letters.choice import ALL, Choice, OnDamaged, refuse
from firnline_ingest.dead_letters.errors import DeadLetterUnreadable, UnknownDeadLetter
from firnline_ingest.dead_letters.letter import (
    DeadLetter,
    DeadLetterKey,
    shard_path,
    sorted_shards,
    why_unreadable,
)
from firnline_ingest.values import DIGITS, LONGEST_TOKEN, Position, ShardKey

OBJECT_BYTES = 8_000_000  # of letters before compression: more are several objects
TOKEN_DIGITS = 56 + 2 * DIGITS  # of sequence numbers as Kinesis gives them: then names are listed in order
LABEL = "firnline-dead-letters.json"
LABEL_CONTENT = b'{"format": 1, "content": "dead letters of Firnline: gzip, one JSON object a line"}\n'

_NUMBER = rf"[0-9]{{{2 * DIGITS + 1},{LONGEST_TOKEN}}}"
_NAME = re.compile(rf"([^/]+)@([0-9]+)/([^/]+)/({_NUMBER})-({_NUMBER})\.([a-z]+)\.[0-9a-f]{{16}}\.jsonl\.gz", re.ASCII)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(DeadLetter).decode

Shard = tuple[str, int, str]
"""Stream, when it was created, shard id."""


@dataclass(frozen=True, slots=True, order=True)
class DeadLetterObject:
    """One object, as its name describes it."""

    first: Position
    last: Position
    stage: str
    name: str
    written: datetime = field(compare=False)


class S3Folder:
    """A DeadLetterStore. `folder` ends with a slash, or is empty for the whole bucket."""

    def __init__(self, client: Any, bucket: str, folder: str, *, kms_key_arn: str | None = None) -> None:
        self._client = client
        self._bucket = bucket
        self._folder = folder
        self._encryption = (
            {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": kms_key_arn, "BucketKeyEnabled": True}
            if kms_key_arn
            else {}
        )

    def check(self) -> str:
        """Shows that objects can be written here, by the folder's label: the same one always, so it is made once.

        Returns where that is. Raises DeadLetterError.
        """
        self._write(self._folder + LABEL, LABEL_CONTENT, "application/json")
        return self._place(self._folder)

    def put(self, letters: Iterable[DeadLetter]) -> int:
        """Writes the dead letters; those whose object exists already do not count as written."""
        groups: dict[tuple[str, str], dict[DeadLetterKey, DeadLetter]] = defaultdict(dict)
        for letter in letters:
            key = letter.key
            groups[shard_path(key), key.stage].setdefault(key, letter)
        return sum(self._put_together(path, stage, group) for (path, stage), group in groups.items())

    def create(self, name: str, content: bytes) -> bool:
        """An object beside the dead letters: whether there was none of this name."""
        return self._write(self._folder + name, content, "application/octet-stream")

    def read(self, name: str) -> bytes:
        """Returns what lies beside the dead letters. Raises DeadLetterUnreadable if it is not there."""
        return self._content(self._folder + name)

    def names(self, folder: str) -> Iterator[str]:
        """The names of all objects that a folder holds beside the dead letters."""
        return (each["Key"].removeprefix(self._folder) for each in self._listed(self._folder + folder))

    def list(self, choice: Choice = ALL, on_damaged: OnDamaged = refuse) -> Iterator[DeadLetter]:
        """Objects that were written before or after the time that is asked for are not read. Where a restart made a dead letter
        part of two of them, one is enough.
        """
        shards: dict[Shard, list[DeadLetterObject]] = defaultdict(list)
        for shard, found in self._chosen(choice):
            shards[shard].append(found)
        found_letters = (self._letters(shard, shards[shard], on_damaged) for shard in sorted(shards))
        return filter(choice.has, chain.from_iterable(found_letters))

    def shards(self, choice: Choice = ALL) -> Sequence[ShardKey]:
        return sorted_shards(shard for shard, _ in self._chosen(choice))

    def _chosen(self, choice: Choice) -> Iterator[tuple[Shard, DeadLetterObject]]:
        for shard, found in self._objects(self._folder + choice.folder):
            if choice.has_shard(*shard) and choice.has_time(found.written):
                yield shard, found

    def get(self, key: DeadLetterKey) -> DeadLetter:
        shard = (key.stream, key.stream_created_ms, key.shard_id)
        holding = [
            found
            for _, found in self._objects(f"{self._folder}{shard_path(key)}/")
            if found.first <= key.position <= found.last and found.stage == key.stage
        ]
        for letter in self._letters(shard, holding):
            if letter.key == key:
                return letter
        raise UnknownDeadLetter(str(key))

    def _put_together(self, path: str, stage: str, letters: dict[DeadLetterKey, DeadLetter]) -> int:
        """Letters of one shard and one stage."""
        written = 0
        for batch in _batches((key.position, _encode(letters[key])) for key in sorted(letters)):
            positions = [position.token for position, _ in batch]
            digest = hashlib.blake2b("\n".join(positions).encode(), digest_size=8).hexdigest()
            first, last = (token.zfill(TOKEN_DIGITS) for token in (positions[0], positions[-1]))
            name = f"{self._folder}{path}/{first}-{last}.{stage}.{digest}.jsonl.gz"
            content = gzip.compress(b"".join(line + b"\n" for _, line in batch), compresslevel=1, mtime=0)
            written += len(batch) if self._write(name, content, "application/gzip") else 0
        return written

    def _write(self, name: str, content: bytes, content_type: str) -> bool:
        """Returns whether there was none of this name. S3 refuses content that does not arrive as it was sent."""
        with explained("s3:PutObject", self._place(name)):
            try:
                self._client.put_object(
                    Bucket=self._bucket,
                    Key=name,
                    Body=content,
                    ContentType=content_type,
                    IfNoneMatch="*",
                    ChecksumAlgorithm="CRC32",
                    **self._encryption,
                )
            except ClientError as error:
                if code_of(error) != "PreconditionFailed":
                    raise
                return False
        return True

    def _objects(self, prefix: str) -> Iterator[tuple[Shard, DeadLetterObject]]:
        """Yields objects of letters. Everything else in the folder is left alone."""
        for each in self._listed(prefix):
            match = _NAME.fullmatch(each["Key"][len(self._folder) :])
            if match:
                stream, created, shard, first, last, stage = match.groups()
                found = DeadLetterObject(_position(first), _position(last), stage, each["Key"], each["LastModified"])
                yield (unquote(stream), int(created), unquote(shard)), found

    def _listed(self, prefix: str) -> Iterator[Any]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        with explained("s3:ListBucket", self._place(prefix)):
            for page in pages:
                yield from page.get("Contents", ())

    def _content(self, name: str) -> bytes:
        with explained("s3:GetObject", self._place(name)):
            content: bytes = self._client.get_object(Bucket=self._bucket, Key=name)["Body"].read()
        return content

    def _letters(
        self, shard: Shard, objects: Sequence[DeadLetterObject], on_damaged: OnDamaged = refuse
    ) -> Iterator[DeadLetter]:
        """Yields dead letters in order, each once; if two objects hold the same one, the older object's counts."""
        held: dict[DeadLetterKey, tuple[DeadLetterObject, DeadLetter]] = {}
        for found in sorted(objects):
            for key in sorted(key for key in held if key.position < found.first):
                yield held.pop(key)[1]
            for letter in self._read(shard, found, on_damaged):
                other = held.get(letter.key)
                if other is None or found.written < other[0].written:
                    held[letter.key] = found, letter
        for key in sorted(held):
            yield held[key][1]

    def _read(self, shard: Shard, found: DeadLetterObject, on_damaged: OnDamaged) -> Iterator[DeadLetter]:
        place = self._place(found.name)
        try:
            lines = gzip.decompress(self._content(found.name)).splitlines()
        except DeadLetterUnreadable as error:
            on_damaged(error)
            return
        except (OSError, EOFError, zlib.error) as error:
            on_damaged(DeadLetterUnreadable(place, str(error)))
            return
        for number, line in enumerate(lines, start=1):
            try:
                letter = _decode(line)
                key = letter.key
            except (msgspec.MsgspecError, ValueError) as error:
                on_damaged(DeadLetterUnreadable(f"{place}, line {number},", why_unreadable(error)))
                continue
            is_its_own = found.first <= key.position <= found.last and key.stage == found.stage
            if (key.stream, key.stream_created_ms, key.shard_id) == shard and is_its_own:
                yield letter
            else:
                on_damaged(DeadLetterUnreadable(place, f"it holds the dead letter {key}"))

    def _place(self, name: str) -> str:
        return f"s3://{self._bucket}/{name}"


def _position(number: str) -> Position:
    """The position that a token with leading zeros stands for."""
    return Position.from_token(number.lstrip("0").zfill(2 * DIGITS + 1))


def _batches(lines: Iterable[tuple[Position, bytes]]) -> Iterator[Sequence[tuple[Position, bytes]]]:
    batch: list[tuple[Position, Any]] = []
    size = 0
    for position, line in lines:
        if batch and size + len(line) > OBJECT_BYTES:
            yield batch
            batch, size = [], 0
        batch.append((position, line))
        size += len(line)
    if batch:
        yield batch
