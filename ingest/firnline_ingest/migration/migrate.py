"""Carries a plan out, and takes it back: into the ledger only, noted before it is written, with no other engine at work.

The other consumer's table is read three times: twice with a wait in between, because a worker counts up the counter of each of
its leases several times within its failover time; and again when everything is written, because it may have been
started in between. An engine is kept out by the application's name, which is ours meanwhile; and where the migration is
killed, by the stream's being paused until all rows are there, or none: without some, their shards would be read from anywhere.
Whether a person had paused it is noted before, and stays so: in the journal, because the next attempt finds our own pause.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from firnline_ingest.activity import waiting_for
from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.kinesis.start import Pin
from firnline_ingest.ledger.backend import Ledger
from firnline_ingest.ledger.item import from_item, to_item
from firnline_ingest.ledger.lease import Heartbeat, RunLease, held
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.migration.errors import (
    EngineHasBegun,
    JournalMissing,
    MigrationNotOver,
    NothingMigrated,
    NotMigratable,
    SourceInUse,
    StreamKnown,
)
from firnline_ingest.migration.plan import Migration, plan_migration
from firnline_ingest.migration.tables import HEAD, JOURNAL_KEY, Item, Items, MigrationJournal, Source, changed, owners
from firnline_ingest.values import Fence

OWNER = "firnline migrate"
PAUSED, UNDER_WAY = "paused", "under_way"
"""In the journal's head: whether a person had paused the stream, and whether the pause that is there is the migration's."""


@dataclass(frozen=True, slots=True)
class MigrationWriter:
    """Targets of a migration: what it writes into, and what keeps an engine out meanwhile."""

    ledger: Ledger
    journal: MigrationJournal
    lease: RunLease


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedSource:
    """The other consumer's table, of which nothing changed while it was watched."""

    source: Source
    items: Items
    seconds: float

    def refuse_changes(self) -> None:
        """Raises SourceInUse."""
        now = self.source.items()
        if keys := changed(self.items, now):
            raise SourceInUse(self.source.table, self.seconds, keys, owners(now, keys))


def watch(source: Source, seconds: float, sleep: Callable[[float], object] = time.sleep) -> WatchedSource:
    """Raises SourceInUse where anything of it changes within that time: a counter, an owner, a place, a heartbeat, a metric."""
    source.check()
    watched = WatchedSource(source=source, items=source.items(), seconds=seconds)
    with waiting_for(f"{source.table}, which is watched for {seconds:.0f} s"):
        sleep(seconds)
    watched.refuse_changes()
    return watched


def planned(watched: WatchedSource, lineage: Lineage, at: Pin | None, epoch: int | None = None) -> Migration:
    leases = watched.source.leases(watched.items, lineage.stream, lineage.stream_created_ms, epoch)
    return plan_migration(leases, lineage, at)


def apply(migration: Migration, watched: WatchedSource, lineage: Lineage, writer: MigrationWriter) -> int:
    """Writes the migration and returns the number of rows. What an interrupted attempt has left is taken back first.

    Raises NotMigratable, StreamKnown, AnotherEngineRuns, SourceInUse after everything was taken back, and RunDisplaced
    where this was frozen until an engine took the name over: the stream stays paused then.
    """
    if migration.problems:
        raise NotMigratable(watched.source.table, migration.problems)
    with held(writer.lease) as heart:
        _write(migration, watched, lineage, writer)
        try:
            watched.refuse_changes()
        except SourceInUse:
            _take_back(lineage, writer)
            _end_undo(lineage, writer, heart)
            raise
        head = _go_on(lineage, writer, heart)
        writer.journal.write(lineage.incarnation, HEAD, {**head, UNDER_WAY: False})
        return len(migration.rows)


def undo(lineage: Lineage, writer: MigrationWriter) -> int:
    """Takes the migration back and returns the number of rows removed. Raises NothingMigrated, EngineHasBegun (then nothing
    is removed), AnotherEngineRuns, RunDisplaced."""
    with held(writer.lease) as heart:
        rows = _take_back(lineage, writer)
        _end_undo(lineage, writer, heart)
        return rows


def finish(ledger: Ledger, journal: MigrationJournal) -> bool:
    """Removes the journal's table once it is of no use any more; returns False if it is gone already.

    Raises MigrationNotOver where a migration is under way, or an engine has not opened a shard that can still be taken back.
    """
    try:
        noted = journal.all_noted()
    except JournalMissing:
        return False
    if under_way := [stream for stream, items in noted.items() if items.get(HEAD, {}).get(UNDER_WAY)]:
        raise MigrationNotOver(journal.table, under_way, under_way=True)
    waiting = [shard for stream, items in sorted(noted.items()) for shard in _not_begun(ledger.rows(stream), items)]
    if waiting:
        raise MigrationNotOver(journal.table, waiting, under_way=False)
    journal.drop()
    return True


