"""Dead letters of records that are rows since: after a failover a person has all read again, by another configuration.

The old ones stay, and no replay takes them (docs/design/replay.md).
"""

from collections.abc import Iterable, Mapping

from firnline_ingest.ledger.row import ReadAgain, ShardRow
from tests.chaos.oracle import Found


def without_read_again(letters: Iterable[Found], rows: Iterable[Found], ledger: Mapping[str, ShardRow]) -> list[Found]:
    """`ledger` has the row of each shard; only shards that several configurations have read again are left without any."""
    several = {name for name, row in ledger.items() if row.read_again and row.read_again.routing == ReadAgain.SEVERAL}
    there = {(one.shard, one.number) for one in rows}
    return [one for one in letters if one.shard not in several or (one.shard, one.number) not in there]
