"""From a configuration and a person's request to replays of shards: one after the other, each by itself.

A dead letter is only taken once the engine's ledger has passed its record: before that, the engine may read it again, and make
a row of it by another configuration.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from firnline_ingest.config.format import SchemasOf, no_registry
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.dead_letters import (
    Choice,
    DeadLetter,
    DeadLetterKey,
    DeadLetterReader,
    NamedObjects,
    open_objects,
    open_reader,
)
from firnline_ingest.dead_letters.conversion import CallableFailed, Conversion, DeadLetterConverter, Repair
from firnline_ingest.dead_letters.errors import NoLedger
from firnline_ingest.dead_letters.file_transport import ROUNDS, by_file, file_tables
from firnline_ingest.dead_letters.journal import Journal, JournalMemory, Outcome, place_of
from firnline_ingest.dead_letters.passed import PassedRecords
from firnline_ingest.dead_letters.shard_replay import LOST, REFUSED, ReplayReport, ShardReplay
from firnline_ingest.dead_letters.transport import ReplayTable, replay_tables, tables_of
from firnline_ingest.errors import DeadLetterError, FirnlineError
from firnline_ingest.ledger.backend import ColumnLedger, ShardLedger
from firnline_ingest.ledger.provision import existing_ledger
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.schemas import SchemaRegistries
from firnline_ingest.snowflake.logins import ChannelsOf, PerLogin
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.snowflake.sql_session import SqlSession
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.values import ShardKey

OnShard = Callable[[ShardKey, ReplayReport], None]
NO_PIPELINE = "no pipeline of the configuration reads its stream"
A_COPY = "misplaced; its producer put it again"
NO_LETTER = "lines of the file whose key has no dead letter among those that were chosen"


@dataclass(frozen=True, kw_only=True)
class ReplayRequest:
    """The dead letters to replay, and what is done with them."""

    choice: Choice = field(default_factory=Choice)
    repair: Repair | None = None
    edited: Mapping[DeadLetterKey, bytes] | None = None
    """Only these dead letters, with these bytes."""
    unfinished: Outcome | None = None
    """A person's word about batches that can't be finished."""
    with_forgotten: bool = False
    """Letters of shards, too, that the ledger has no row of any more."""
    again: bool = False
    """Letters, too, whose rows are not in the table any more: it was recreated, or the account has failed over to less."""
    read_again: bool = False
    """Letters, too, whose records were read again from the horizon, and may be rows since."""
    only_look: bool = False
    by_file: bool = False
    """Through a stage and a pipe, also what is too large to be streamed."""


@dataclass(frozen=True, kw_only=True)
class ReplayServices:
    """Services that a replay asks."""

    letters: DeadLetterReader
    objects: NamedObjects
    ledger: ShardLedger
    channels_of: ChannelsOf
    target_of: Callable[[PipelineConfig], TargetState]
    schemas: SchemasOf = no_registry
    """How the registry of a format is asked, where it has one."""
    adds_columns_by: TargetCatalog | None = None
    """Adds columns, for pipelines that say so; none are added by default."""
    plans: ColumnLedger | None = None
    """Where columns are planned that a person has to approve."""
    files: Callable[[PipelineConfig, TargetState], Mapping[str, ReplayTable]] | None = None
    """For a request by file, which needs it."""
    memories: dict[ShardKey, JournalMemory] | None = None
    """What was read of journals, for who replays again and again; each is read anew by default."""


def replay_letters(
    config: EngineConfig, request: ReplayRequest, on_shard: OnShard, on_damaged: Callable[[DeadLetterError], None]
) -> ReplayReport:
    """Raises DeadLetterError, LedgerError, SchemaRegistryError and SnowflakeError; what was reported by then is done."""
    objects, ledger = open_objects(config), existing_ledger(config)
    if ledger is None:
        raise NoLedger(config.ledger.table)
    with replay_services(config, objects, ledger) as services:
        return Replays(config, request, services, on_damaged).run(on_shard)


class ReplayLedger(ShardLedger, ColumnLedger, Protocol):
    """Says which records the engine has passed, and keeps the columns that are planned."""


@contextmanager
def replay_services(
    config: EngineConfig,
    objects: NamedObjects,
    ledger: ReplayLedger,
    memories: dict[ShardKey, JournalMemory] | None = None,
) -> Iterator[ReplayServices]:
    """The services of the configuration; logged in only where they are asked, and closed in the end."""
    channels, catalog, sessions = PerLogin(config, SdkChannels), TargetCatalog(config), PerLogin(config, SqlSession)
    services = ReplayServices(
        letters=open_reader(config),
        objects=objects,
        ledger=ledger,
        channels_of=channels.of,
        target_of=catalog.state_of,
        schemas=SchemaRegistries(config.aws),
        adds_columns_by=catalog,
        plans=ledger,
        files=lambda pipeline, state: file_tables(
            config.logged_in_for(pipeline), pipeline, state, sessions.of(pipeline)
        ),
        memories=memories,
    )
    try:
        yield services
    finally:
        for client in channels.all():
            client.close()
        catalog.close()
        for session in sessions.all():
            session.close()


@dataclass(frozen=True)
class Replays:
    """All shards of one request."""

    config: EngineConfig
    request: ReplayRequest
    services: ReplayServices
    on_damaged: Callable[[DeadLetterError], None]
    look: Callable[[], None] = lambda: None
    """Called before each dead letter and behind the last one; what it raises ends the replay between two batches."""
    _met: set[DeadLetterKey] = field(default_factory=set)
    """Letters of the file that were found."""

    def run(self, on_shard: OnShard) -> ReplayReport:
        """Raises what one of the shards failed with, once all others are done."""
        total, failures = ReplayReport(), list[FirnlineError]()
        for shard in self._shards():
            try:
                report = self.of_shard(shard)
            except FirnlineError as error:
                failures.append(error)
                report = ReplayReport(failure=f"[{error.id}] {error.what}")
            on_shard(shard, report)
            total.add(report)
        if failures:
            raise failures[0]
        unknown = len(self.request.edited or ()) - len(self._met)
        if unknown:
            total.remaining[NO_LETTER] += unknown
        return total

    def _shards(self) -> Iterator[ShardKey]:
        edited = None if self.request.edited is None else {_shard_of(key) for key in self.request.edited}
        for shard in self.services.letters.shards(self.request.choice):
            if edited is None or shard in edited:
                yield shard

    def of_shard(self, shard: ShardKey, total: ReplayReport | None = None) -> ReplayReport:
        """Raises what keeps the shard's replay from its end; by file, `total` has what was replayed by then."""
        pipeline = self.config.find_pipeline(shard.stream)
        if pipeline is None:
            report = ReplayReport()
            report.remaining[NO_PIPELINE] += sum(1 for _ in self._letters(shard))
            return report
        as_it_goes = by_file(pipeline) if self.request.by_file else pipeline
        catalog = None if self.request.only_look else self.services.adds_columns_by
        maker = DeadLetterConverter(as_it_goes, shard.shard_id, self.services.schemas, catalog, self.services.plans)
        passed = PassedRecords(
            self.services.ledger.read(shard),
            pipeline.conversion_hash,
            DeadLetterConverter(pipeline, shard.shard_id, self.services.schemas),
            takes_forgotten=self.request.with_forgotten,
            takes_read_again=self.request.read_again,
        )
        make = partial(self._made, maker, passed)
        memories = self.services.memories
        memory = None if memories is None else memories.setdefault(shard, JournalMemory())
        journal = Journal(self.services.objects, self.config.application, shard, memory)
        if self.request.only_look:
            return self._looked(journal, shard, make, pipeline)
        state = self.services.target_of(pipeline)
        if self.request.by_file:
            assert self.services.files is not None, "a request by file has a way for it"
            tables = self.services.files(pipeline, state)
            return self._by_file(journal, shard, make, tables, total or ReplayReport())
        tables = replay_tables(self.services.channels_of(pipeline), self.config.application, shard, state)
        replay = ShardReplay(shard=shard, journal=journal, tables=tables, make=make, again=self.request.again)
        if self.request.unfinished is not None:
            replay.decide(self.request.unfinished)
        return replay.run(lambda: self._letters(shard))

    def _by_file(
        self,
        journal: Journal,
        shard: ShardKey,
        make: Callable[[DeadLetter], Conversion],
        tables: Mapping[str, ReplayTable],
        total: ReplayReport,
    ) -> ReplayReport:
        """A file is loaded in whole or not at all, so dead letters that were refused together go again, in smaller company."""
        for number, most in enumerate(ROUNDS):
            replay = ShardReplay(
                shard=shard, journal=journal, tables=tables, make=make, most_letters=most, again=self.request.again
            )
            if number == 0 and self.request.unfinished is not None:
                replay.decide(self.request.unfinished)
            report = replay.report
            try:
                replay.run(lambda: self._letters(shard))
            finally:
                total.letters += report.letters
                total.rows += report.rows
            total.already = total.already if number else report.already
            total.remaining, total.rejection = report.remaining, report.rejection
            if not report.remaining[REFUSED]:
                break
        return total

    def _letters(self, shard: ShardKey) -> Iterator[DeadLetter]:
        of, created_ms, shard_id = self.request.choice, shard.stream_created_ms, shard.shard_id
        choice = replace(of, stream=shard.stream, created_ms=created_ms, shard=shard_id)
        for letter in self.services.letters.list(choice, self.on_damaged):
            self.look()
            if self.request.edited is None or letter.key in self.request.edited:
                if self.request.edited is not None:
                    self._met.add(letter.key)
                yield letter
        self.look()

    def _made(self, maker: DeadLetterConverter, passed: PassedRecords, letter: DeadLetter) -> Conversion:
        if letter.reason == RejectReason.MISPLACED and letter.reason not in self.request.choice.reasons:
            return Conversion(why_not=A_COPY)
        if why_not := passed.why_not(letter):
            return Conversion(why_not=why_not)
        try:
            data = self._repaired(letter)
        except CallableFailed as error:
            return Conversion(why_not=str(error))
        return Conversion(why_not="left alone") if data is None else maker.make(letter, data)

    def _repaired(self, letter: DeadLetter) -> bytes | None:
        if self.request.edited is not None:
            return self.request.edited[letter.key]
        return letter.data if self.request.repair is None else self.request.repair(letter)

    def _looked(
        self, journal: Journal, shard: ShardKey, make: Callable[[DeadLetter], Conversion], pipeline: PipelineConfig
    ) -> ReplayReport:
        """Returns what a replay would do; Snowflake is asked only whether a table was recreated."""
        tables = tables_of(self.services.target_of(pipeline)) if self.request.again else {}
        report, replayed = ReplayReport(), journal.replayed(each.target for each in tables.values())
        for letter in self._letters(shard):
            place = place_of(letter.key.position)
            if replayed.has(place):
                report.already += 1
            elif place in replayed.in_lost and not self.request.again:
                report.remaining[LOST] += 1
            elif (made := make(letter)).rows:
                report.letters += 1
                report.rows += len(made.rows)
            else:
                report.remaining[made.why_not.partition(":")[0]] += 1
        return report


def _shard_of(key: DeadLetterKey) -> ShardKey:
    return ShardKey(key.stream, key.stream_created_ms, key.shard_id)
