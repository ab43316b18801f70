"""Finds every record of a schedule again: in the table, in the error table or among the dead letters.

Read from what the services stored, not from what the engine says; the oracle compares it with what was put. Then the
engine's own books are compared with it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firnline_ingest.dead_letters import open_store
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import ShardRow
from firnline_local.kinesis import ShardHandle
from tests.chaos.lane import Lane, Stage
from tests.chaos.oracle import Evidence, Found, Loss, Put, Stop, place_of, problems
from tests.chaos.records import Fate

LOSSES = {
    IncidentKind.RETENTION_LOSS,
    IncidentKind.UNPROVABLE_RANGE,
    IncidentKind.PARENT_UNREAD,
    IncidentKind.SHARD_UNREAD,
    IncidentKind.STREAM_REPLACED,
    IncidentKind.CHANNEL_DROPPED,
}


def verdict(
    stage: Stage,
    lane: Lane,
    *,
    puts: Sequence[Put],
    parents: Mapping[str, Sequence[str]],
    stops: Sequence[Stop],
    may_lose: bool,
) -> list[str]:
    """Returns what is wrong, in sentences; nothing where all is well."""
    found = _found(stage, lane)
    rows = {shard: row for shard in parents if (row := lane.ledger.read(stage.key(shard))) is not None}
    evidence = Evidence(
        puts=puts,
        found=found,
        parents=parents,
        losses=[loss for row in rows.values() for loss in losses_of(row)],
        stops=stops,
        may_lose=may_lose,
    )
    wrong = problems(evidence)
    for shard in stage.stream.shards:
        if not stops and not may_lose:
            wrong += [f"{shard.id}: {problem}" for problem in _misbooked(rows.get(shard.id), shard, found)]
    return wrong


def losses_of(row: ShardRow) -> list[Loss]:
    """Returns what a row of the ledger says about records that were lost, or can't be proven."""
    return [loss for incident in row.incidents for loss in _losses(row.key.shard_id, incident)]


def _losses(shard: str, incident: Incident) -> list[Loss]:
    if incident.kind not in LOSSES:
        return []
    through = incident.through
    before = place_of(through.sequence_number, through.sub_sequence_number) if through else None
    if incident.kind is IncidentKind.PARENT_UNREAD:
        parents = incident.detail.rpartition(": ")[2].split(", ")
        return [Loss(parent, incident.kind) for parent in parents]
    return [Loss(shard, incident.kind, before=before)]


def _found(stage: Stage, lane: Lane) -> dict[Fate, list[Found]]:
    """The rows and the error rows, each in the order in which they were committed, and the letters."""
    rows, errors = lane.stored_rows(stage.table)
    letters = [letter for letter in open_store(stage.config).list() if letter.stream == stage.stream.name]
    payloads = [json.loads(error)["$1"] for error in errors]
    return {
        Fate.ROW: [_place("the table", json.loads(metadata)) for metadata in rows],
        Fate.ERROR_ROW: [_place("the error table", _parsed(payload)["KINESISMETADATA"]) for payload in payloads],
        Fate.DEAD_LETTER: [
            Found("the letters", each.shard_id, place_of(int(each.sequence_number))) for each in letters
        ],
    }


def _place(place: str, metadata: Mapping[str, str]) -> Found:
    return Found(place, metadata["shardId"], place_of(int(metadata["sequenceNumber"])))


def _parsed(payload: Any) -> dict[str, dict[str, str]]:
    parsed: dict[str, dict[str, str]] = json.loads(payload) if isinstance(payload, str) else payload
    return parsed


def _misbooked(row: ShardRow | None, shard: ShardHandle, found: Mapping[Fate, Sequence[Found]]) -> Iterator[str]:
    """The ledger's row against what was stored. A row that was lost after its shard's end is not made again."""
    if row is None:
        if shard.is_open:
            yield "the ledger has no row"
        return
    if shard.records and row.read_through != shard.last_position:
        yield f"the ledger stands at {row.read_through}, the shard's last record is {shard.last_position}"
    if row.ended == shard.is_open:
        yield f"the ledger says ended={row.ended}, the shard is {'open' if shard.is_open else 'closed'}"
    counted = tuple(
        sum(getattr(entry.proven, counter) for entry in row.channels.values())
        for counter in ("rows_inserted", "rows_error")
    )
    stored = tuple(sum(one.shard == shard.id for one in found[fate]) for fate in (Fate.ROW, Fate.ERROR_ROW))
    if counted != stored:
        yield f"the ledger counted {counted} rows and error rows, stored are {stored}"
