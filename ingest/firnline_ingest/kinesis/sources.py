"""Selection of the source that a pipeline's shards are read from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firnline_ingest.config.reader import FanOutReader, Reader
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.kinesis.consumers import Consumers
from firnline_ingest.kinesis.fan_out import FanOutSource
from firnline_ingest.kinesis.polling import PollingSource
from firnline_ingest.kinesis.source import PageSource
from firnline_ingest.kinesis.turns import Turns
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


@dataclass(frozen=True, slots=True)
class Subscriber:
    """Needs of fan-out in a process: a client whose answers may last, and what is known of the consumers."""

    client: "KinesisClient"
    consumers: Consumers | None = None
    registered_arn: str = ""
    """Of the consumer that the engine registered; empty where the configuration names one."""
    turns: Turns | None = None
    """Which of the shards may hold a subscription; all by default."""


def page_source(
    subscriber: Subscriber, key: ShardKey, reader: Reader, polling: PollingConfig, *, clock: Callable[[], float]
) -> PageSource:
    """Makes a source that asks nothing of the service yet."""
    client = subscriber.client
    if isinstance(reader, FanOutReader):
        consumers = subscriber.consumers or Consumers(client)
        arn = subscriber.registered_arn or reader.fan_out.consumer_arn
        assert arn is not None, "no shard is planned without a consumer"
        is_own = bool(subscriber.registered_arn)
        return FanOutSource(client, key, arn, consumers, is_registered_here=is_own, turns=subscriber.turns, clock=clock)
    return PollingSource(client, key, polling, clock=clock)
