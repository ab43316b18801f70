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


class ConsumerForeign(KinesisError, Fatal):
    id = "FL-2325"

    def __init__(self, stream: str, consumer: str) -> None:
        super().__init__(
            f"The stream {stream!r} has a consumer {consumer} already, which this application did not register: somebody may "
            "read by it.",
            next_step="give the pipeline a name of its own (reader.fan_out.consumer). If nobody reads by that one, deregister "
            "it, or name its ARN with registration: none.",
        )


class ConsumersExhausted(KinesisError, Retryable):
    """Its code is the same for a moment's rate and for a stream that is full."""

    id = "FL-2326"

    def __init__(self, stream: str, consumer: str, cause: str) -> None:
        super().__init__(
            f"kinesis:RegisterStreamConsumer of {consumer!r} on {stream!r} met a limit: {cause}",
            next_step="it is tried again. A stream takes five registrations a second, and has 20 consumers: if it lasts, "
            f"deregister one that nobody reads by (aws kinesis list-stream-consumers names those of {stream}), or say "
            "reader: polling.",
        )


class ConsumerUnready(KinesisError, Retryable):
    id = "FL-2327"

    def __init__(self, stream: str, consumer: str, cause: str) -> None:
        super().__init__(
            f"The consumer {consumer} of {stream!r} can't be read by yet: {cause}",
            next_step="nothing: it is looked at again. Registering takes some seconds.",
        )


class ConsumerGone(KinesisError, Retryable):
    """As ConsumerMissing, of one that the engine registered itself."""

    id = "FL-2328"

    def __init__(self, stream: str, consumer: str) -> None:
        super().__init__(
            f"The consumer {consumer} of {stream!r} was deregistered while this engine read by it.",
            next_step="nothing is lost: the engine registers one again with its next plan. If somebody deregisters it on "
            "purpose, say reader: polling instead.",
        )
