"""The internal state that an audit reads, the engine's and that of others: four things, none of which proves anything.

Counters: an error table keeps what was rejected while ERROR_LOGGING was on. What was rejected while it was off, or was kept
and then thrown away with it, is in no table at all; only the counters of the channels know of it. The engine notes them with
each proof in its ledger, a replay in its journal. They are read only on request, and can only find more that is wrong.

Replays: the journal beside the dead letters says which of them were replayed, whether the replay is over or half-done. It is read
after the rows, when the first dead letter is met that has one: a row that a replay sent is younger than its batch.

Columns: the engine notes when it saw each column of a table first. A record from before that, whose row has no value in it and
none behind it in its shard, was sent before its column was there.

Migrations: where the consumer stopped that a stream was migrated from, as the migration noted it in that consumer's place.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from firnline_infra.audit.comparison import ReplayedInto, ReplayedRecord, never
from firnline_infra.audit.findings import ProblemKind, ShardFindings
from firnline_infra.audit.outcome import position_text
from firnline_infra.audit.routed import OWN
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import open_objects
from firnline_ingest.dead_letters.journal import Journal, Outcome, place_of
from firnline_ingest.dead_letters.put_journal import PutJournal, RecordPlace
from firnline_ingest.values import Position, ShardKey, TargetTable

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

    from firnline_ingest.kinesis.lineage import Lineage
    from firnline_ingest.ledger.dynamodb import DynamoLedger
    from firnline_ingest.ledger.row import ShardRow

EVERYTHING = Position(10**129)
"""After every record that a shard can have."""


@dataclass(frozen=True, slots=True)
class CountedChannel:
    """Notes of one channel: the rows that it had rejected since it was created, up to a position."""

    shard_id: str
    channel: str
    target: TargetTable
    rejected: int
    through: Position | None = None
    """The position that the count goes up to; None for a replay, whose rows come in another order."""


Counters = Sequence[CountedChannel]
ReadCounters = Callable[[str], Counters]
"""The counters of one stream, as of now: asked before the error table is read, so that the table can only have more."""


def counters_of(config: EngineConfig) -> ReadCounters:
    """Raises LedgerError or DeadLetterError when it is asked."""

    def read(stream: str) -> Counters:
        from firnline_ingest.ledger.provision import existing_ledger

        ledger = existing_ledger(config)
        rows = _rows(ledger, stream) if ledger else []
        channels = [counted for row in rows for counted in _of_engine(row)]
        if config.dead_letters.stream is None:
            channels += [counted for row in rows for counted in _of_replays(config, row.key)]
        return channels

    return read


def ledger_rows(config: EngineConfig, stream: str) -> "Mapping[str, ShardRow]":
    """The ledger's rows of the stream that is read, by shard id. Raises LedgerError."""
    from firnline_ingest.ledger.provision import existing_ledger

    ledger = existing_ledger(config)
    return {row.key.shard_id: row for row in _rows(ledger, stream)} if ledger else {}


def _rows(ledger: "DynamoLedger", stream: str) -> "Sequence[ShardRow]":
    mark = ledger.mark(stream)
    return list(ledger.rows(mark.incarnation).values()) if mark else []


def _of_engine(row: "ShardRow") -> Iterator[CountedChannel]:
    for name, entry in row.channels.items():
        proven = entry.proven
        yield CountedChannel(row.key.shard_id, name, entry.target, proven.rows_error, proven.position)


def _of_replays(config: EngineConfig, key: ShardKey) -> Iterator[CountedChannel]:
    """The counter of each channel, and of each incarnation of its table, by its last batch that is proven: without the rows
    of those that are void, whose dead letters stayed dead letters.
    """
    journal = Journal(open_objects(config), config.application, key)
    found: dict[tuple[str, TargetTable], tuple[int, int]] = {}
    """When the channel was made, and its rejected rows since."""
    for number, is_over in reversed(journal.numbers().items()):
        end = journal.end(number) if is_over else None
        if end is None or end.counters is None:
            continue
        header = journal.batch(number).header
        of, made_ms = (header.channel, header.target), header.channel_created_ms
        last_made_ms, rejected = found.get(of, (made_ms, end.counters[1]))
        is_left = end.outcome is Outcome.VOID and made_ms == last_made_ms
        found[of] = last_made_ms, rejected - end.rejected if is_left else rejected
    for (channel, target), (_, rejected) in found.items():
        yield CountedChannel(key.shard_id, channel, target, rejected)


def not_stored(
    counters: Counters, kept: Mapping[str, int], table: tuple[str, str, str], created_on: str
) -> Iterator[tuple[CountedChannel, int]]:
    """The channels that had more rows rejected than the error table has of them, and how many more.

    `kept`: error rows by channel; `created_on`: when the table was made that they are of. Channels into another table, or into
    one that was there before under its name, say nothing of it.
    """
    for each in counters:
        target = each.target
        is_this = (target.database, target.schema, target.table) == table
        is_as_made = target.table_created_on in ("", created_on)
        if is_this and is_as_made and (lacking := each.rejected - kept.get(each.channel, 0)) > 0:
            yield each, lacking


