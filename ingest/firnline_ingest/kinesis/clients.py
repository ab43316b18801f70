"""Clients by how streams are reached: made when they are needed first, and shared by all streams that are reached alike."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from firnline_ingest.config.access import HERE, Access
from firnline_ingest.kinesis.consumers import Consumers
from firnline_ingest.kinesis.missing import QUESTION_INTERVAL_S, Incarnations
from firnline_ingest.kinesis.turns import QuestionTimes, Turns

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

    from firnline_ingest.config.model import EngineConfig

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class StreamClients:
    """Clients of a process for streams that are reached alike."""

    kinesis: "KinesisClient"
    subscriber: "KinesisClient | None" = None
    """What fan-out subscribes with: its answers last for minutes, so it waits longer for them."""
    consumers: Consumers | None = None
    """What all shards know of the consumers that they are subscribed by."""
    question_interval_s: float = 0.0
    """The least time between two questions for the same stream."""
    times: QuestionTimes | None = None
    """The times at which the process may ask; any time by default."""
    turns: Turns = field(default_factory=Turns)
    """Which of the shards may hold a subscription; of all streams, wherever they are."""
    incarnations: Incarnations = field(init=False)

    def __post_init__(self) -> None:
        known = Incarnations(self.kinesis, interval_s=self.question_interval_s, times=self.times)
        object.__setattr__(self, "incarnations", known)


def stream_clients(config: "EngineConfig", turns: Turns, times: QuestionTimes, access: Access) -> StreamClients:
    """Returns those of a process with a thread for each shard. `turns` and `times` are of all its streams."""
    from firnline_ingest.kinesis.client import kinesis_client, subscribing_client

    threads = config.epoch.shards_per_task + 2
    polling = kinesis_client(config.aws, connections=threads, access=access)
    if not config.subscribes:
        return StreamClients(polling, question_interval_s=QUESTION_INTERVAL_S, times=times)
    silence_s = config.fan_out.read_timeout_seconds
    subscriber = subscribing_client(config.aws, connections=threads, read_timeout_s=silence_s, access=access)
    return StreamClients(polling, subscriber, Consumers(subscriber), QUESTION_INTERVAL_S, times, turns)


class PerAccess(Generic[Made]):
    """Thread-safe. `here` is of the streams that are where the engine is, with its own credentials."""

    def __init__(self, here: Made, make: Callable[[Access], Made]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made = {HERE.model_dump_json(): here}

    def of(self, access: Access) -> Made:
        key = access.model_dump_json()
        with self._lock:
            if key not in self._made:
                self._made[key] = self._make(access)
            return self._made[key]
