"""Objects of each service user: sessions, channels. Pipelines without a user of their own share the engine's."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from firnline_ingest.config.login import ServiceLogin
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.snowflake.channel import ChannelOpener

Made = TypeVar("Made")
ChannelsOf = Callable[[PipelineConfig], ChannelOpener]
"""Who opens a pipeline's channels: the client of its service user."""


class PerLogin(Generic[Made]):
    """Thread-safe. `make` gets the configuration as one of the users has it, and is called when that is needed first."""

    def __init__(self, config: EngineConfig, make: Callable[[EngineConfig], Made]) -> None:
        self._config = config
        self._make = make
        self._lock = threading.Lock()
        self._made: dict[ServiceLogin | None, Made] = {}

    def of(self, pipeline: PipelineConfig) -> Made:
        with self._lock:
            if pipeline.login not in self._made:
                self._made[pipeline.login] = self._make(self._config.logged_in_for(pipeline))
            return self._made[pipeline.login]

    def all(self) -> tuple[Made, ...]:
        """The sessions that were needed so far."""
        with self._lock:
            return tuple(self._made.values())