def report_not_stored(findings: ShardFindings, channel: CountedChannel, lacking: int) -> None:
    through = channel.through
    position = position_text(through.sequence_number, through.sub_sequence_number) if through else ""
    up_to = f" up to {position}" if position else ""
    detail = (
        f"of {channel.rejected:,} rows that channel {channel.channel} had rejected{up_to}, the error table lacks {lacking:,}; "
        f"{findings.counts.missing:,} records of the shard are missing"
    )
    findings.report(ProblemKind.NOT_STORED, position, detail, times=lacking)


def replayed_of(config: EngineConfig, lineage: "Lineage", labels: Mapping[str, str]) -> Callable[[str], ReplayedInto]:
    """Returns what was replayed, by shard id, also where its dead letters are gone.

    `labels`: what rows say of their table, by its route.
    """
    if config.dead_letters.stream is not None:
        return lambda _: never

    def of_shard(shard_id: str) -> ReplayedInto:
        shard = ShardKey(lineage.stream, lineage.stream_created_ms, shard_id)
        journal = Journal(open_objects(config), config.application, shard)
        over = {number for number, is_over in journal.numbers().items() if is_over}

        @cache
        def replayed() -> Mapping[RecordPlace, ReplayedRecord]:
            return replayed_records(journal, over, labels)

        return lambda sequence_number, sub_sequence_number: replayed().get((sequence_number, sub_sequence_number))

    return of_shard


def put_again(config: EngineConfig, lineage: "Lineage", shard_ids: Iterable[str]) -> tuple[int, int]:
    """Returns how many dead letters' records a replay put into the stream again, and of how many that is not known."""
    known = unknown = 0
    for shard_id in shard_ids:
        shard = ShardKey(lineage.stream, lineage.stream_created_ms, shard_id)
        objects = open_objects(config)
        for put in PutJournal(objects, Journal(objects, config.application, shard).folder).puts():
            known += sum(1 for _ in put.places(are_in=True))
            unknown += len(put.request.letters) if put.end is None else 0
    return known, unknown


def replayed_records(
    journal: Journal, over: Container[int], labels: Mapping[str, str]
) -> Mapping[RecordPlace, ReplayedRecord]:
    """`over`: the batches that had an end before the tables were read: what these brought in has to be there."""
    found: dict[RecordPlace, ReplayedRecord] = {}
    ends: dict[RecordPlace, int] = defaultdict(int)
    for number, is_over in journal.numbers().items():
        is_void = is_over and journal.end(number).outcome is Outcome.VOID
        header = journal.batch(number).header
        table = labels.get(header.target.table, labels[OWN])
        for letter in header.letters:
            position = Position.from_token(letter.position)
            place, first = place_of(position), position.row + letter.first
            if letter.of or not is_void:
                ends[place] = max(ends[place], position.row + (letter.of or letter.rows))
            if not is_void:
                rows = range(first, first + letter.rows) if number in over else ()
                before = found.get(place, ReplayedRecord()).proven
                found[place] = ReplayedRecord(table, {*before, *rows})
    return {place: record._replace(end=ends[place]) for place, record in found.items()}


def columns_since(config: EngineConfig, made: Mapping[str, str]) -> Mapping[str, Mapping[str, int]]:
    """Returns when the columns of tables were seen first that they did not have from the beginning: by table, of those
    that are there now, and by column.

    `made`: when each table was made, by its name. Raises LedgerError.
    """
    from firnline_ingest.ledger.provision import existing_ledger

    ledger = existing_ledger(config)
    notes = {name: ledger.column_note(name) for name in made} if ledger else {}
    return {name: note.since_ms if note and note.table_created_on == made[name] else {} for name, note in notes.items()}


def taken_before(config: EngineConfig, client: "KinesisClient", stream: str) -> Mapping[str, Position]:
    """Returns how far the consumer that was migrated from had come, by shard. Raises NothingMigrated if the stream was not
    migrated, and the errors of firnline_ingest.migration.
    """
    from firnline_ingest.aws.client import dynamodb_client
    from firnline_ingest.kinesis.lineage import read_lineage
    from firnline_ingest.migration.errors import NothingMigrated
    from firnline_ingest.migration.tables import HEAD, MigrationJournal

    journal = MigrationJournal(dynamodb_client(config.aws), f"{config.ledger.table}_migration")
    noted = journal.read(read_lineage(client, stream).incarnation)
    if HEAD not in noted:
        raise NothingMigrated(stream, journal.table)
    return places({shard: item["row"] for shard, item in noted.items() if shard != HEAD})


def places(rows: Mapping[str, Any]) -> dict[str, Position]:
    """The places in the rows that the migration wrote; a shard that nothing was taken of has none."""
    from firnline_ingest.ledger.item import from_item

    found: dict[str, Position] = {}
    for shard, item in rows.items():
        row = from_item(item)
        if place := EVERYTHING if row.ended else row.read_through:
            found[shard] = place
    return found
