"""The pipelines of a plan: those that the configuration names, and those whose streams a pattern has found.

A stream that was begun stays: a listing that omits it says nothing, and one that was deleted is said, as a named one is.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.patterns import that_match
from firnline_ingest.config.position import StartAt
from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.kinesis.matching import Matches, list_streams, matches
from firnline_ingest.kinesis.pin import initial_pin
from firnline_ingest.kinesis.start import AtTimestamp, Pin
from firnline_ingest.ledger.backend import PlanLedger
from firnline_ingest.ledger.mark import StreamMark

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


@dataclass(slots=True)
class Streams:
    """Looks for streams at an interval, within `now`; call it from one thread."""

    config: EngineConfig
    kinesis: "KinesisClient"
    ledger: PlanLedger
    clock: Callable[[], float] = time.monotonic
    _listed: frozenset[str] = frozenset()
    _began_ms: dict[str, int] = field(default_factory=dict)
    """Of the patterns: the service's time when the application first looked for their streams."""
    _next_s: float = 0.0
    _failure: Exception | None = None

    def now(self, begun: Iterable[str]) -> tuple[list[PipelineConfig], dict[str, Exception]]:
        """The pipelines of this plan, and what is wrong with the others, by stream; by pattern where streams can't be listed.

        `begun` are the streams of the plan before this one, which is an earlier engine's where this one has just started.
        """
        if not self.config.patterns:
            return self.config.pipelines, {}
        self._look()
        found: Matches = matches(self.config, self._listed.union(begun))
        wrong: dict[str, Exception] = dict(found.overlaps)
        if self._failure is not None:
            wrong |= {pattern.streams: self._failure for pattern in self.config.patterns}
        return [*self.config.pipelines, *found.pipelines.values()], wrong

    def initial_pin(self, pipeline: PipelineConfig, client: "KinesisClient") -> Pin:
        """The first position in a stream that was never read. LATEST of a pattern means when the application first listed
        such streams: what a later stream received before it was found is read. Raises the errors of kinesis/errors.py."""
        began_ms = self._looked_since_ms(pipeline.stream)
        if began_ms and pipeline.initial_position.at is StartAt.LATEST:
            return AtTimestamp(began_ms)
        return initial_pin(pipeline.initial_position, client, pipeline.stream)

    def since_ms(self, lineage: Lineage) -> int:
        """Since when what a stream holds is the application's, where it was never read: its first plan, or its creation, where a
        pattern's streams were looked for before. So a loss is reported of what came and went before the stream was found.
        """
        began_ms, created_ms = self._looked_since_ms(lineage.stream), lineage.stream_created_ms
        return created_ms if 0 < began_ms < created_ms else lineage.listed_ms

    def _looked_since_ms(self, stream: str) -> int:
        """0 for a stream that is named, and where the ledger did not say."""
        if any(pipeline.stream == stream for pipeline in self.config.pipelines):
            return 0
        return min(
            (self._began_ms.get(each.streams, 0) for each in that_match(self.config.patterns, stream)), default=0
        )

    def _look(self) -> None:
        now_s = self.clock()
        if now_s < self._next_s:
            return
        try:
            listed = list_streams(self.kinesis)
            self._note_beginnings(listed.told_ms)
        except Exception as error:  # whatever it is, the streams that are named, and those that were begun, are planned
            self._failure = error  # the next plan asks again
        else:
            self._listed = listed.names
            self._failure, self._next_s = None, now_s + self.config.list_streams_seconds

    def _note_beginnings(self, told_ms: int) -> None:
        """Notes in the ledger, once, when each pattern was first looked for: as a stream's item, under a name that no
        stream can have."""
        for pattern in self.config.patterns:
            if pattern.streams not in self._began_ms:
                name = f"matching {pattern.streams}"
                mark = self.ledger.mark(name) or self.ledger.set_mark(name, StreamMark(name, since_ms=told_ms), None)
                self._began_ms[pattern.streams] = mark.since_ms
