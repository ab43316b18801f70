"""Everything that a story has: a stream, a table, a ledger, engines, and the book of what was put and what was said."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.kinesis.start import ENDED
from firnline_ingest.ledger.errors import ChannelDropped, TargetReplaced, TokenMissing
from firnline_ingest.ledger.incident import IncidentKind
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.new_columns import NewColumns
from firnline_ingest.shard.differences import ReceiptDifferences
from firnline_ingest.shard.receipt import Receipt, ShardProblem
from firnline_ingest.values import ShardKey
from firnline_local.kinesis import ShardHandle, StreamHandle
from tests.chaos.oracle import Evidence, Found, Loss, Put, Stop, place_of, without_first
from tests.chaos.records import Fate, fate_of, route_of
from tests.chaos.simulated.configured import ROUTES, STREAM, config_of
from tests.chaos.simulated.finds import by_engines, found_letter, found_row, shard_name
from tests.chaos.simulated.formats import JSON, RecordFormat
from tests.chaos.simulated.kinesis import SimulatedKinesis
from tests.chaos.simulated.left_behind import said_in, without_compared, without_read_again
from tests.chaos.simulated.memory import SharedObjects, SimulatedLedger, SimulatedLetters
from tests.chaos.simulated.process import Checkpoint, EngineProcess
from tests.chaos.simulated.simulation import Actor, Simulation
from tests.chaos.simulated.snowflake import EVENTS, SimulatedSnowflake
from tests.chaos.simulated.watch import ProgressWatch
from tests.chaos.verdict import losses_of

Key = tuple[str, str, int]
"""The table of a record, its shard and its place."""


@dataclass
class World:
    """The world of one story."""

    seed: int
    shards: int
    retention_hours: int = 24
    initial_position: dict[str, Any] = field(default_factory=lambda: {"at": "TRIM_HORIZON"})
    fail_on_data_loss: bool = True
    discards_on_open: bool = False
    reads_by_fan_out: bool = False
    format: RecordFormat = JSON
    max_ahead_seconds: int | None = None
    """How far a shard may be ahead of the others; None where they are not kept together."""
    ignore_stalled_seconds: int = 90
    routes: tuple[str, ...] = ()
    """Values by which a part of the records goes to other tables."""
    options: dict[str, Any] = field(default_factory=dict)
    """More of each pipeline's, of engines that start from now on."""
    asks_for: frozenset[str] = frozenset()
    """Ids of the stops that these options ask for."""
    may_skip: bool = False
    goes_on: bool = False
    """True if an engine goes on where something has stopped."""
    shared_table: bool = False
    """True if the streams that a pattern finds go to the table of the named one."""
    others: list[StreamHandle] = field(default_factory=list)
    """Streams beside the one that the configuration names."""
    unseen: set[str] = field(default_factory=set)
    """Streams that were deleted before any engine can have found them."""
    settled: dict[Key, int] = field(default_factory=dict)
    """What was proven when a person said to go on after it, and how often it was there: in a table that was replaced, too."""
    may_come_again: Counter[Found] = field(default_factory=Counter)
    """How often what was committed and not proven in a channel that is gone has been there before."""
    happened: Counter[str] = field(default_factory=Counter)
    """The acts that were played."""
    may_lose: bool = False
    stopped: dict[str, Stop] = field(default_factory=dict)
    processes: list[EngineProcess] = field(default_factory=list)
    puts: list[Put] = field(default_factory=list)
    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    of_two_lineages: set[str] = field(default_factory=set)
    """Shards of streams that were made again: two have the name, of other parents."""
    heard: Counter[str] = field(default_factory=Counter)
    """How often each shard, or the pipeline (""), was said to have a problem."""
    ids: Counter[str] = field(default_factory=Counter)
    """How often each problem was said."""
    reported: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Per shard, the sums of all receipts, as one who hears all of them adds them up."""
    differences: ReceiptDifferences = field(default_factory=lambda: ReceiptDifferences(lambda owner: True))
    was_disturbed: bool = False
    """True if an engine was killed or frozen, or two ran at once."""
    last_problem: str = "no problem"
    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    backup: dict[ShardKey, ShardRow] = field(default_factory=dict)
    """Rows of the ledger, as they were once."""
    said_before: list[ShardRow] = field(default_factory=list)
    """Rows that a story took away with their incidents: an engine had said them."""
    denied: set[str] = field(default_factory=set)
    """Shards that were said not to be there: each in one act alone, so that nobody hears it three times."""
    variant: int = 0
    """Of the configuration, of engines that start from now on: each makes other rows of the same records."""
    keeps_all: bool = False
    """True if no act of the story costs records, channels or tables."""
    may_be_small: bool = True
    """True if every other variant takes no row above SMALL_BYTES."""
    made_again_at: dict[str, int] = field(default_factory=dict)
    """By stream: the first record of the one that has the name of the one before it."""
    begins_at_ms: int | None = None
    objects: SharedObjects = field(default_factory=SharedObjects)
    """What is kept beside the dead letters: the journal of replays."""
    new_columns: Callable[[], NewColumns | None] = lambda: None
    """Adds the columns of one more process."""
    replays: list[Actor] = field(default_factory=list)
    replays_done: int = 0
    replay_problem: str = "no problem"
    has_failed_over: bool = False
    watch: ProgressWatch = field(default_factory=ProgressWatch)

    def __post_init__(self) -> None:
        self.simulation = Simulation(self.seed)
        self.rng = self.simulation.rng
        self.kinesis = SimulatedKinesis(self.simulation)
        self.snowflake = SimulatedSnowflake(self.simulation, discards_on_open=self.discards_on_open)
        self.snowflake.acknowledges_fenced = self.seed % 3 == 1
        self.ledger = SimulatedLedger(self.simulation)
        self.letters = SimulatedLetters(self.simulation)
        self.stream: StreamHandle = self.kinesis.fake.create_stream(
            STREAM, shards=self.shards, retention_hours=self.retention_hours
        )
        self.note_lineage()

    def put(
        self, fate: Fate, shard: ShardHandle | None = None, data: bytes | None = None, *, or_letter: bool = False
    ) -> None:
        number = len(self.puts)
        shard = shard or self.rng.choice(self.open_shards)
        route = route_of(data) if data else self.route_of(number)
        fate = fate_of(data) if data else fate
        record = shard.put(data or self.format.write([fate], number, route, 0))
        place, table = place_of(record.sequence_number), self.table_of(shard.stream.name, route)
        self.puts.append(Put(self.name_of(shard), place, self.simulation.now_ms, fate, table, or_letter))

    def route_of(self, number: int) -> str:
        """The value that the record with this number has for its route, if it can be a row; empty for none."""
        return self.routes[number // 3 % len(self.routes)] if self.routes and number % 3 == 0 else ""

    def table_of(self, stream: str, route: str = "") -> str:
        if route in self.routes and stream == STREAM:
            return ROUTES[route]
        return EVENTS if stream == STREAM or self.shared_table else stream.upper().replace("-", "_")

    @property
    def config_now(self) -> EngineConfig:
        """The configuration of engines that start from now on."""
        return self._config(self.variant)

    @property
    def streams(self) -> list[StreamHandle]:
        return [self.stream, *self.others]

    @property
    def open_shards(self) -> list[ShardHandle]:
        return [shard for stream in self.streams for shard in stream.open_shards]

    @property
    def all_shards(self) -> list[ShardHandle]:
        return [shard for stream in self.streams for shard in stream.shards]

    @staticmethod
    def name_of(shard: ShardHandle) -> str:
        return shard_name(shard.stream.name, shard.id)

    @staticmethod
    def shard_of(key: ShardKey) -> str:
        return shard_name(key.stream, key.shard_id)

    def is_found(self, stream: StreamHandle) -> bool:
        """Returns whether an engine has planned it, or has rows of it."""
        names = {*self.checkpoint.offset.streams, *(key.incarnation for key in self.ledger.memory.kept)}
        return any(name.rpartition("@")[0] == stream.name for name in names)

    @property
    def listed_channels(self) -> set[str]:
        """Returns those that the ledger knows."""
        return {name for row in self.rows.values() for name in row.channels}

    def put_aggregate(
        self, data: bytes, fates: Sequence[Sequence[Fate]], shard: ShardHandle, key: str, routes: Sequence[str] = ()
    ) -> None:
        """One Kinesis record; the rows of each user record have their fates, and go where it is routed."""
        record = shard.put(data, key)
        for sub, rows in enumerate(fates):
            for row, fate in enumerate(rows):
                place = place_of(record.sequence_number, sub, row)
                table = self.table_of(shard.stream.name, routes[sub] if routes else "")
                self.puts.append(Put(self.name_of(shard), place, self.simulation.now_ms, fate, table))

    def note_lineage(self) -> None:
        """Shards are remembered that have left retention by the end."""
        for shard in self.all_shards:
            name, parents = self.name_of(shard), tuple(self.name_of(parent) for parent in shard.parents)
            if self.parents.get(name, parents) != parents:
                self.of_two_lineages.add(name)
            self.parents[name] = parents

    def make_again(self, stream: StreamHandle, *, seconds: float) -> None:
        """So much later than it was deleted; records of the new one are nowhere, until a person says that it was meant."""
        stream.delete()
        self.simulation.pass_time(seconds)
        self.made_again_at[stream.name] = len(self.puts)
        self.kinesis.fake.create_stream(stream.name, shards=self.shards)
        self.note_lineage()

    def start(
        self, arrival_ms: int | None = None, clock_ahead_s: float = 0.0, variant: int | None = None
    ) -> EngineProcess:
        """With an older variant of the configuration, where it is given."""
        if self.begins_at_ms is None and self.initial_position.get("at") == "LATEST":
            self.begins_at_ms = self.simulation.now_ms
        process = EngineProcess(
            world=self,
            config=self._config(self.variant if variant is None else variant),
            number=len(self.processes) + 1,
            page=self.rng.randint(1, 6),
            epoch_s=self.rng.choice((5.0, 10.0, 20.0)),
            arrival_ms=arrival_ms,
            clock_ahead_s=clock_ahead_s,
        )
        self.was_disturbed = self.was_disturbed or not all(each.is_over for each in self.processes)
        self.processes.append(process)
        return process.start()

    def hear(self, process: EngineProcess, receipt: Receipt) -> None:
        """Takes a receipt as a driver does."""
        (told,) = self.differences.of([receipt])
        self.reported.update(
            {(self.shard_of(receipt.key), name): getattr(told, name) for name in ("rows", "dead_letters")}
        )
        if receipt.problem is not None:
            self._hear_problem(process, self.shard_of(receipt.key), receipt.problem)

    def hear_of_pipeline(self, process: EngineProcess, problem: ShardProblem, stream: str = STREAM) -> None:
        """Hears a problem of all pipelines at once as one of the named one's."""
        self._hear_problem(process, shard_name(stream, ""), problem)

    def _hear_problem(self, process: EngineProcess, shard: str, problem: ShardProblem) -> None:
        self.heard[shard] += 1
        self.ids[problem.id] += 1
        self.last_problem = f"{shard or 'the pipeline'}: [{problem.id}] {problem.what}"
        if not problem.is_retryable:
            self.stopped[shard] = Stop(shard, problem.id, problem.next_step)
            is_over = not self.goes_on and (not shard or process.arrival_ms is None)
            process.is_leaving = process.is_leaving or is_over

    def _with_kin(self, loss: Loss) -> list[Loss]:
        """A shard that nobody read is lost with all before it that no row knows: who came and went unseen has no name. So is
        what a stream that was found late held in shards that were gone by then.
        """
        is_found_late = loss.kind == IncidentKind.RETENTION_LOSS and "/" in loss.shard and loss.before is None
        row = self.rows.get(loss.shard)
        is_unseen = loss.kind == IncidentKind.SHARD_UNREAD and row is not None and row.read_through is None
        if loss.kind != IncidentKind.PARENT_UNREAD and not is_found_late and not is_unseen:
            return [loss]
        lost = {loss.shard}
        while more := {p for one in lost for p in self.parents.get(one, ()) if p not in lost and p not in self.rows}:
            lost |= more
        return [replace(loss, shard=shard) for shard in lost]

    def sign_of_life(self, shard: str) -> object:
        """Changes when something becomes of a shard, or is said about it or an ancestor, for which it waits."""
        kin = {"", shard, shard.rpartition("/")[0] + "/"}
        while more := {parent for one in kin for parent in self.parents.get(one, ()) if parent not in kin}:
            kin |= more
        rows = self.rows
        places = [(row.read_through, row.ended, len(row.incidents)) for one in kin if (row := rows.get(one))]
        committed = [channel.committed for channel in self.snowflake.channels.values()]
        return sum(self.heard[one] for one in kin), places, committed, len(self.letters.kept)

    def is_read(self, shard: ShardHandle) -> bool:
        """Returns whether the ledger is past all of a shard that the engine is to read: nothing from before LATEST was pinned."""
        name, begins_at_ms = self.name_of(shard), self.begins_at_ms or 0
        row = self.rows.get(name)
        if not any(put.shard == name and put.arrived_ms >= begins_at_ms for put in self.puts):
            return True
        if row is None:  # lost after the shard's end, it is not made again
            offsets = self.checkpoint.offset.of_stream(shard.stream.name).values()
            return any(starts.get(shard.id) == ENDED for starts in offsets)
        return row.ended or (row.read_through is not None and row.read_through >= shard.last_position)

    @property
    def running(self) -> list[EngineProcess]:
        return [process for process in self.processes if not process.is_over and not process.is_frozen]

    @property
    def frozen(self) -> list[EngineProcess]:
        return [process for process in self.processes if not process.is_over and process.is_frozen]

    @property
    def rows(self) -> dict[str, ShardRow]:
        """The ledger's, of every incarnation of each stream."""
        return {self.shard_of(key): row for key, row in self.ledger.memory.kept.items()}

    def evidence(self) -> Evidence:
        letters = self.letters.list()
        rows, errors = (list(without_first(found, self.may_come_again)) for found in self.found())
        return Evidence(
            puts=[put for put in self.puts if put.shard.rpartition("/")[0] not in self.unseen],
            found={Fate.ROW: rows, Fate.ERROR_ROW: errors, Fate.DEAD_LETTER: self._letters_found(letters, rows)},
            unordered=self.may_come_again.keys(),
            came_again=sorted(key for key, count in self.counts().items() if count > self.settled.get(key, count)),
            parents=self.parents,
            of_two_lineages=self.of_two_lineages,
            losses=[
                each
                for row in (*self.rows.values(), *self.said_before)
                for loss in self._losses_of(row)
                for each in self._with_kin(loss)
                if not (self.has_failed_over and loss.kind == IncidentKind.CHANNEL_DROPPED)
            ],
            stops=[stop for each in self.stopped.values() for stop in self._of_shards(each)],
            begins_at_ms=self.begins_at_ms,
            under_old_identity=self.snowflake.under_old_identity,
            may_lose=self.may_lose,
            may_skip=self.may_skip,
            asked_for=self.asks_for,
        )

    def _letters_found(self, letters: Iterable[DeadLetter], rows: Sequence[Found]) -> list[Found]:
        found = [found_letter(each) for each in letters]
        found = without_compared(found, rows, said_in(self)) if self.variant else found
        return without_read_again(found, rows, self.rows) if self.has_failed_over and self.variant else found

    def _losses_of(self, row: ShardRow) -> list[Loss]:
        return [replace(loss, shard=shard_name(row.key.stream, loss.shard)) for loss in losses_of(row)]

    def _of_shards(self, stop: Stop) -> list[Stop]:
        """A stream that stopped is all of its shards."""
        shards = [name for name in self.parents if stop.shard.endswith("/") and name.startswith(stop.shard)]
        return [replace(stop, shard=name) for name in shards] or [stop]

    def found(self) -> tuple[list[Found], list[Found]]:
        """The rows and the error rows that engines wrote into all tables that there were, in the order of their commits."""
        tables = [
            (name, f"{name} {n}", table) for name, made in self.snowflake.tables.items() for n, table in enumerate(made)
        ]
        rows = [
            found_row(f"{place} rows", row, name) for name, place, table in tables for row in by_engines(table.rows)
        ]
        errors = [(f"{place} errors", row, name) for name, place, table in tables for row in by_engines(table.rejected)]
        return rows, [found_row(*each) for each in errors]

    def strangers(self) -> list[str]:
        """Returns what was read of a stream that was made again, as if it were the one before it."""
        new = {
            (put.shard, put.number)
            for stream, at in self.made_again_at.items()
            for put in self.puts[at:]
            if put.shard.rpartition("/")[0] == shard_name(stream, "").rpartition("/")[0]
        }
        rows, errors = self.found()
        read = [
            one for one in (*rows, *errors, *map(found_letter, self.letters.list())) if (one.shard, one.number) in new
        ]
        said = f"{len(read)} records of a stream that was made again were read under the old one's name"
        return [said] if read else []

    def moved_unsaid(self) -> list[str]:
        """Shards that went on in a table that replaced theirs, and neither an engine nor a person said so."""
        resumed = any(each.kind is IncidentKind.RESUMED for row in self.rows.values() for each in row.incidents)
        if resumed or any(self.ids[said.id] for said in (TargetReplaced, TokenMissing, ChannelDropped)):
            return []
        places = {(one.shard, one.place.rpartition(" ")[0]) for one in self.found()[0] if one.table}
        tables = Counter((shard, place.rpartition(" ")[0]) for shard, place in places)
        moved = sorted({shard for (shard, _), count in tables.items() if count > 1})
        return [f"{shard} went on in a table that replaced its own, without a word" for shard in moved]

    def counts(self) -> Counter[Key]:
        """Returns how often each record is in the tables that it may be in, those of before too."""
        rows, errors = self.found()
        return Counter((one.table, one.shard, one.number) for one in (*rows, *errors))

    def _config(self, variant: int) -> EngineConfig:
        return config_of(self, variant)
