"""Dead letters of records that are rows since, by another configuration.

After a failover a person has all read again: the old ones stay, and no replay takes them (docs/design/replay.md). After a row of
the ledger was deleted, what was a dead letter ahead of the rows is read again, and an incident says from where on to compare.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from firnline_ingest.ledger.incident import IncidentKind
from firnline_ingest.ledger.row import ReadAgain, ShardRow
from tests.chaos.oracle import Found, place_of

if TYPE_CHECKING:
    from tests.chaos.simulated.world import World


def without_read_again(letters: Iterable[Found], rows: Iterable[Found], ledger: Mapping[str, ShardRow]) -> list[Found]:
    """`ledger` has the row of each shard; only shards that several configurations have read again are left without any."""
    several = {name for name, row in ledger.items() if row.read_again and row.read_again.routing == ReadAgain.SEVERAL}
    there = {(one.shard, one.number) for one in rows}
    return [one for one in letters if one.shard not in several or (one.shard, one.number) not in there]


def without_compared(
    letters: Iterable[Found], rows: Iterable[Found], said: Iterable[tuple[str, ShardRow]]
) -> list[Found]:
    """`said` has the rows that the ledger has, or had, by the name of their shard: with their incidents."""
    beyond: dict[str, int] = {}
    for name, row in said:
        for place in _compared_beyond(row):
            beyond[name] = min(place, beyond.get(name, place))
    there = {(one.shard, one.number) for one in rows}
    return [
        one
        for one in letters
        if one.shard not in beyond or one.number <= beyond[one.shard] or (one.shard, one.number) not in there
    ]


def said_in(world: "World") -> Iterator[tuple[str, ShardRow]]:
    return ((world.shard_of(row.key), row) for row in (*world.rows.values(), *world.said_before))


def _compared_beyond(row: ShardRow) -> Iterator[int]:
    """Yields the places from which on a person was asked to compare."""
    for through in (each.through for each in row.incidents if each.kind is IncidentKind.LEDGER_REBUILT):
        yield place_of(through.sequence_number, through.sub_sequence_number) if through else -1
