"""Pins a pipeline's initial position, once, before the first read.

LATEST is evaluated here and nowhere else: it becomes the service's own time, so that no retry and no restart moves it.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from firnline_ingest.config.model import InitialPosition, StartAt
from firnline_ingest.kinesis.errors import PageUnreadable, kinesis_error
from firnline_ingest.kinesis.service_time import service_time_ms
from firnline_ingest.kinesis.start import AtTimestamp, Pin, TrimHorizon

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


def initial_pin(position: InitialPosition, client: "KinesisClient", stream: str) -> Pin:
    """Raises the errors of kinesis/errors.py."""
    if position.at is StartAt.LATEST:
        return AtTimestamp(server_time_ms(client, stream))
    if position.timestamp is not None:
        return AtTimestamp(_ms(position.timestamp))
    return TrimHorizon()


def server_time_ms(client: "KinesisClient", stream: str) -> int:
    """The service's clock, from the Date header of an answer; whole seconds. Raises PageUnreadable without one.

    Of a listing, because those are limited by stream and not by account.
    """
    try:
        answer = client.list_shards(StreamName=stream, MaxResults=1)
    except Exception as error:
        raise kinesis_error(error, operation="ListShards", stream=stream) from error
    found_ms = service_time_ms(answer)
    if found_ms is None:
        raise PageUnreadable(stream, "ListShards", "it has no Date header")
    return found_ms


def _ms(time: datetime) -> int:
    return int(time.timestamp() * 1000)
