"""The receipts of a story against what is there: they add up to every row and every dead letter, once."""

from collections import Counter
from collections.abc import Iterator

from firnline_ingest.ledger.incident import IncidentKind
from tests.chaos.simulated.finds import REPAIRED, shard_name
from tests.chaos.simulated.snowflake import metadata_of
from tests.chaos.simulated.world import World

NAMES = ("rows", "dead_letters")
MADE_AGAIN = {IncidentKind.LEDGER_REBUILT}
"""Of a row that was lost: it goes on with the rows that its channel counted."""


def miscounted(world: World) -> Iterator[str]:
    """Yields the shards whose receipts have more, or fewer, than there are. Of one that stopped, or with an incident, what was
    counted may be lost, or be there twice; of one whose row was lost, that is so of dead letters alone."""
    there, reported = _there(world), _reported(world)
    rows = {world.shard_of(key): row for key, row in world.ledger.memory.kept.items()}
    for shard in sorted({shard for shard, _ in (*there, *reported)}):
        row = rows.get(shard)
        is_stopped = any(stop in world.stopped for stop in ("", shard, shard.rpartition("/")[0] + "/"))
        if (
            row is None
            or is_stopped
            or not {each.kind for each in row.incidents} <= MADE_AGAIN
            or (row.incidents and world.routes)
        ):
            continue
        for name in NAMES[:1] if row.incidents else NAMES:
            if reported[shard, name] != there[shard, name]:
                yield f"{shard}: receipts have {reported[shard, name]} {name}, there are {there[shard, name]}"


def _reported(world: World) -> Counter[tuple[str, str]]:
    """With the last receipts of shards that have ended: no process may have been left to report them."""
    last = Counter[tuple[str, str]]()
    for key, row in world.ledger.memory.kept.items():
        if row.ended:
            told = world.differences.of_ended(row, 0)
            last.update({(world.shard_of(key), name): getattr(told, name) for name in NAMES})
    return world.reported + last


def _there(world: World) -> Counter[tuple[str, str]]:
    found = Counter[tuple[str, str]]()
    tables = [table for made in world.snowflake.tables.values() for table in made]
    rows = {_place_of(row) for table in tables for row in (*table.rows, *table.rejected) if REPAIRED not in row}
    found.update((shard, "rows") for shard, *_ in rows)
    found.update((shard_name(letter.stream, letter.shard_id), "dead_letters") for letter in world.letters.list())
    return found


def _place_of(row: bytes) -> tuple[str, str, int, int]:
    metadata = metadata_of(row)
    shard = shard_name(metadata["stream"], metadata["shardId"])
    return shard, metadata["sequenceNumber"], metadata["subSequenceNumber"], metadata.get("row", 0)
