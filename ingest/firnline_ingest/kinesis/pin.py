"""Pins a pipeline's initial position, once, before the first read.

LATEST is evaluated here and nowhere else: it becomes the service's own time, so that no retry and no restart moves it.
"""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from firnline_ingest.config.position import InitialPosition, StartAt
from firnline_ingest.errors import Fatal, KinesisError, declared
from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.errors import PageUnreadable
from firnline_ingest.kinesis.service_time import service_time_ms
from firnline_ingest.kinesis.start import AtTimestamp, Pin, TrimHorizon

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


SECOND_MS = 1000  # the service tells whole seconds


@declared
class StartInFuture(KinesisError, Fatal):
    """A time that has not come, by the service's clock: perhaps one of another zone, or a year mistyped."""

    stream: str
    timestamp: datetime
    now_ms: int

    id = "FL-2344"
    message = (
        "{stream!r} is to be read from {timestamp}, and Kinesis has {now}: what arrives until then would be left out."
    )
    next_step = (
        "check initial_position.timestamp and its offset; LATEST begins now. An engine that runs tries again, and "
        "begins when the time has come."
    )
    causes = (
        "`initial_position.timestamp` of a stream that was never read has not come yet, by Kinesis' clock. Its "
        "pipeline stands still and the others go on; it begins when the time has come, and is tried every five minutes"
    )
    remedy = "the date and its offset; `LATEST` begins now"

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.now_ms / 1000, UTC)


@declared
class EndInFuture(KinesisError, Fatal):
    """A bounded run ends where it finds nothing more: it would not wait for what arrives until then."""

    until: datetime
    now_ms: int

    id = "FL-2345"
    message = "The run is to read what arrived until {until}, and Kinesis has {now}."
    next_step = "check the time of --until and its offset; --available-now reads what has arrived by now."
    causes = "`run --until` names a time that has not come yet, by Kinesis' clock. Nothing was read"
    remedy = "the date and its offset; `--available-now` ends with what has arrived by now"

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.now_ms / 1000, UTC)


@declared
class WindowEmpty(KinesisError, Fatal):
    """A bounded run whose end comes before its beginning would read nothing, and end as if all were well."""

    stream: str
    timestamp: datetime
    until: datetime

    id = "FL-2346"
    message = "{stream!r} is to be read from {timestamp} until {until}, which is before it."
    next_step = "compare --until with initial_position.timestamp, and the offsets of both."
    causes = "`run --until` names a time before the `initial_position.timestamp` of a pipeline. Nothing was read"
    remedy = "both times and their offsets"


def initial_pin(position: InitialPosition, client: "KinesisClient", stream: str) -> Pin:
    """Raises StartInFuture, and the errors of kinesis/errors.py."""
    if position.at is StartAt.LATEST:
        return AtTimestamp(server_time_ms(client, stream))
    if position.timestamp is not None:
        now_ms = server_time_ms(client, stream)
        if in_ms(position.timestamp) > now_ms + SECOND_MS:
            raise StartInFuture(stream, position.timestamp, now_ms)
        return AtTimestamp(in_ms(position.timestamp))
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


def in_ms(time: datetime) -> int:
    return int(time.timestamp() * 1000)
