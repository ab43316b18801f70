"""Options of running, whatever is read: epochs, reads, retries, failures."""

from enum import StrEnum

from pydantic import Field

from firnline_ingest.config.document import Section
from firnline_ingest.config.proxy import ProxyOptions
from firnline_ingest.config.retries import RetriesConfig


class EpochConfig(Section):
    """The time that a task keeps its shards before Spark records the epoch."""

    seconds: float = Field(default=30.0, ge=10, le=300)
    """It bounds how fast new shards are seen and a stop is honoured, not latency: rows are visible continuously."""
    shards_per_task: int = Field(default=32, ge=1, le=128)
    """One thread a shard; past about 32 the interpreter lock is the limit."""
    progress_seconds: float = Field(default=10.0, ge=0.5, le=300)
    """Between two log lines about the progress of a shard."""


class OnFailure(StrEnum):
    """Reaction of the engine when a shard or a pipeline can't go on."""

    CONTINUE = "continue"
    """It says so, leaves that one out, tries it again now and then, and goes on with the others; it ends when none is left."""
    STOP = "stop"
    """It lets the others end their epoch, and ends."""


class FailuresConfig(Section):
    """Reactions of the engine when a part of it can't go on; its exit status tells at the end either way."""

    on_failure: OnFailure = Field(default=OnFailure.CONTINUE, strict=False)
    """`continue`: one table that is missing, or one rejected row, is no reason to stop the other pipelines. `stop`: for
    a supervisor that watches nothing but the exit status."""
    patience_seconds: float = Field(default=600.0, ge=60, le=86_400)
    """How long what passes by itself (throttling, the network, Snowflake's outages) may fail before it counts as failed."""
    retry_seconds: float = Field(default=300.0, ge=10, le=86_400)
    """After this time what failed is tried again, and said again if it fails: a grant that was given heals it."""


class PollingConfig(Section):
    """Shared-throughput reads (GetRecords)."""

    max_records: int = Field(default=10_000, ge=1, le=10_000)
    """Records a read may return; a read never returns more than 10 MiB."""
    interval_ms: int = Field(default=210, ge=200, le=10_000)
    """Between two reads of a shard: the service allows five a second to all consumers together. At 0.3 MB/s a shard 1,000 takes
    half of the CPU, and a record is read up to so much later."""
    idle_interval_ms: int = Field(default=2000, ge=200, le=10_000)
    """Between two reads of a shard to which nothing came for a while, at most: after ten seconds a tenth of that pause, where
    it is longer than `interval_ms`. The first record after the pause may wait so long; other consumers have the reads."""


class FanOutConfig(Section):
    """The client of fan-out in a worker process (SubscribeToShard)."""

    max_concurrency: int | None = Field(default=None, ge=1, le=10_000)
    """Subscriptions that a process holds open at once; one for each of its shards by default (`epoch.shards_per_task`). With
    fewer, its shards take turns of ten seconds: nothing is lost, and each one's lag grows while it waits."""
    read_timeout_seconds: float = Field(default=60.0, ge=10, le=600)
    """A subscription on which nothing came for so long is taken for dead and renewed. Also a shard without records gets events,
    every few seconds."""


class RunOptions(Section):
    """The sections that an environment's specification and an engine's configuration share."""

    epoch: EpochConfig = EpochConfig.default()
    """How long a task keeps its shards."""
    polling: PollingConfig = PollingConfig.default()
    """How streams are read that are polled."""
    fan_out: FanOutConfig = FanOutConfig.default()
    """How many subscriptions a process holds, and how long one may be silent."""
    retries: RetriesConfig = RetriesConfig.default()
    """How often the engine tries again, and after which pauses."""
    failures: FailuresConfig = FailuresConfig.default()
    """Whether the engine stays up when a pipeline can't go on, and its patience."""
    proxy: ProxyOptions | None = None
    """The HTTP proxy in front of all that the engine asks; that of its environment by default."""
