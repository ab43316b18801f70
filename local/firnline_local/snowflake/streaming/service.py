"""The streaming service as one object: what its routes, its control routes and its tests hold."""

from collections.abc import Callable
from time import monotonic

from firnline_local.faults import FaultPlan
from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.streaming.access import ScopedTokens
from firnline_local.snowflake.streaming.channels import Channels
from firnline_local.snowflake.streaming.commits import CommitLog, StepWriter
from firnline_local.snowflake.streaming.committer import Committer
from firnline_local.snowflake.streaming.settings import StreamingCounts, StreamingSettings


class StreamingService:
    """Channels over one catalog, and the thread that commits their rows between `start` and `close`."""

    def __init__(
        self,
        catalog: Catalog,
        faults: FaultPlan,
        *,
        settings: StreamingSettings | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.catalog = catalog
        self.faults = faults
        self.settings = settings or StreamingSettings()
        self.counts = StreamingCounts()
        self.log = CommitLog()
        self.now = now
        self.tokens = ScopedTokens(catalog.clock)
        self.channels = Channels(catalog, self.settings, self.counts, now)
        self.committer = Committer(
            catalog,
            self.channels,
            settings=self.settings,
            counts=self.counts,
            writer=StepWriter(catalog, self.counts, self.log),
            now=now,
        )

    def start(self) -> None:
        self.committer.start()

    def close(self) -> None:
        self.committer.close()
