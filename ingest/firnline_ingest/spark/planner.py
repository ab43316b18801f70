"""Plans an epoch from the streams' lineage and the ledger: the source's work, without Spark.

The query's offset is an epoch, and where each shard stands. It plans, and a person can read it:

    {"v": 1, "e": 7, "streams": {"<stream>@<created ms>": {"<shard id>": "p:<token>" | "t:<ms>" | "h" | "end" | "gone"}}}

The epoch rises with every plan, so that Spark always has a next batch. Positions are a last resort: the ledger and
Snowflake know better (docs/design/ledger.md, section 1).
"""

import itertools
import json
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from firnline_ingest.config.access import HERE, Access
from firnline_ingest.config.model import AwsConfig, EngineConfig, PipelineConfig
from firnline_ingest.config.reader import registered_by_engine
from firnline_ingest.config.retries import PlanRetry
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.clients import PerAccess
from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.kinesis.lineages import Lineages
from firnline_ingest.kinesis.missing import gone_shards
from firnline_ingest.kinesis.start import AtTimestamp, Pin, TrimHorizon, parse_start
from firnline_ingest.ledger.backend import PlanLedger
from firnline_ingest.ledger.incarnation import settle
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.plan import PlannedStart, StreamView, plan_shards, planned_starts
from firnline_ingest.ledger.provision import unchecked_ledger
from firnline_ingest.ledger.registration import Registrar
from firnline_ingest.shard.receipt import ShardProblem
from firnline_ingest.spark.alignment import AlignmentBounds
from firnline_ingest.spark.streams import Streams

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

Result = TypeVar("Result")

VERSION = 1
AT_ONCE = 8  # streams
ELSE = PlanRetry()
"""For the ledger, and what else a plan asks. While one stream is waited for, the others' epoch does not begin."""


class PlanRow(NamedTuple):
    """A shard to be read; where `shard` is empty, a stream that can't be planned, and why."""

    epoch: int
    stream: str
    created_ms: int
    shard: str = ""
    start: str = ""
    retention_hours: int = 0
    unread_parents: str = ""
    """Parents that left the stream before anybody read them; their ids with commas between."""
    since_ms: int = 0
    """Service time since when what arrives in the shard is ours (ledger/plan.py); 0 where that is not known."""
    is_closed: bool = False
    """True if a listing that was taken for this epoch shows the shard closed."""
    known_ms: int = 0
    """Service time: what arrived before was read, as far as the ledger knows; 0 where it knows nothing."""
    consumer_arn: str = ""
    """The one that the engine registered to read the shard by; empty where it registers none."""
    until_ms: int = 0
    """Service time: what arrived later waits for the stream's other shards; 0 where nothing waits."""
    problem: str = ""
    """JSON of a ShardProblem."""


