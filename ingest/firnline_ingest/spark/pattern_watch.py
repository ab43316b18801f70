"""Says which pattern has no stream: it may be a mistake, or its first stream is yet to come."""

import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.patterns import groups_of
from firnline_ingest.kinesis.matching import NothingMatches

AGAIN_S = 300.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class PatternWatch:
    """Looks at every plan, and says of each pattern what changed: at once, and every five minutes while it has none."""

    config: EngineConfig
    clock: Callable[[], float] = time.monotonic
    _found: dict[str, int] = field(default_factory=dict)
    _again_s: dict[str, float] = field(default_factory=dict)

    def look(self, planned: Collection[str]) -> None:
        """`planned` are the streams of a plan, those with problems too. Streams that are paused are in none."""
        named = {pipeline.stream for pipeline in self.config.pipelines}
        for pattern in self.config.patterns:
            if pattern.streams in planned:
                continue  # streams can't be listed, which is said as a problem
            streams = sorted(name for name in planned if name not in named and groups_of(pattern, name) is not None)
            if streams and self._found.get(pattern.streams) != len(streams):
                log.info("pattern.streams", extra={"pattern": pattern.streams, "streams": streams})
            self._found[pattern.streams] = len(streams)
            if not streams and self.clock() >= self._again_s.get(pattern.streams, 0.0):
                error = NothingMatches(pattern)
                said = {"problem": error.id, "what": error.what, "next_step": error.next_step}
                log.warning("pattern.empty", extra={"pattern": pattern.streams, **said})
                self._again_s[pattern.streams] = self.clock() + AGAIN_S
