"""The streams of one account: their shards, which of them takes a record, resharding, and retention.

The open shards of a stream always cover every hash key once. A record goes to the shard that is open when it is put; a
closed shard takes nothing more. A reshard closes the parents at once, and every put goes to the children from then on.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import partial
from hashlib import md5
from threading import RLock
from typing import Any

from firnline_local.clock import Clock, milliseconds
from firnline_local.kinesis.errors import in_use, invalid_argument, limit_exceeded, not_found
from firnline_local.kinesis.liberties import Liberties
from firnline_local.kinesis.limits import CONSUMER_CALLS, LIST_CALLS, SUMMARY_CALLS, CallMeter
from firnline_local.kinesis.numbers import KEY_COUNT, TAG_BITS, HashRange, even_ranges, hash_of
from firnline_local.kinesis.shard import Shard

HOUR_MS = 3_600_000
PROVISIONED, ON_DEMAND = "PROVISIONED", "ON_DEMAND"
CREATING, UPDATING, ACTIVE = "CREATING", "UPDATING", "ACTIVE"


@dataclass(kw_only=True)
class StreamSettings:
    """Settings that can be changed while records flow."""

    mode: str = PROVISIONED
    retention_hours: int = 24
    max_record_kib: int = 1024
    key_id: str | None = None
    """The KMS key that its records are said to be encrypted with; nothing here encrypts."""
    tags: dict[str, str] = field(default_factory=dict)
    shard_metrics: list[str] = field(default_factory=list)
    """Those that were asked for at shard level; nothing here publishes any."""
    policy: str = ""
    """Who of other accounts is let in, as a JSON document."""
    mode_changed_ms: list[int] = field(default_factory=list)
    """The time at which it became the other mode."""
    distribution: str = "USER_PARTITION_KEY"
    """What an on-demand stream says of it; a record's shard is by its partition key here, whatever that is."""


@dataclass(kw_only=True)
class Consumer:
    """A registered consumer: a name with an ARN of its own, by which the right to subscribe is granted."""

    name: str
    stream_arn: str
    created_ms: int
    active_ms: int = 0
    """From when on it can be subscribed with."""
    gone_ms: int | None = None
    """From when on its name is free, once it was deregistered."""
    subscribed_ms: dict[str, int] = field(default_factory=dict)
    """The time at which it subscribed to a shard last, by the shard's id; and when it tried to."""
    asked_ms: dict[str, int] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    policy: str = ""

    def status(self, now_ms: int) -> str:
        if self.gone_ms is not None:
            return "DELETING"
        return "ACTIVE" if now_ms >= self.active_ms else "CREATING"

    @property
    def arn(self) -> str:
        """Ends with the time of registration, so that a later consumer of the same name has another ARN."""
        return f"{self.stream_arn}/consumer/{self.name}:{self.created_ms // 1000}"

    def as_json(self, now_ms: int) -> dict[str, Any]:
        return {
            "ConsumerName": self.name,
            "ConsumerARN": self.arn,
            "ConsumerStatus": self.status(now_ms),
            "ConsumerCreationTimestamp": self.created_ms / 1000,
        }