@dataclass(frozen=True, slots=True)
class SourceOffset:
    """Starts by incarnation of a stream and shard id, spelt as in kinesis/start.py."""

    epoch: int = 0
    streams: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Raises ValueError for a checkpoint that another version wrote."""
        if document.get("v") != VERSION:
            raise ValueError(
                f"the checkpoint's offsets have version {document.get('v')!r}, this engine reads {VERSION}"
            )
        return cls(document["e"], document["streams"])

    def as_document(self) -> dict[str, Any]:
        return {
            "v": VERSION,
            "e": self.epoch,
            "streams": {stream: dict(shards) for stream, shards in self.streams.items()},
        }

    def of_stream(self, stream: str) -> dict[str, Mapping[str, str]]:
        """The entries of all its incarnations."""
        return {name: shards for name, shards in self.streams.items() if name.rpartition("@")[0] == stream}

    @property
    def stream_names(self) -> frozenset[str]:
        return frozenset(name.rpartition("@")[0] for name in self.streams)


@dataclass(frozen=True, slots=True)
class Paused:
    """A stream that a person wants left alone: its shards prove what they sent and are given back, as any that is not planned."""


@dataclass(slots=True)
class ShardPlanner:
    """Lists every stream and asks for its rows for every epoch. One that can't be planned stands for itself: the others are."""

    config: EngineConfig
    kinesis: "KinesisClient"
    ledger: PlanLedger
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random
    _clients: "PerAccess[KinesisClient]" = field(init=False)
    _lineages: Lineages = field(init=False)
    _streams: Streams = field(init=False)
    _bounds: AlignmentBounds = field(default_factory=AlignmentBounds)
    _marks: dict[str, StreamMark] = field(default_factory=dict)
    _views: tuple[int, Mapping[str, StreamView | Paused | ShardProblem]] = (0, MappingProxyType({}))
    """Of which epoch the last plan was, and what it saw."""

    def __post_init__(self) -> None:
        self._clients = PerAccess(self.kinesis, partial(_client, self.config.aws))
        self._lineages = Lineages(self._client_of, sleep=self.sleep)
        self._streams = Streams(self.config, self.kinesis, self.ledger)

    @classmethod
    def of(cls, config: EngineConfig) -> "ShardPlanner":
        kinesis = _client(config.aws)
        return cls(config, kinesis, unchecked_ledger(config, connections=AT_ONCE))

    def next_offset(self, before: SourceOffset) -> SourceOffset:
        """A stream that can't be planned, or is paused, stays where it was."""
        epoch, streams = before.epoch + 1, dict[str, Mapping[str, str]]()
        views: dict[str, StreamView | Paused | ShardProblem] = {}
        for stream, plan in self._of_each_stream(lambda pipeline: self._plan(pipeline, before), before).items():
            if isinstance(plan, ShardProblem | Paused):
                views[stream] = plan
                streams |= before.of_stream(stream)
                self._bounds.not_planned(stream)
            else:
                view, offsets = plan
                views[stream], streams[view.lineage.incarnation] = view, offsets
        self._views = epoch, views
        return SourceOffset(epoch, streams)

    def rows(self, offset: SourceOffset) -> Iterator[PlanRow]:
        """Decodes an offset into work; recomputes the plan if Spark replays the offset. A stream that was recreated since then
        has no rows: the next plan begins the new one.
        """
        epoch, views = self._views
        if epoch != offset.epoch:
            views = self._of_each_stream(self._view, offset)
        for stream, view in views.items():
            if isinstance(view, ShardProblem):
                yield PlanRow(offset.epoch, stream, 0, problem=json.dumps(asdict(view)))
            elif not isinstance(view, Paused):
                yield from self._rows_of(offset, view)

    def _plan(self, pipeline: PipelineConfig, before: SourceOffset) -> tuple[StreamView, Mapping[str, str]] | Paused:
        view = self._view(pipeline)
        if isinstance(view, Paused):
            return view
        mark = self._settled(view.lineage, before)
        offsets = before.streams.get(view.lineage.incarnation, {})
        view = replace(view, offsets=offsets, planned_ms=mark.since_ms)
        pin: Pin = TrimHorizon()
        if view.is_first_start:
            if not mark.begins_at_the_horizon:
                pin = self._streams.initial_pin(pipeline, self._client_of(pipeline.stream))
            if view.lineage.lacks_parents:
                view = replace(view, lineage=view.lineage.joined(self._lineages.read(pipeline.stream)))
        gone = gone_shards(self._client_of(pipeline.stream), pipeline.stream, view.suspects())
        return view, plan_shards(view.lineage, view.rows, view.offsets, pin, gone).offsets

    def _client_of(self, stream: str) -> "KinesisClient":
        return self._clients.of(self.config.pipeline_of(stream).access)

    def _settled(self, lineage: Lineage, before: SourceOffset) -> StreamMark:
        """Asked for once an incarnation. Raises StreamReplaced."""
        mark = self._marks.get(lineage.stream)
        if mark is None or mark.incarnation != lineage.incarnation:
            earlier = {name: _is_begun(starts.values()) for name, starts in before.of_stream(lineage.stream).items()}
            since_ms = self._streams.since_ms(lineage)
            mark = settle(
                self.ledger, lineage.stream, lineage.incarnation, earlier, lineage.listed_ms, since_ms=since_ms
            )
            self._marks[lineage.stream] = mark
        return mark

    def _view(self, pipeline: PipelineConfig) -> StreamView | Paused:
        mark = self.ledger.mark(pipeline.stream)
        if mark is not None and mark.is_paused:
            return Paused()
        lineage = self._lineages.read(pipeline.stream)
        planned_ms = mark.since_ms if mark and mark.incarnation == lineage.incarnation else 0
        view = StreamView(lineage, self.ledger.rows(lineage.incarnation), planned_ms=planned_ms)
        is_replaced = (
            mark is not None and mark.incarnation != lineage.incarnation and bool(self.ledger.rows(mark.incarnation))
        )
        return view if is_replaced else replace(view, consumer_arn=self._consumer(pipeline, lineage))

    def _rows_of(self, offset: SourceOffset, view: StreamView) -> Iterator[PlanRow]:
        lineage = view.lineage
        offsets = offset.streams.get(lineage.incarnation, {})
        starts = list(planned_starts(lineage, view.rows, offsets, view.planned_ms))
        rule = self.config.pipeline_of(lineage.stream).alignment
        yield from _rows(offset, view, starts, self._bounds.until_ms(rule, view, starts))

    def _consumer(self, pipeline: PipelineConfig, lineage: Lineage) -> str:
        """Looked for with every plan: it may have been deregistered."""
        name = registered_by_engine(pipeline.reader, self.config.application)
        if name is None:
            return ""
        registrar = Registrar(self._client_of, self.ledger)
        return registrar.arn_of(lineage.stream, lineage.stream_arn, name, lineage.listed_ms)

    def _of_each_stream(
        self, look: Callable[[PipelineConfig], Result], known: SourceOffset
    ) -> dict[str, Result | ShardProblem]:
        """The result for each stream, several at a time, each with retries of its own; keyed by pattern if its streams
        can't be listed."""
        pipelines, wrong = self._streams.now(known.stream_names)
        self._lineages.next_plan([pipeline.stream for pipeline in pipelines])
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="plan") as threads:
            results = threads.map(lambda pipeline: self._patiently(lambda: look(pipeline)), pipelines)
            found = {pipeline.stream: result for pipeline, result in zip(pipelines, results, strict=True)}
        return found | {name: ShardProblem.of(error) for name, error in wrong.items()}

    def _patiently(self, attempt: Callable[[], Result]) -> Result | ShardProblem:
        """Waits out what passes soon; what lasts, and what is fatal, is the stream's problem."""
        for failures in itertools.count(1):
            try:
                return attempt()
            except Exception as error:
                settable = self.config.retries.of(getattr(error, "operation", ""))
                retry = settable if isinstance(settable, PlanRetry) else ELSE
                is_passing = isinstance(error, FirnlineError) and error.is_retryable
                if not is_passing or retry.is_over(failures):
                    return ShardProblem.of(error)
            self.sleep(retry.longest_s(failures) * (0.5 + self.jitter() / 2))
        raise AssertionError("counting has no end")


def _client(aws: AwsConfig, access: Access = HERE) -> "KinesisClient":
    return kinesis_client(aws, connections=AT_ONCE, access=access)


def _is_begun(starts: Iterable[str]) -> bool:
    """Returns whether something was read, as far as an offset knows."""
    return any(not isinstance(parse_start(start), TrimHorizon | AtTimestamp) for start in starts)


def _rows(offset: SourceOffset, view: StreamView, starts: Iterable[PlannedStart], until_ms: int) -> Iterator[PlanRow]:
    lineage = view.lineage
    for start in starts:
        yield PlanRow(
            offset.epoch,
            lineage.stream,
            lineage.stream_created_ms,
            start.shard,
            start.start,
            start.retention_hours,
            ",".join(start.unread_parents),
            start.since_ms,
            start.is_closed,
            row.known_ms if (row := view.rows.get(start.shard)) else start.since_ms,
            view.consumer_arn,
            until_ms,
        )
