"""Which source a pipeline's shards are read from."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from firnline_ingest.config.model import PollingConfig
from firnline_ingest.config.reader import FanOutReader, Reader
from firnline_ingest.kinesis.consumers import Consumers
from firnline_ingest.kinesis.fan_out import FanOutSource
from firnline_ingest.kinesis.polling import PollingSource
from firnline_ingest.kinesis.source import PageSource
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


def page_source(
    client: "KinesisClient",
    key: ShardKey,
    reader: Reader,
    polling: PollingConfig,
    consumers: Consumers | None,
    *,
    clock: Callable[[], float],
) -> PageSource:
    """It asks nothing of the service yet. `consumers` are the process' own."""
    if isinstance(reader, FanOutReader):
        return FanOutSource(client, key, reader.fan_out.consumer_arn, consumers or Consumers(client), clock=clock)
    return PollingSource(client, key, polling, clock=clock)
