"""Retries of an operation of Kinesis: how often, and after which pauses.

A pause is random: after the n-th failure in a row it is at most base * factor^(n-1), and never more than the maximum, so that
readers that were refused together do not come back together.
"""

from typing import Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section

HIGHEST_POWER = 64  # of the factor: any larger one has met the maximum long before


class Retry(Section):
    """The retries of one operation."""

    attempts: int | None = Field(default=None, ge=1, le=10_000)
    """Failures in a row after which it counts as failed. Without a number it is tried for as long as it takes; the shard says
    meanwhile what keeps it, and `failures.patience_seconds` decides."""
    base_ms: int | None = Field(default=None, ge=1, le=60_000)
    """The longest first pause; by default, twice `polling.interval_ms`."""
    max_ms: int = Field(default=5000, ge=1, le=300_000)
    """The longest pause."""
    factor: float = Field(default=2.0, ge=1, le=10)
    """What a pause is multiplied by after each failure."""

    @model_validator(mode="after")
    def _grows_towards_the_maximum(self) -> Self:
        if self.base_ms is not None and self.base_ms > self.max_ms:
            raise ValueError(f"base_ms ({self.base_ms}) is more than max_ms ({self.max_ms})")
        return self

    def longest_s(self, failures: int, *, interval_s: float = 0.0) -> float:
        """The longest pause after so many failures in a row; `interval_s` is that between two reads of a shard."""
        base_s = 2 * interval_s if self.base_ms is None else self.base_ms / 1000
        return min(self.max_ms / 1000, base_s * self.factor ** min(failures - 1, HIGHEST_POWER))

    def is_over(self, failures: int) -> bool:
        """Returns whether a plan, which comes again, gives up after so many failures in a row."""
        return self.attempts is not None and failures >= self.attempts

    def is_over_for_a_shard(self, failures: int) -> bool:
        """The same of a shard's own thread, where giving up is a failure of the shard: only a number that a person set counts,
        not the default of an operation that plans wait for.
        """
        return "attempts" in self.model_fields_set and self.is_over(failures)


class PlanRetry(Retry):
    """The retries of an operation that an epoch's plan waits for. All streams wait meanwhile, so it gives up until the next
    plan."""

    attempts: int | None = Field(default=5, ge=1, le=100)
    """Failures in a row after which the epoch begins without the stream; the next plan tries again."""
    base_ms: int | None = Field(default=250, ge=1, le=60_000)
    """The longest first pause."""
    max_ms: int = Field(default=2000, ge=1, le=300_000)
    """The longest pause."""


class RegistrationRetry(Retry):
    """The retries of registering a consumer, and of deregistering it."""

    attempts: int | None = Field(default=10, ge=1, le=10_000)
    """Failures in a row after which it counts as failed."""
    base_ms: int | None = Field(default=500, ge=1, le=60_000)
    """The longest first pause."""
    max_ms: int = Field(default=2000, ge=1, le=300_000)
    """The longest pause."""
    factor: float = Field(default=1.5, ge=1, le=10)
    """What a pause is multiplied by after each failure."""
    timeout_seconds: int = Field(default=60, ge=1, le=3600)
    """How long it is tried for, and waited until a registered consumer is active."""


class RetriesConfig(Section):
    """The operations by which streams are read; what is not given here is as it always was."""

    describe_stream: PlanRetry = PlanRetry.default()
    """DescribeStreamSummary: which stream it is, and how long it keeps records."""
    list_shards: PlanRetry = PlanRetry.default()
    """ListShards: which shards there are."""
    describe_stream_consumer: Retry = Retry.default()
    """DescribeStreamConsumer, before the first subscription."""
    register_stream_consumer: RegistrationRetry = RegistrationRetry.default()
    """RegisterStreamConsumer, and the wait until the consumer is active."""
    deregister_stream_consumer: RegistrationRetry = RegistrationRetry.default()
    """DeregisterStreamConsumer: how long it is tried for. The engine does not wait until the consumer is gone."""
    subscribe_to_shard: Retry = Retry.default()
    """SubscribeToShard. The service itself asks for five seconds between two subscriptions."""
    get_records: Retry = Retry.default()
    """GetRecords."""
    get_shard_iterator: Retry = Retry.default()
    """GetShardIterator."""

    def of(self, operation: str) -> Retry | None:
        """The retries of an operation, by its name in the service's API; None for one that is not settable."""
        return getattr(self, FIELDS[operation]) if operation in FIELDS else None


FIELDS = {
    "DescribeStreamSummary": "describe_stream",
    "ListShards": "list_shards",
    "DescribeStreamConsumer": "describe_stream_consumer",
    "RegisterStreamConsumer": "register_stream_consumer",
    "DeregisterStreamConsumer": "deregister_stream_consumer",
    "SubscribeToShard": "subscribe_to_shard",
    "GetRecords": "get_records",
    "GetShardIterator": "get_shard_iterator",
}

UNCHANGED = RetriesConfig.default()
"""Where nothing is set."""
