"""Decisions of a person about shards that the engine refused, written into their rows and kept there as incidents.

No engine runs meanwhile: the command holds the application's name, and gets it from a run that was killed as an engine
would. The fence is raised too, so one that comes too late fails with Fenced.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from firnline_ingest.errors import UsageError, declared
from firnline_ingest.identifiers import stored_name
from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.backend import Ledger
from firnline_ingest.ledger.incarnation import begun_anew
from firnline_ingest.ledger.incident import Incident, IncidentKind, without_acceptances
from firnline_ingest.ledger.lease import RunLease, held
from firnline_ingest.ledger.reconcile import EXPIRES_MS
from firnline_ingest.ledger.row import ReadAgain, ResumeFrom, ShardRow
from firnline_ingest.values import Position, ShardKey


@declared
class TableUnnamed(UsageError):
    tables: Sequence[str]

    id = "FL-1004"
    message = "The pipeline writes into {tables}: rows that one of them rejected are accepted by themselves."
    next_step = (
        "name it, as the error did that sent you here: firnline resume --config engine.json --stream STREAM --table TABLE "
        "--accept-errors TOKEN"
    )
    causes = "`firnline resume` with `--accept-errors`, of a pipeline with routes, did not name one of its tables"
    remedy = "`--table`, as FL-3105 has it"


Decision = Callable[[ShardRow], ShardRow]
HOUR_MS = 3_600_000


@declared
class NothingToResume(UsageError):
    stream: str
    shard: str | None

    id = "FL-1003"
    message = "The ledger has no row for {missing} of {stream!r}."
    next_step = "compare the names with the error that sent you here, and ledger.table with the engine's."
    causes = "`firnline resume` named a stream or shard that the ledger does not have"
    remedy = "compare with the error that sent you there"

    @property
    def missing(self) -> str:
        return "shard " + self.shard if self.shard else "any shard"


def is_read_on(row: ShardRow) -> bool:
    """Returns whether an engine still reads the shard."""
    return not row.ended


def is_held(row: ShardRow, lineage: Lineage) -> bool:
    """Returns whether the stream still holds records of the shard, so that one that has ended can be read again, and
    nothing comes twice.

    Not in the last hour of its newest record: an engine would find a shard that has gone. Nor if a channel of it may have
    expired: then nothing says any more what the table has of it.
    """
    if not row.ended:
        return True
    newest_ms = lineage.listed_ms - lineage.retention_hours * HOUR_MS + HOUR_MS
    unused_ms = lineage.listed_ms - EXPIRES_MS + 24 * HOUR_MS
    used = [row.sending_of(channel).ms or row.heartbeat_ms for channel in row.channels]
    return row.key.shard_id in lineage.shards and row.known_ms > newest_ms and all(ms > unused_ms for ms in used)


def decide(
    ledger: Ledger,
    lease: RunLease,
    incarnation: str,
    shard: str | None,
    decision: Decision,
    *,
    concerns: Callable[[ShardRow], bool] = is_read_on,
) -> list[ShardKey]:
    """Decides about one shard, or about all of a stream that it `concerns`; says which.

    Raises NothingToResume, AnotherEngineRuns where an engine's heart beats, which takes a look of some seconds, and RunDisplaced
    where one took over meanwhile.
    """
    with held(lease) as heart:
        chosen = _chosen(ledger.rows(incarnation), shard, concerns)
        if not chosen:
            raise NothingToResume(incarnation.rpartition("@")[0], shard)
        for row in chosen:
            heart.make_sure()
            taken = ledger.take(row.key, row.fence, f"a person, {lease.run.holder}", row.start)
            ledger.reset(decision(taken))
        return [row.key for row in chosen]


def begin_anew(ledger: Ledger, lease: RunLease, stream: str, incarnation: str, now_ms: int) -> None:
    """Begins with the oldest record of a stream that was deleted and recreated.

    Raises AnotherEngineRuns and RunDisplaced as `decide` does.
    """
    with held(lease) as heart:
        if mark := ledger.mark(stream):
            heart.make_sure()
            ledger.set_mark(stream, begun_anew(mark, incarnation, now_ms), mark)


def resume_from(row: ShardRow, where: ResumeFrom, now_ms: int) -> ShardRow:
    """Marks the row, so that the next open lists its channels anew: after what is proven, or from the oldest record.

    A channel that still has a committed token is gone on with after that token, whatever is said here: no row is
    ever appended twice to one channel. Rejected rows that were accepted before are looked at again: the table may be
    another one by now.
    """
    row = replace(row, incidents=without_acceptances(row.incidents))
    detail = f"resumed from {where.value}; {', '.join(row.channels) or 'no channel'} listed anew"
    incident = Incident(IncidentKind.RESUMED, now_ms, detail, row.read_through)
    resumed = replace(
        row.with_incident(incident), reset=where, first_read=None, stopped_by="", unusable=MappingProxyType({})
    )
    if where is ResumeFrom.PROVEN:
        return resumed
    return replace(
        resumed,
        read_through=None,
        kept_through=None,
        read_again=_read_again(row),
        decided=(),
        tip_ms=0,
        arrived_ms=0,
        held_back_ms=0,
        since_ms=now_ms,
        start=TrimHorizon(),
        ended=False,
        children=(),
    )


def _read_again(row: ShardRow) -> ReadAgain | None:
    """Keeps the conversion of earlier readings, whose rows may stay in the table: another one of this reading makes two."""
    earlier = row.read_again
    read = (row.read_through, row.kept_through, earlier.through if earlier else None)
    through = max(filter(None, read), default=None)
    made_by = {row.routing, earlier.routing if earlier else ""} - {""}
    routing = ReadAgain.SEVERAL if len(made_by) > 1 else next(iter(made_by), "")
    return ReadAgain(through, routing) if through else None


def accept_errors(row: ShardRow, through: Position, now_ms: int, *, table: str = "") -> ShardRow:
    """Rejected rows up to `through` stop the shard no more, until it is resumed from elsewhere; they stay in the error table,
    where there is one.

    `table`: the stored name of the one that they were for; empty where no configuration says it.
    """
    incident = Incident(IncidentKind.ACCEPTED_ERRORS, now_ms, "rejected rows were accepted", through, table=table)
    return row.with_incident(incident)


def accepted_table(tables: Collection[str], named: str | None) -> str:
    """The stored name of the table, of those of a pipeline, whose rows are accepted. Raises TableUnnamed."""
    if len(tables) == 1 and named is None:
        return next(iter(tables))
    for name in (named or "", stored_name(named) if named else ""):
        if name in tables:
            return name
    raise TableUnnamed(sorted(tables))


def _chosen(rows: Mapping[str, ShardRow], shard: str | None, concerns: Callable[[ShardRow], bool]) -> list[ShardRow]:
    return [row for row in rows.values() if (row.key.shard_id == shard if shard else concerns(row))]
