"""The table that the tasks of one process write to: its channels, and whether it takes the columns of a DataFrame."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import ClassVar, Self

from firnline_ingest.datasource.snowpipe.errors import BatchDiffers
from firnline_ingest.datasource.snowpipe.options import SINK, SnowpipeOptions
from firnline_ingest.datasource.snowpipe.place import Place
from firnline_ingest.dead_letters.store import open_store
from firnline_ingest.errors import ConfigError, FirnlineError
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.values import Position, TargetTable

LOOK_EVERY_S = 60.0
AT_ONCE = 50
"""Channels that are asked for in one request."""


class SnowflakeTable:
    """Thread-safe. One a process and set of options: a client of the SDK takes a second to be made."""

    _made: ClassVar[dict[SnowpipeOptions, Self]] = {}
    _lock: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, options: SnowpipeOptions, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._pipeline = options.pipeline
        self._catalog = TargetCatalog(options.config)
        self._clock = clock
        self._looking = threading.Lock()
        self._state: TargetState | None = None
        self._columns: dict[str, bool] = {}
        self._looked_s = 0.0
        self.channels = SdkChannels(options.config)
        self.letters = open_store(options.letters_config) if options.dead_letters else None
        """Where rows are kept that no channel takes."""

    @classmethod
    def of(cls, options: SnowpipeOptions) -> Self:
        with cls._lock:
            if options not in cls._made:
                cls._made[options] = cls(options)
            return cls._made[options]

    @property
    def target(self) -> TargetTable:
        """Raises what TargetCatalog.states gives and raises."""
        return self._looked_at().target

    def check(self, names: Sequence[str]) -> None:
        """Raises ConfigError where values would get lost: a column that the table lacks, rejected rows that it does not keep."""
        state, problems = self._looked_at(), []
        where, there = str(state.target), {name.upper(): takes_null for name, takes_null in self._columns.items()}
        if state.matches_by_name and not (state.evolves):
            problems += [
                f"schema: {where} has no column {name.upper()}, and its values would be dropped: add it, or leave {name} out"
                for name in names
                if name.upper() not in there
            ]
        if state.matches_by_name:
            given = {name.upper() for name in names}
            problems += [
                f"schema: {where} has a column {name} that is NOT NULL, and the DataFrame has none"
                for name, takes_null in there.items()
                if not takes_null and name not in given
            ]
        if not state.logs_errors:
            problems.append(f"table: {where} keeps no rejected rows: ALTER TABLE {where} SET ERROR_LOGGING = TRUE")
        if problems:
            with self._looking:
                self._state = None
            raise ConfigError(SINK, problems)

    def refuse_left_over(self, query: str, batch: int, partitions: int, channel: Callable[[int], str]) -> None:
        """Raises BatchDiffers where a partition behind the last one has rows of this batch: it was cut otherwise before, so that
        they are in other partitions now.
        """
        first, has_more = partitions, True
        while has_more:
            names = [channel(partition) for partition in range(first, first + AT_ONCE)]
            found = self.channels.tokens(self.target, names)
            for name in names:
                token = found.get(name)
                place = Place.of(Position.from_token(token)) if token else None
                if place is not None and place.is_of(query, batch):
                    why = f"it has {place.rows:,} rows of the batch, which had more than its {partitions} partitions"
                    raise BatchDiffers(name, batch, why)
            first, has_more = first + AT_ONCE, any(found.values())

    def _looked_at(self) -> TargetState:
        with self._looking:
            if self._state is None or self._clock() - self._looked_s > LOOK_EVERY_S:
                found = self._catalog.states([self._pipeline])[self._pipeline.stream]
                if isinstance(found, FirnlineError):
                    raise found
                self._columns = self._catalog.columns_of(found.target)
                self._state, self._looked_s = found, self._clock()
            return self._state
