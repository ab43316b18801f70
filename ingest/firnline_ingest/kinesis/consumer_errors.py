"""Errors of a registered consumer, by which fan-out reads."""

from firnline_ingest.errors import Fatal, KinesisError, Retryable, declared


@declared
class ConsumerMissing(KinesisError, Fatal):
    stream: str
    consumer: str

    id = "FL-2321"
    message = "The stream {stream!r} has no registered consumer {consumer}."
    next_step = (
        "register it (streams[].consumers of the specification, or registration: lazy), or correct reader.fan_out: "
        "the ARN of a consumer ends with the time of its registration, so one that was recreated has another ARN."
    )
    causes = (
        "The consumer of `reader.fan_out` was never registered, or was deregistered; one that is registered again has "
        "another ARN"
    )
    remedy = "register it; `pulumi up` writes its new ARN into the configuration"


@declared
class SubscriptionTaken(KinesisError, Retryable):
    """One consumer has one subscription to a shard: a later subscriber takes it over."""

    stream: str
    cause: str

    id = "FL-2322"
    message = "The subscription to a shard of {stream!r} is not to be had now: {cause}"
    next_step = "nothing: it is asked for again. After a restart, or while a consumer is being made, that is usual."
    causes = (
        "A subscription began less than five seconds ago, another process took it over, or the consumer is still being "
        "made"
    )
    remedy = "nothing; if it lasts, FL-2323 follows"


@declared
class ConsumerShared(KinesisError, Fatal):
    shard: str
    consumer: str
    times: int

    id = "FL-2323"
    message = (
        "The subscription to {shard} was taken over {times} times in ten minutes: somebody else reads through "
        "{consumer}."
    )
    next_step = (
        "give each application a consumer of its own (reader.fan_out), and stop the other one: two readers of one "
        "consumer take each other's subscription away for ever."
    )
    causes = (
        "**two readers have one consumer** and take each other's subscriptions away. Nothing is lost or doubled, and "
        "both are slow"
    )
    remedy = "a consumer for each application"


@declared
class ConsumerElsewhere(KinesisError, Fatal):
    """Shards of all streams have the same ids: its records would be taken for those of this one."""

    stream: str
    consumer: str
    other: str

    id = "FL-2324"
    message = "{consumer} is a consumer of {other}, and not of the stream {stream!r} that is read in this account."
    next_step = "name a consumer of this stream (reader.fan_out of its pipeline)."
    causes = (
        "**the consumer of `reader.fan_out` belongs to another stream**, or to one of the same name in another account "
        "or region. Nothing was read through it"
    )
    remedy = "the ARN of a consumer of the pipeline's own stream"


@declared
class ConsumerForeign(KinesisError, Fatal):
    stream: str
    consumer: str

    id = "FL-2325"
    message = (
        "The stream {stream!r} has a consumer {consumer} already, which this application did not register: somebody "
        "may read by it."
    )
    next_step = (
        "give the pipeline a name of its own (reader.fan_out.consumer). If nobody reads by that one, deregister it, "
        "or name its ARN with registration: none."
    )
    causes = (
        "The stream has a consumer of this name that the application's ledger does not know as its own: another "
        "application's, one that was created by hand, or the ledger was lost"
    )
    remedy = (
        "another name (`reader.fan_out.consumer`). If nothing reads by it: `aws kinesis deregister-stream-consumer`, or "
        "its ARN with `registration: none`"
    )


@declared
class ConsumersExhausted(KinesisError, Retryable):
    """The service's code is the same for a moment's rate and for a stream that is full."""

    stream: str
    consumer: str
    cause: str

    id = "FL-2326"
    message = "kinesis:RegisterStreamConsumer of {consumer!r} on {stream!r} met a limit: {cause}"
    next_step = (
        "it is tried again. An account takes five registrations a second, and a stream has 20 consumers (50 with "
        "On-demand Advantage): if it lasts, deregister one that nothing reads by (aws kinesis list-stream-consumers "
        "names those of {stream}), or say reader: polling."
    )
    causes = (
        "A stream has 20 consumers at most (50 with On-demand Advantage), its queues among them, and an account takes five "
        "registrations a second; the service's code is the same for both"
    )
    remedy = "it is tried again. If it lasts, deregister one that nothing reads by, or set `reader: polling`"


@declared
class ConsumerUnready(KinesisError, Retryable):
    stream: str
    consumer: str
    cause: str

    id = "FL-2327"
    message = "The consumer {consumer} of {stream!r} can't be read by yet: {cause}"
    next_step = "nothing: it is looked at again. Registering takes some seconds."
    causes = "The consumer is being made or removed, or another engine of the application registers it"
    remedy = "nothing"


@declared
class ConsumerGone(KinesisError, Retryable):
    """A consumer is missing that the engine had registered itself; see ConsumerMissing for others."""

    stream: str
    consumer: str

    id = "FL-2328"
    message = "The consumer {consumer} of {stream!r} was deregistered while this engine read by it."
    next_step = (
        "nothing is lost: the engine registers one again with its next plan. If somebody deregisters it on purpose, "
        "say reader: polling instead."
    )
    causes = "The consumer that the engine had registered was deregistered"
    remedy = "nothing is lost; the engine registers it again with its next plan"
