"""The registered consumers that a process reads by: looked at once, before the first subscription."""

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from firnline_ingest.kinesis.aws_errors import INVALID_ARGUMENT, answered, understood
from firnline_ingest.kinesis.consumer_errors import ConsumerElsewhere, ConsumerMissing, SubscriptionTaken
from firnline_ingest.kinesis.errors import StreamMissing, StreamRequestMalformed
from firnline_ingest.kinesis.lineage import read_summary

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


class Consumers:
    """Thread-safe: shards of a stream share its consumer, and one of them asks for all."""

    def __init__(self, client: "KinesisClient") -> None:
        self._client = client
        self._lock = threading.Lock()
        self._active: set[str] = set()

    def make_sure_of(self, stream: str, arn: str) -> None:
        """Makes sure that the consumer can be subscribed with.

        Raises ConsumerMissing, ConsumerElsewhere, SubscriptionTaken while it is being made, and the errors of
        kinesis/errors.py.
        """
        with self._lock:
            if arn in self._active:
                return
        found = describe(self._client, stream, arn)
        of_stream, status = understood(
            lambda: (found["StreamARN"], found["ConsumerStatus"]), operation="DescribeStreamConsumer", stream=stream
        )
        if of_stream != read_summary(self._client, stream).arn:
            raise ConsumerElsewhere(stream, arn, of_stream)
        if status != "ACTIVE":
            raise SubscriptionTaken(stream, f"the consumer {arn} is {status}, and has to be ACTIVE.")
        with self._lock:
            self._active.add(arn)

    def forget(self, arn: str) -> None:
        """The service does not know it, or something that was asked for together with it."""
        with self._lock:
            self._active.discard(arn)


def describe(client: "KinesisClient", stream: str, arn: str) -> dict[str, Any]:
    """Raises ConsumerMissing, or StreamMissing where the stream is gone too, and the other errors of kinesis/errors.py."""
    return _described(client, stream, arn, ConsumerARN=arn)


def find_arn(client: "KinesisClient", stream: str, stream_arn: str, name: str) -> str:
    """Returns the ARN of the stream's consumer of this name. Raises what `describe` raises."""
    found = _described(client, stream, name, StreamARN=stream_arn, ConsumerName=name)
    return understood(lambda: str(found["ConsumerARN"]), operation="DescribeStreamConsumer", stream=stream)


def _described(client: "KinesisClient", stream: str, consumer: str, **which: str) -> dict[str, Any]:
    call = partial(client.describe_stream_consumer, **which)
    try:
        answer = answered(call, operation="DescribeStreamConsumer", stream=stream, needs="ConsumerDescription")
    except StreamRequestMalformed as error:
        if error.code != INVALID_ARGUMENT:  # so the service calls an ARN that it does not take
            raise
        raise ConsumerMissing(stream, consumer) from error
    except StreamMissing as error:
        read_summary(client, stream)
        raise ConsumerMissing(stream, consumer) from error
    found: dict[str, Any] = answer["ConsumerDescription"]
    return found