class Stream:
    """The shards of one stream, oldest first; expired ones are gone."""

    def __init__(
        self, name: str, arn: str, *, created_ms: int, shards: int, seed: int, settings: StreamSettings
    ) -> None:
        self.name = name
        self.arn = arn
        self.created_ms = created_ms
        self.settings = settings
        self.consumers: dict[str, Consumer] = {}
        self.listings = CallMeter(LIST_CALLS)
        self.consumer_calls = {name: CallMeter(CONSUMER_CALLS[name]) for name in CONSUMER_CALLS}
        self.tag = _tag(f"{seed} {arn} {created_ms}")
        self.shards: dict[int, Shard] = {}
        self.active_ms = 0
        """From when on it is made, and can be read and written."""
        self.updated_ms = 0
        """From when on its last change is done, and it can be changed again."""
        self._shards_made = 0
        self._expired_at_ms = 0
        for hash_range in even_ranges(shards):
            self.add_shard(hash_range, now_ms=created_ms)
        self.refresh_routes()

    def status(self, now_ms: int) -> str:
        if now_ms < self.active_ms:
            return CREATING
        return UPDATING if now_ms < self.updated_ms else ACTIVE

    @property
    def open_shards(self) -> list[Shard]:
        """The open shards in the order of their hash keys."""
        return sorted(
            (shard for shard in self.shards.values() if shard.is_open), key=lambda shard: shard.hash_range.start
        )

    def shard(self, shard_id: str) -> Shard:
        """Raises ResourceNotFoundException for one that never was, or that has expired."""
        for shard in self.shards.values():
            if shard.id == shard_id:
                return shard
        raise not_found(f"Could not find shard {shard_id} in stream {self.name}.")

    def children_of(self, parent: Shard) -> list[Shard]:
        return [shard for shard in self.shards.values() if parent.id in shard.parent_ids]

    def route(self, partition_key: str, explicit_hash_key: str | None = None) -> Shard:
        """The open shard that such a record goes to."""
        key = hash_of(partition_key) if explicit_hash_key is None else int(explicit_hash_key)
        if key >= KEY_COUNT:
            raise invalid_argument(f"ExplicitHashKey {key} is not below 2^128.")
        return self._routes[bisect_right(self._route_starts, key) - 1]

    def add_shard(self, hash_range: HashRange, *, now_ms: int, parents: tuple[Shard, ...] = ()) -> Shard:
        """Call `refresh_routes` once the open shards cover every key again."""
        shard = Shard(
            number=self._shards_made,
            stream_tag=self.tag,
            hash_range=hash_range,
            created_ms=now_ms,
            generation=max([now_ms, *(parent.generation + 1 for parent in parents)]),
            parent_ids=tuple(parent.id for parent in parents),
        )
        self._shards_made += 1
        self.shards[shard.number] = shard
        return shard

    def refresh_routes(self) -> None:
        self._routes = self.open_shards
        self._route_starts = [shard.hash_range.start for shard in self._routes]

    def horizon_ms(self, now_ms: int) -> int:
        """Returns the time before which what arrived is no longer there."""
        return now_ms - self.settings.retention_hours * HOUR_MS

    def expire(self, now_ms: int) -> None:
        """Forgets the records that have left retention, and closed shards with the last of theirs."""
        if now_ms == self._expired_at_ms:
            return
        self._expired_at_ms = now_ms
        for consumer in [each for each in self.consumers.values() if each.gone_ms is not None]:
            if now_ms >= (consumer.gone_ms or 0):
                del self.consumers[consumer.name]
        horizon_ms = self.horizon_ms(now_ms)
        for shard in list(self.shards.values()):
            shard.log.trim(horizon_ms)
            if shard.closed_ms is not None and shard.closed_ms < horizon_ms:
                del self.shards[shard.number]

    def keep_for(self, hours: int, now_ms: int) -> None:
        """A longer retention never brings back what has already left: `expire` has forgotten it."""
        self.settings.retention_hours = hours
        self._expired_at_ms = 0
        self.expire(now_ms)


