"""The service's word on registered consumers by name: whether there is one, and making and removing one. It judges nothing."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from firnline_ingest.kinesis.aws_errors import answered, kinesis_error, understood
from firnline_ingest.kinesis.consumer_errors import ConsumersExhausted, SubscriptionTaken
from firnline_ingest.kinesis.errors import StreamMissing, StreamThrottled

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

ACTIVE = "ACTIVE"


class NameTaken(Exception):
    """A consumer of that name is there by now."""


@dataclass(frozen=True, slots=True)
class Consumer:
    """A registered one, as the service tells it."""

    arn: str
    status: str
    created_ms: int

    @classmethod
    def told(cls, answer: Any) -> Self:
        created_ms = int(answer["ConsumerCreationTimestamp"].timestamp() * 1000)
        return cls(answer["ConsumerARN"], answer["ConsumerStatus"], created_ms)


def find_consumer(client: "KinesisClient", stream: str, stream_arn: str, name: str) -> Consumer | None:
    """Finds a consumer by name; None if there is none. Raises the errors of kinesis/errors.py.

    It reads the list of all consumers, which a policy allows on the stream: for a consumer that does not exist, AWS
    documents no resource on which to allow its description by name.
    """
    page: dict[str, Any] = {"StreamARN": stream_arn}
    while True:
        call = partial(client.list_stream_consumers, **page)
        answer = answered(call, operation="ListStreamConsumers", stream=stream, needs="Consumers")
        found = understood(partial(_named, answer, name), operation="ListStreamConsumers", stream=stream)
        if found is not None:
            return found
        if "NextToken" not in answer:
            return None
        page["NextToken"] = answer["NextToken"]


def _named(answer: Any, name: str) -> Consumer | None:
    return next((Consumer.told(told) for told in answer["Consumers"] if told["ConsumerName"] == name), None)


def register_consumer(client: "KinesisClient", stream: str, stream_arn: str, name: str) -> Consumer:
    """Raises NameTaken, ConsumersExhausted, and the errors of kinesis/errors.py."""
    call = partial(client.register_stream_consumer, StreamARN=stream_arn, ConsumerName=name)
    try:
        answer = answered(call, operation="RegisterStreamConsumer", stream=stream, needs="Consumer")
    except SubscriptionTaken as error:  # so a resource in use is called wherever a reader meets it
        raise NameTaken from error
    except StreamThrottled as error:
        raise ConsumersExhausted(stream, name, str(error.__cause__)) from error
    return understood(partial(Consumer.told, answer["Consumer"]), operation="RegisterStreamConsumer", stream=stream)


def deregister_consumer(client: "KinesisClient", stream: str, arn: str) -> None:
    """Deregisters the consumer; does nothing if it is gone. Raises the errors of kinesis/errors.py."""
    try:
        client.deregister_stream_consumer(ConsumerARN=arn)
    except Exception as error:
        mapped = kinesis_error(error, operation="DeregisterStreamConsumer", stream=stream)
        if not isinstance(mapped, StreamMissing):
            raise mapped from error
