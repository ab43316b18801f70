"""What can be wrong with a registered consumer, by which fan-out reads."""

from firnline_ingest.errors import Fatal, KinesisError, Retryable


class ConsumerMissing(KinesisError, Fatal):
    id = "FL-2321"

    def __init__(self, stream: str, consumer: str) -> None:
        super().__init__(
            f"The stream {stream!r} has no registered consumer {consumer}.",
            next_step="register it (streams[].consumers of the specification, or registration: lazy), or correct "
            "reader.fan_out: the ARN of a consumer ends with the time of its registration, so one that was made again has "
            "another ARN.",
        )


class SubscriptionTaken(KinesisError, Retryable):
    """One consumer has one subscription to a shard: whoever subscribes later takes it over."""

    id = "FL-2322"

    def __init__(self, stream: str, cause: str) -> None:
        super().__init__(
            f"The subscription to a shard of {stream!r} is not to be had now: {cause}",
            next_step="nothing: it is asked for again. After a restart, or while a consumer is being made, that is usual.",
        )


class ConsumerShared(KinesisError, Fatal):
    id = "FL-2323"

    def __init__(self, shard: str, consumer: str, times: int) -> None:
        super().__init__(
            f"The subscription to {shard} was taken over {times} times in ten minutes: somebody else reads through {consumer}.",
            next_step="give each application a consumer of its own (reader.fan_out), and stop the other one: two readers of one "
            "consumer take each other's subscription away for ever.",
        )


class ConsumerElsewhere(KinesisError, Fatal):
    """Shards of all streams have the same ids: its records would be taken for those of this one."""

    id = "FL-2324"

    def __init__(self, stream: str, consumer: str, other: str) -> None:
        super().__init__(
            f"{consumer} is a consumer of {other}, and not of the stream {stream!r} that is read in this account.",
            next_step="name a consumer of this stream (reader.fan_out of its pipeline).",
        )
