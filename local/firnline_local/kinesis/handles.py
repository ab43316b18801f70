"""Streams and shards as a test speaks of them.

A handle holds a name, not an object: it goes on working, or says that its stream or shard is gone.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import md5
from typing import Any, TypeAlias

import msgspec

from firnline_ingest.values import Position
from firnline_local.kinesis.numbers import HashRange
from firnline_local.kinesis.shard import Shard, StoredRecord, parse_record, shard_id
from firnline_local.kinesis.stream import KinesisAccount, Stream, merge, rescale, split

Payload: TypeAlias = bytes | str | Mapping[str, object]
"""Bytes as they are, text as UTF-8, a mapping as compact JSON."""


@dataclass(frozen=True)
class StreamHandle:
    """One stream. Nothing here is throttled, whatever the limits."""

    account: KinesisAccount = field(repr=False)
    name: str

    @property
    def arn(self) -> str:
        return self.account.arn(self.name)

    @property
    def shards(self) -> list["ShardHandle"]:
        """Open and closed, in the order they were made; expired ones are gone."""
        with self.account.lock:
            return [self._handle(shard) for shard in self.found.shards.values()]

    @property
    def open_shards(self) -> list["ShardHandle"]:
        """The open shards in the order of their hash keys."""
        with self.account.lock:
            return [self._handle(shard) for shard in self.found.open_shards]

    @property
    def records(self) -> list[StoredRecord]:
        """The records of all shards, one shard after the other."""
        return [record for shard in self.shards for record in shard.records]

    def shard(self, which: int | str = 0, *, records: int = 0) -> "ShardHandle":
        """A shard by its number or id; puts `records` samples into it, {"n": 0} and so on."""
        handle = ShardHandle(self, which if isinstance(which, str) else shard_id(which))
        with self.account.lock:
            self.found.shard(handle.id)
        for number in range(records):
            handle.put({"n": number})
        return handle

    def put(self, data: Payload, key: str = "key") -> StoredRecord:
        """The record as it was put, into the shard that its key leads to."""
        with self.account.lock:
            return self._handle(self.found.route(key)).put(data, key)

    def load(self, ndjson: bytes, *, key: str | None = None) -> int:
        """A record for every line, quickly; the partition key is the field `key`, or a hash of the line."""
        return load(self.account, self.name, ndjson, key=key)

    def rescale(self, shards: int) -> list["ShardHandle"]:
        """The open shards afterwards: `shards` of the same size, by splits and merges."""
        with self.account.lock:
            rescale(self.found, shards, now_ms=self.account.now_ms())
        return self.open_shards

    def delete(self) -> None:
        with self.account.lock:
            del self.account.streams[self.found.name]

    @property
    def found(self) -> Stream:
        """The stream itself; its user holds the account's lock. Raises FakeKinesisError where it is gone."""
        return self.account.find(name=self.name)

    def _handle(self, shard: Shard) -> "ShardHandle":
        return ShardHandle(self, shard.id)


@dataclass(frozen=True)
class ShardHandle:
    """One shard, of which there may be several handles: they are equal."""

    stream: StreamHandle
    id: str

    @property
    def is_open(self) -> bool:
        return self._shard.is_open

    @property
    def records(self) -> list[StoredRecord]:
        """Records that it still keeps, oldest first."""
        with self._account.lock:
            rendered = self._shard.log.all()
        return [parse_record(record, self.id) for record in rendered]

    @property
    def last_position(self) -> Position:
        """The position of the shard's newest record; that of its beginning if it never had one."""
        return Position(self._shard.last_number)

    @property
    def hash_range(self) -> HashRange:
        return self._shard.hash_range

    @property
    def parents(self) -> list["ShardHandle"]:
        """Expired ones too."""
        return [ShardHandle(self.stream, parent) for parent in self._shard.parent_ids]

    @property
    def children(self) -> list["ShardHandle"]:
        return [shard for shard in self.stream.shards if self in shard.parents]

    def put(self, data: Payload, key: str = "key") -> StoredRecord:
        """Into this shard, wherever the key would lead, as with an explicit hash key. A closed shard takes nothing."""
        with self._account.lock:
            stream, shard = self.stream.found, self._shard
            if not shard.is_open:
                raise ValueError(f"{self.id} of {stream.name} is closed: put into its children")
            is_encrypted = stream.settings.key_id is not None
            shard.append(_bytes(data), key, now_ms=self._account.now_ms(), is_encrypted=is_encrypted)
            return parse_record(shard.log.newest, self.id)

    def split(self, at: int | None = None) -> tuple["ShardHandle", "ShardHandle"]:
        """The children below and from the hash key `at`; halves without one."""
        with self._account.lock:
            shard = self._shard
            at = shard.hash_range.middle if at is None else at
            lower, upper = split(self.stream.found, shard, at=at, now_ms=self._account.now_ms())
        return ShardHandle(self.stream, lower.id), ShardHandle(self.stream, upper.id)

    def merge(self, adjacent: "ShardHandle") -> "ShardHandle":
        """The one child of both."""
        with self._account.lock:
            stream = self.stream.found
            child = merge(stream, self._shard, stream.shard(adjacent.id), now_ms=self._account.now_ms())
        return ShardHandle(self.stream, child.id)

    def leave_out(self, listings: int = 1) -> None:
        """Leaves the shard out of so many of the next answers of ListShards, as a listing that is behind; reading it goes
        on."""
        with self._account.lock:
            self._shard.omissions = listings

    @property
    def _account(self) -> KinesisAccount:
        return self.stream.account

    @property
    def _shard(self) -> Shard:
        with self._account.lock:
            return self.stream.found.shard(self.id)


def load(account: KinesisAccount, stream_name: str, ndjson: bytes, *, key: str | None = None) -> int:
    """Puts a record for each line and returns their number. `key` names the top-level field that is the partition key; else
    each line's hash is.

    Raises ValueError, naming the line, before anything was put.
    """
    lines = [line for line in ndjson.splitlines() if line.strip()]
    keys = _keys(lines, key)
    with account.lock:
        stream = account.find(name=stream_name)
        now_ms = account.now_ms()
        is_encrypted = stream.settings.key_id is not None
        for line, partition_key in zip(lines, keys, strict=True):
            stream.route(partition_key).append(line, partition_key, now_ms=now_ms, is_encrypted=is_encrypted)
    return len(lines)


def _keys(lines: list[bytes], key: str | None) -> list[str]:
    if key is None:
        return [md5(line, usedforsecurity=False).hexdigest() for line in lines]
    read = _reader_of(key)
    keys = []
    for number, line in enumerate(lines, start=1):
        try:
            keys.append(read(line))
        except msgspec.MsgspecError as error:
            raise ValueError(f"line {number} has no partition key in {key!r}: {error}") from error
    return keys


def _reader_of(key: str) -> Callable[[bytes], str]:
    # Decodes that one field and skips the others, which is what makes loading fast.
    text_or_number: Any = str | int | float
    keyed: Any = msgspec.defstruct("Keyed", [("key", text_or_number)], rename={"key": key})
    decoder = msgspec.json.Decoder(keyed)
    return lambda line: str(decoder.decode(line).key)[:256]


def _bytes(data: Payload) -> bytes:
    if isinstance(data, bytes):
        return data
    text = data if isinstance(data, str) else json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.encode()
