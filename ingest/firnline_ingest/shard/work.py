"""Work of a task on one shard, and the services that it needs for that."""

import random
import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from firnline_ingest.config.format import SchemasOf, no_registry
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.retries import UNCHANGED, RetriesConfig
from firnline_ingest.config.rows import Tolerance
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.dead_letters import DeadLetterStore
from firnline_ingest.kinesis.clients import PerAccess, StreamClients
from firnline_ingest.kinesis.consumers import Consumers
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.start import After, Pin, Start, TrimHorizon
from firnline_ingest.ledger.backend import Ledger
from firnline_ingest.ledger.row import RunningTotals, ShardRow
from firnline_ingest.new_columns import NewColumns, Opening
from firnline_ingest.records.key_shape import TableKeys
from firnline_ingest.shard.queries import PageQueries
from firnline_ingest.shard.steps import Observer, unobserved
from firnline_ingest.snowflake.channel import ChannelOpener
from firnline_ingest.snowflake.channel_errors import RowsRejected
from firnline_ingest.snowflake.logins import PerLogin
from firnline_ingest.values import Position, ShardKey, TargetTable

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


def typed_by_nothing(_: PipelineConfig) -> Callable[[bytes], bytes]:
    """Returns each object as it is."""
    return lambda document: document


@dataclass(frozen=True, slots=True)
class Destination:
    """A table that rows of a shard go to, and the channel that takes them there."""

    target: TargetTable
    channel: str
    table: str = ""
    """As the pipeline's routes name it; empty for the pipeline's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardWork:
    """One shard, as an epoch asks for it."""

    key: ShardKey
    epoch: int
    start: Start
    """Spark's offset: the last resort, where neither the ledger nor Snowflake knows better."""
    pipeline: PipelineConfig
    target: TargetTable
    channel: str
    retention_hours: int
    trimmed_parents: tuple[str, ...] = ()
    """Parents that left the stream before anybody read them."""
    until_ms: int = 0
    """Service time: what arrived later waits for the stream's other shards; 0 where nothing waits."""
    since_ms: int = 0
    """Service time since when what arrives in the shard is ours (ledger/plan.py); 0 where that is not known."""
    is_closed: bool = False
    """True if a listing that was taken for this epoch shows the shard closed: then only its end is its end."""

    columns: tuple[str, ...] | None = None
    """Those of a table that gets no others, so that keys without one are counted; None where they are not."""
    registered_arn: str = ""
    """The consumer that the engine registered to read it by; empty where the configuration names one, and for polling."""
    routed: tuple[Destination, ...] = ()
    """Where else rows go, by the pipeline's routes."""
    reported: RunningTotals | None = None
    """What the driver has heard of the shard: where the ledger's row was lost, its counts go on with this. None where that is
    not known."""

    @property
    def destinations(self) -> tuple[Destination, ...]:
        """The pipeline's own table comes first."""
        return (Destination(self.target, self.channel), *self.routed)

    def end_of(self, record: Record) -> Position:
        """Returns the position that accounts for the record in whole, in the table that has its rows and in every other one.

        It is not before any row: so the least of where several tables stand is never past a row that is not proven.
        """
        return record.position.whole if self.pipeline.format.makes_several_rows else record.position

    def refuse_rejected(
        self, destination: Destination, row: ShardRow, count: int, *, up_to: Position, cause: str
    ) -> None:
        """Raises RowsRejected for `count` rows at or before `up_to` that the table rejected, unless the pipeline tolerates them
        or a person accepted them.
        """
        if count <= 0 or self.pipeline.tolerance is Tolerance.ALL:
            return
        table = destination.target.table
        accepted = row.accepted_errors_through(table)
        if accepted is None or up_to > accepted:
            accept = f"--table {shlex.quote(table)} " if self.routed else ""
            raise RowsRejected(self.key, str(destination.target), count, up_to=up_to.token, cause=cause, accept=accept)

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of its tables, as in Rows.tables."""
        return tuple(each.table for each in self.destinations)

    @property
    def pin(self) -> Pin:
        """Pin of a new ledger row."""
        return TrimHorizon() if isinstance(self.start, After) else self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardServices:
    """The ledger, the stream, the channels and the dead letters as a shard uses them, and how often it does."""

    ledger: Ledger
    kinesis: "KinesisClient"
    """Of the streams that are where the engine is."""
    channels: ChannelOpener
    dead_letters: DeadLetterStore
    polling: PollingConfig
    run_id: str
    retries: RetriesConfig = UNCHANGED
    of_login: PerLogin[ChannelOpener] | None = None
    """The channels of each service user, for pipelines that have one of their own; all have `channels` by default."""
    elsewhere: PerAccess[StreamClients] | None = None
    """For streams that are not."""
    subscriber: "KinesisClient | None" = None
    """What fan-out subscribes with: its answers last for minutes, so it waits longer for them."""
    consumers: Consumers | None = None
    """What all shards of the process know of the consumers that they are subscribed by."""
    new_columns: NewColumns | None = None
    """Who adds columns, for pipelines that say so; none are added by default."""
    schemas: SchemasOf = no_registry
    """How the registry of a format is asked, where it has one."""
    queries: PageQueries = field(default_factory=PageQueries)
    """Where pages wait for their pipeline's query."""
    typed_by: Callable[[PipelineConfig], Callable[[bytes], bytes]] = typed_by_nothing
    """How an object gets the types of its query's schema."""
    observer: Observer = unobserved
    now_ms: Callable[[], int] = lambda: int(time.time() * 1000)
    prove_every_s: float = 1.0
    write_every_s: float = 5.0
    heartbeat_every_s: float = 30.0
    """How long the ledger's row of an idle shard stays as it is."""
    final_commit_s: float = 90.0
    """How long a stop, a drain or a shard's end waits for the last rows to be committed."""
    counter_settle_s: float = 30.0
    """How long a channel's counters are watched before they are counted from, where no proof says what they were."""
    reopen_delay_s: float = 0.5
    jitter: Callable[[], float] = random.random
    """From 0 to 1: whatever shards do at times of their own, they do not do all at once."""

    def new_columns_of(self, pipeline: PipelineConfig) -> NewColumns | None:
        """Returns who adds columns to its tables; None where nobody does."""
        return self.new_columns if pipeline.adds_columns else None

    def known_columns(self, work: ShardWork, opening: Opening) -> Mapping[str, TableKeys]:
        """Returns what is known of the columns of the shard's tables, by their names as in Rows.tables. Of those that the engine
        adds columns to, what a channel of that opening may be sent."""
        if (new_columns := self.new_columns_of(work.pipeline)) is not None:
            return new_columns.known(work.pipeline, work.tables, opening)
        is_told = work.columns is not None and len(work.destinations) == 1
        return {"": TableKeys.of(tuple(work.columns or ()))} if is_told else {}

    def channels_of(self, pipeline: PipelineConfig) -> ChannelOpener:
        """Returns the opener of the user that writes its tables."""
        return self.channels if self.of_login is None else self.of_login.of(pipeline)

    def look_for_new_keys(self) -> None:
        """Looks for a new key of every user, as `ChannelOpener.look_for_new_key`."""
        for channels in (self.channels,) if self.of_login is None else self.of_login.all():
            channels.look_for_new_key()

    def clients_of(self, pipeline: PipelineConfig) -> StreamClients:
        """Returns the clients that its stream is read with."""
        if self.elsewhere is None:
            return StreamClients(self.kinesis, self.subscriber, self.consumers)
        return self.elsewhere.of(pipeline.access)
