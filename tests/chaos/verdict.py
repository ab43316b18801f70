"""Finds every record of a schedule again: in the table, in the error table or among the dead letters, once, in order.

Read from what the services stored, not from what the engine says; then the engine's own books are compared with it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firnline_ingest.deadletter import open_store
from firnline_ingest.ledger.incident import IncidentKind
from firnline_ingest.ledger.row import ShardRow
from firnline_local.kinesis import ShardHandle
from tests.chaos.lane import Lane, Stage
from tests.chaos.records import Fate, fate_of

Found = Mapping[Fate, Sequence[int]]
"""Sequence numbers, in the order in which they were found."""


def verdict(stage: Stage, lane: Lane) -> list[str]:
    """What is wrong, in sentences; nothing where all is well."""
    rows, errors = _stored(stage, lane)
    letters = [letter for letter in open_store(stage.config).list() if letter.stream == stage.stream.name]
    problems: list[str] = []
    for shard in stage.stream.shards:
        found = {
            Fate.ROW: [place.number for place in rows if place.shard == shard.id],
            Fate.ERROR_ROW: [place.number for place in errors if place.shard == shard.id],
            Fate.DEAD_LETTER: [int(letter.sequence_number) for letter in letters if letter.shard_id == shard.id],
        }
        problems += [
            f"{shard.id}: {problem}" for problem in (*_misplaced(shard, found), *_misbooked(stage, lane, shard, found))
        ]
    return [*problems, *_children_before_parents(stage, rows)]


@dataclass(frozen=True)
class Place:
    """Where a stored row came from."""

    shard: str
    number: int

    @classmethod
    def of(cls, metadata: Mapping[str, str]) -> "Place":
        return cls(metadata["shardId"], int(metadata["sequenceNumber"]))


def _stored(stage: Stage, lane: Lane) -> tuple[list[Place], list[Place]]:
    """The rows and the error rows, each in the order in which they were committed."""
    rows, errors = lane.stored_rows(stage.table)
    payloads = [json.loads(error)["$1"] for error in errors]
    return (
        [Place.of(json.loads(metadata)) for metadata in rows],
        [Place.of(_parsed(payload)["KINESISMETADATA"]) for payload in payloads],
    )


def _parsed(payload: Any) -> dict[str, dict[str, str]]:
    parsed: dict[str, dict[str, str]] = json.loads(payload) if isinstance(payload, str) else payload
    return parsed


def _misplaced(shard: ShardHandle, found: Found) -> Iterator[str]:
    for fate in Fate:
        wanted = [record.sequence_number for record in shard.records if fate_of(record.data) is fate]
        have = list(found[fate]) if fate is not Fate.DEAD_LETTER else sorted(found[fate])
        if missing := set(wanted) - set(have):
            yield f"{len(missing)} of {len(wanted)} {fate}s are missing: {sorted(missing)}"
        if len(have) > len(set(have)):
            yield f"{len(have) - len(set(have))} {fate}s are doubled"
        if strange := set(have) - set(wanted):
            yield f"{len(strange)} {fate}s should be something else: {sorted(strange)}"
        if have != sorted(have):
            yield f"the {fate}s are not in the shard's order"


def _misbooked(stage: Stage, lane: Lane, shard: ShardHandle, found: Found) -> Iterator[str]:
    """The ledger's row against what was stored."""
    row = lane.ledger.read(stage.key(shard.id))
    if row is None:
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
    stored = (len(found[Fate.ROW]), len(found[Fate.ERROR_ROW]))
    if counted != stored:
        yield f"the ledger counted {counted} rows and error rows, stored are {stored}"
    yield from _incidents(row)


def _incidents(row: ShardRow) -> Iterator[str]:
    for incident in row.incidents:
        if incident.kind is not IncidentKind.LEDGER_REBUILT:
            yield f"an incident that nothing caused: {incident}"


def _children_before_parents(stage: Stage, rows: Sequence[Place]) -> Iterator[str]:
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for index, place in enumerate(rows):
        first.setdefault(place.shard, index)
        last[place.shard] = index
    for shard in stage.stream.shards:
        for parent in shard.parents:
            if first.get(shard.id, len(rows)) < last.get(parent.id, -1):
                yield f"{shard.id} has a row before its parent {parent.id} has all of its own"