def _not_begun(there: Mapping[str, ShardRow], noted: Mapping[str, Item]) -> list[str]:
    """The shards that no engine has opened, and that it would: one that was finished is not opened again."""
    ours = [from_item(item["row"]) for shard, item in noted.items() if shard != HEAD]
    if any(_has_begun(there.get(row.key.shard_id)) for row in ours):
        return []  # an undo is refused, whatever the others are: parents come before children
    return sorted(row.key.shard_id for row in ours if (found := there.get(row.key.shard_id)) and not found.ended)


def _end_undo(lineage: Lineage, writer: MigrationWriter, heart: Heartbeat) -> None:
    """The head goes last: it knows how the stream was before."""
    _go_on(lineage, writer, heart)
    writer.journal.remove(lineage.incarnation, HEAD)


def _pause(lineage: Lineage, writer: MigrationWriter, head: Item) -> None:
    """Pauses the stream, once the journal's head says whether a person had done so. A pause that an attempt of before has left is
    that attempt's, and its head says what was before it. A stream that nobody has begun gets its mark last: without one, nothing
    of the migration is there.
    """
    mark = writer.ledger.mark(lineage.stream)
    is_paused = mark is not None and mark.is_paused
    before = writer.journal.read(lineage.incarnation).get(HEAD, {})
    if before.get(UNDER_WAY):
        is_paused = is_paused and bool(before[PAUSED])
    writer.journal.write(lineage.incarnation, HEAD, {**head, PAUSED: is_paused, UNDER_WAY: True})
    if mark is None:
        writer.ledger.set_mark(lineage.stream, StreamMark(lineage.incarnation, since_ms=lineage.listed_ms), None)
    writer.ledger.pause(lineage.stream, True)


def _go_on(lineage: Lineage, writer: MigrationWriter, heart: Heartbeat) -> Item:
    """The engine that reads the stream may plan it now, unless a person had paused it. Returns the journal's head."""
    heart.make_sure()
    head = writer.journal.read(lineage.incarnation)[HEAD]
    writer.ledger.pause(lineage.stream, bool(head[PAUSED]))
    return {name: value for name, value in head.items() if name not in JOURNAL_KEY}


def _write(migration: Migration, watched: WatchedSource, lineage: Lineage, writer: MigrationWriter) -> None:
    ledger, journal = writer.ledger, writer.journal
    there = ledger.rows(lineage.incarnation)
    if foreign := [shard for shard, row in there.items() if row.fence.owner != OWNER]:
        raise StreamKnown(lineage.stream, journal.table.removesuffix("_migration"), len(foreign))
    if there:
        _take_back(lineage, writer)  # what a try before has left, which may have been made of other leases
    source = watched.source
    head = {
        "source": source.table,
        "kind": source.kind,
        "at": lineage.listed_ms,
        "by": writer.lease.run.holder,
        "rows": len(migration.rows),
    }
    _pause(lineage, writer, head)
    made_of = _by_shard(watched.items)
    for row in migration.rows:
        shard = row.key.shard_id
        journal.write(lineage.incarnation, shard, {"row": to_item(row), "from": made_of.get(shard, {})})
        taken = ledger.take(row.key, Fence(), OWNER, row.start)
        ledger.reset(replace(row, fence=taken.fence))


def _take_back(lineage: Lineage, writer: MigrationWriter) -> int:
    """Pauses the stream, takes the migration's rows back, and returns their number."""
    ledger, journal = writer.ledger, writer.journal
    noted = journal.read(lineage.incarnation)
    if HEAD not in noted:
        raise NothingMigrated(lineage.stream, journal.table)
    ours = [from_item(item["row"]) for shard, item in noted.items() if shard != HEAD]
    there = ledger.rows(lineage.incarnation)
    begun = [row.key.shard_id for row in ours if _has_begun(there.get(row.key.shard_id))]
    begun += sorted(shard for shard in there if shard not in noted)
    if begun:
        raise EngineHasBegun(lineage.stream, begun)
    _pause(lineage, writer, {name: value for name, value in noted[HEAD].items() if name not in JOURNAL_KEY})
    for row in ours:
        if found := there.get(row.key.shard_id):
            ledger.withdraw(found)
        journal.remove(lineage.incarnation, row.key.shard_id)
    return len(ours)


def _has_begun(row: ShardRow | None) -> bool:
    return row is not None and row.fence.owner != OWNER


def _by_shard(items: Items) -> Mapping[str, object]:
    """Keys end in the shard's id, whatever stands before it."""
    return {key.replace(" ", ":").rpartition(":")[2]: item for key, item in items.items()}
