"""Registered consumers. One is active at once, and gone at once, unless the account says how long that takes."""

from typing import Annotated, Any

from msgspec import Meta, field

from firnline_local.kinesis.errors import in_use, invalid_argument, limit_exceeded, not_found
from firnline_local.kinesis.limits import CREATING_AT_ONCE
from firnline_local.kinesis.operations.request import ApiRequest, Name, Timestamp
from firnline_local.kinesis.stream import CREATING, Consumer, KinesisAccount

MAX_CONSUMERS = 20  # of a stream (developer guide, "Quotas and limits")
CONSUMER_PART = "/consumer/"


class RegisterStreamConsumer(ApiRequest, kw_only=True):
    stream_arn: str
    consumer_name: Name
    tags: dict[str, str] = field(default_factory=dict)


class ConsumerRequest(ApiRequest):
    """The consumer's ARN, or the stream's with the consumer's name."""

    stream_arn: str | None = None
    consumer_name: Name | None = None
    consumer_arn: str | None = None

    def consumer(self, account: KinesisAccount) -> Consumer:
        return find_consumer(
            account, stream_arn=self.stream_arn, name=self.consumer_name, consumer_arn=self.consumer_arn
        )


class ListStreamConsumers(ApiRequest, kw_only=True):
    stream_arn: str
    next_token: str = ""
    max_results: Annotated[int, Meta(ge=1, le=10000)] = 100
    stream_creation_timestamp: Timestamp | None = None


def find_consumer(
    account: KinesisAccount, *, stream_arn: str | None = None, name: str | None = None, consumer_arn: str | None = None
) -> Consumer:
    """Raises ResourceNotFoundException."""
    if consumer_arn is None and (stream_arn is None or name is None):
        raise invalid_argument("Either ConsumerARN has to be given, or StreamARN and ConsumerName.")
    if consumer_arn is not None:
        stream_arn, _, rest = consumer_arn.partition(CONSUMER_PART)
        name = rest.partition(":")[0]
    consumer = account.find(arn=stream_arn).consumers.get(name or "")
    if consumer is None or consumer_arn not in (None, consumer.arn):
        raise not_found(f"Consumer {consumer_arn or name} under account {account.account_id} not found.")
    return consumer


def register(account: KinesisAccount, request: RegisterStreamConsumer) -> dict[str, Any]:
    stream, now_ms = account.find(arn=request.stream_arn), account.now_ms()
    account.meter(stream.consumer_calls["RegisterStreamConsumer"], "RegisterStreamConsumer")
    if stream.status(now_ms) == CREATING:
        raise in_use(f"Stream {stream.name} is CREATING, and has to be ACTIVE.")
    if request.consumer_name in stream.consumers:
        raise in_use(f"Consumer {request.consumer_name} of stream {stream.name} already exists.")
    if len(stream.consumers) >= MAX_CONSUMERS:
        raise limit_exceeded(f"Stream {stream.name} has {MAX_CONSUMERS} consumers already.")
    if sum(each.status(now_ms) == "CREATING" for each in stream.consumers.values()) >= CREATING_AT_ONCE:
        raise limit_exceeded(f"Stream {stream.name} has {CREATING_AT_ONCE} consumers that are being made.")
    active_ms = now_ms + round(account.consumer_change_s * 1000)
    consumer = Consumer(
        name=request.consumer_name,
        stream_arn=stream.arn,
        created_ms=now_ms,
        active_ms=active_ms,
        tags=dict(request.tags),
    )
    stream.consumers[consumer.name] = consumer
    return {"Consumer": consumer.as_json(now_ms)}


def describe(account: KinesisAccount, request: ConsumerRequest) -> dict[str, Any]:
    consumer = request.consumer(account)
    meters = account.find(arn=consumer.stream_arn).consumer_calls
    account.meter(meters["DescribeStreamConsumer"], "DescribeStreamConsumer")
    return {"ConsumerDescription": {**consumer.as_json(account.now_ms()), "StreamARN": consumer.stream_arn}}


def list_consumers(account: KinesisAccount, request: ListStreamConsumers) -> dict[str, Any]:
    """A NextToken is the name of the last consumer that was shown."""
    stream = account.find(arn=request.stream_arn)
    account.meter(stream.consumer_calls["ListStreamConsumers"], "ListStreamConsumers")
    consumers = stream.consumers
    left = [consumers[name] for name in sorted(consumers) if name > request.next_token]
    page = left[: request.max_results]
    more = {"NextToken": page[-1].name} if len(page) < len(left) else {}
    return {"Consumers": [consumer.as_json(account.now_ms()) for consumer in page], **more}


def deregister(account: KinesisAccount, request: ConsumerRequest) -> None:
    consumer = request.consumer(account)
    stream = account.find(arn=consumer.stream_arn)
    account.meter(stream.consumer_calls["DeregisterStreamConsumer"], "DeregisterStreamConsumer")
    if account.consumer_change_s:
        consumer.gone_ms = account.now_ms() + round(account.consumer_change_s * 1000)
    else:
        del stream.consumers[consumer.name]


OPERATIONS = {
    "DeregisterStreamConsumer": (ConsumerRequest, deregister),
    "DescribeStreamConsumer": (ConsumerRequest, describe),
    "ListStreamConsumers": (ListStreamConsumers, list_consumers),
    "RegisterStreamConsumer": (RegisterStreamConsumer, register),
}