def _tag(identity: str) -> int:
    """Tells the numbers of one stream from those of every other one, an earlier stream of the same name included."""
    return int.from_bytes(md5(identity.encode(), usedforsecurity=False).digest()[: TAG_BITS // 8], "big")


def split(stream: Stream, parent: Shard, *, at: int, now_ms: int) -> tuple[Shard, Shard]:
    """The children below and from the hash key `at`, which has to lie within the shard and not be its first."""
    _require_open(stream, parent)
    if not parent.hash_range.start < at <= parent.hash_range.end:
        raise invalid_argument(
            f"NewStartingHashKey {at} has to be within the hash keys of {parent.id}, and above the first."
        )
    parent.closed_ms = now_ms
    lower, upper = (stream.add_shard(part, now_ms=now_ms, parents=(parent,)) for part in parent.hash_range.split(at))
    stream.refresh_routes()
    return lower, upper


def merge(stream: Stream, parent: Shard, adjacent: Shard, *, now_ms: int) -> Shard:
    """The one child of two shards whose hash keys join without a hole."""
    for each in (parent, adjacent):
        _require_open(stream, each)
    if not parent.hash_range.is_adjacent_to(adjacent.hash_range):
        raise invalid_argument(f"{parent.id} and {adjacent.id} of stream {stream.name} are not adjacent.")
    parent.closed_ms = adjacent.closed_ms = now_ms
    hash_range = parent.hash_range.joined(adjacent.hash_range)
    child = stream.add_shard(hash_range, now_ms=now_ms, parents=(parent, adjacent))
    stream.refresh_routes()
    return child


def rescale(stream: Stream, count: int, *, now_ms: int) -> None:
    """Makes `count` shards of the same size. As with the service, short-lived shards may come and go on the way."""
    for target in even_ranges(count):
        _cut(stream, target.start, now_ms)
    for target in even_ranges(count):
        parts = [s for s in stream.open_shards if target.start <= s.hash_range.start and s.hash_range.end <= target.end]
        whole = parts[0]
        for part in parts[1:]:
            whole = merge(stream, whole, part, now_ms=now_ms)


def _cut(stream: Stream, at: int, now_ms: int) -> None:
    shard = next(shard for shard in stream.open_shards if shard.hash_range.start <= at <= shard.hash_range.end)
    if shard.hash_range.start != at:
        split(stream, shard, at=at, now_ms=now_ms)


def _require_open(stream: Stream, shard: Shard) -> None:
    if not shard.is_open:
        raise invalid_argument(f"{shard.id} of stream {stream.name} has already been split or merged.")


@dataclass(kw_only=True, eq=False)
class KinesisAccount:
    """The streams of one account and region, and the settings that they share. Callers hold `lock`."""

    clock: Clock
    seed: int
    account_id: str
    region: str
    read_limits: bool
    write_limits: bool
    liberties: Liberties = field(default_factory=Liberties)
    consumer_change_s: float = 0
    """How long a consumer is CREATING, and then DELETING."""
    creating_s: float = 0
    """How long a stream is CREATING that an operation made."""
    settling_s: float = 0
    """How long one that is ACTIVE is still unknown to who writes to it by its name."""
    updating_s: float = 0
    """How long a stream is UPDATING once an operation has changed it."""
    summaries: CallMeter = field(default_factory=partial(CallMeter, SUMMARY_CALLS))
    lock: RLock = field(default_factory=RLock)
    streams: dict[str, Stream] = field(default_factory=dict)
    _last_created_ms: int = 0

    def now_ms(self) -> int:
        return milliseconds(self.clock())

    def meter(self, calls: CallMeter, operation: str) -> None:
        """Raises LimitExceededException where the limits of reading are obeyed and the second is full."""
        now_ms = self.now_ms()
        if self.read_limits:
            if not calls.admits(now_ms):
                raise limit_exceeded(f"Rate exceeded for {operation} under account {self.account_id}.")
            calls.count(now_ms)

    def arn(self, stream_name: str) -> str:
        return f"arn:aws:kinesis:{self.region}:{self.account_id}:stream/{stream_name}"

    def create(self, name: str, *, shards: int, settings: StreamSettings) -> Stream:
        if name in self.streams:
            raise in_use(f"Stream {name} under account {self.account_id} already exists.")
        # A stream that is deleted and made again within a millisecond is another stream, and its number says so.
        self._last_created_ms = max(self.now_ms(), self._last_created_ms + 1)
        stream = Stream(
            name, self.arn(name), created_ms=self._last_created_ms, shards=shards, seed=self.seed, settings=settings
        )
        self.streams[name] = stream
        return stream

    def find(self, *, name: str | None = None, arn: str | None = None) -> Stream:
        """Finds a stream by name, by ARN, or by both where they agree. Raises ResourceNotFoundException."""
        if name is None and arn is None:
            raise invalid_argument("Either StreamName or StreamARN has to be given.")
        name = name or (arn or "").rpartition("/")[2]
        if arn not in (None, self.arn(name)):
            raise not_found(f"No stream here has the ARN {arn}.")
        if name not in self.streams:
            raise not_found(f"Stream {name} under account {self.account_id} not found.")
        stream = self.streams[name]
        stream.expire(self.now_ms())
        return stream

    def find_by_tag(self, tag: int) -> Stream:
        """The stream that an iterator was made for."""
        for stream in self.streams.values():
            if stream.tag == tag:
                stream.expire(self.now_ms())
                return stream
        raise not_found(f"The stream of this iterator was deleted from account {self.account_id}.")
