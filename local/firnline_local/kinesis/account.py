"""The streams of one account and region, and the settings that they share."""

from dataclasses import dataclass, field
from threading import RLock

from firnline_local.clock import Clock, milliseconds
from firnline_local.kinesis.errors import in_use, invalid_argument, not_found
from firnline_local.kinesis.stream import Stream, StreamSettings


@dataclass(kw_only=True, eq=False)
class Account:
    """Whoever reads or changes it holds `lock`."""

    clock: Clock
    seed: int
    account_id: str
    region: str
    read_limits: bool
    write_limits: bool
    empty_page_every: int | None
    lock: RLock = field(default_factory=RLock)
    streams: dict[str, Stream] = field(default_factory=dict)
    _last_created_ms: int = 0

    def now_ms(self) -> int:
        return milliseconds(self.clock())

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
        """By name, by ARN, or by both where they agree."""
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
