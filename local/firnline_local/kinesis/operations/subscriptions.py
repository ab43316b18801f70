"""SubscribeToShard, with its rules for the same consumer and shard: one call a second, five seconds between two that succeed,
and a later one takes over what an earlier one had.
"""

from typing import Annotated

from msgspec import Meta

from firnline_local.kinesis.errors import in_use, invalid_argument, limit_exceeded
from firnline_local.kinesis.iterator import place
from firnline_local.kinesis.operations.consumers import find_consumer
from firnline_local.kinesis.operations.records import ITERATOR_TYPES
from firnline_local.kinesis.operations.request import ApiRequest, Timestamp, timestamp_ms
from firnline_local.kinesis.stream import Consumer, KinesisAccount
from firnline_local.kinesis.subscription import AGAIN_AFTER_MS, CALLS_APART_MS, Subscription


class StartingPosition(ApiRequest):
    type: str
    sequence_number: Annotated[str, Meta(pattern=r"^(0|[1-9]\d{0,128})$")] | None = None
    timestamp: Timestamp | None = None


class SubscribeToShard(ApiRequest, kw_only=True):
    consumer_arn: str
    shard_id: str
    starting_position: StartingPosition


def subscribe(account: KinesisAccount, request: SubscribeToShard) -> Subscription:
    now_ms, shard_id = account.now_ms(), request.shard_id
    consumer = find_consumer(account, consumer_arn=request.consumer_arn)
    stream = account.find(arn=consumer.stream_arn)
    if consumer.status(now_ms) != "ACTIVE":
        raise in_use(f"Consumer {consumer.arn} is {consumer.status(now_ms)}, and has to be ACTIVE.")
    shard = stream.shard(shard_id)
    _obey_its_rate(account, consumer, shard_id, now_ms)
    position = request.starting_position
    if position.type not in ITERATOR_TYPES:
        raise invalid_argument(f"StartingPosition.Type has to be one of {', '.join(ITERATOR_TYPES)}.")
    index, from_ms = place(
        stream,
        shard,
        position.type,
        sequence_number=position.sequence_number,
        timestamp_ms=None if position.timestamp is None else timestamp_ms(position.timestamp),
    )
    for earlier in [each for each in shard.subscriptions if each.consumer_name == consumer.name]:
        earlier.error = in_use(f"Another subscription of {consumer.name} to {shard_id} has begun.")
        earlier.wake()
    consumer.subscribed_ms[shard_id] = now_ms
    subscription = Subscription(
        account=account,
        stream=stream,
        consumer_name=consumer.name,
        shard=shard,
        index=index,
        from_ms=from_ms,
        started_ms=now_ms,
    )
    shard.subscriptions.add(subscription)
    return subscription


def _obey_its_rate(account: KinesisAccount, consumer: Consumer, shard_id: str, now_ms: int) -> None:
    """Raises LimitExceededException and ResourceInUseException."""
    asked_ms, consumer.asked_ms[shard_id] = consumer.asked_ms.get(shard_id), now_ms
    succeeded_ms = consumer.subscribed_ms.get(shard_id)
    if succeeded_ms is not None and now_ms < succeeded_ms + AGAIN_AFTER_MS:
        raise in_use(f"Another active subscription exists for {consumer.arn} and {shard_id}.")
    if account.read_limits and asked_ms is not None and now_ms < asked_ms + CALLS_APART_MS:
        raise limit_exceeded(f"Rate exceeded for SubscribeToShard of {consumer.name} and {shard_id}.")
