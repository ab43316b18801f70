"""Where the consumer stopped that a stream was migrated from: the one thing that an audit takes from a book.

It is that consumer's own book, as the migration found and noted it, and not the engine's.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.values import Position

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

EVERYTHING = Position(10**129)
"""After every record that a shard can have."""


def taken_before(config: EngineConfig, client: "KinesisClient", stream: str) -> Mapping[str, Position]:
    """By shard. Raises NothingMigrated where the stream was not migrated, and the errors of firnline_ingest.migration."""
    from firnline_ingest.aws.client import dynamodb_client
    from firnline_ingest.kinesis.lineage import read_lineage
    from firnline_ingest.migration.errors import NothingMigrated
    from firnline_ingest.migration.tables import HEAD, Journal

    journal = Journal(dynamodb_client(config.aws), f"{config.ledger.table}_migration")
    noted = journal.read(read_lineage(client, stream).incarnation)
    if HEAD not in noted:
        raise NothingMigrated(stream, journal.table)
    return places({shard: item["row"] for shard, item in noted.items() if shard != HEAD})


def places(rows: Mapping[str, Any]) -> dict[str, Position]:
    """From the rows that the migration wrote; a shard that nothing was taken of has none."""
    from firnline_ingest.ledger.item import from_item

    found: dict[str, Position] = {}
    for shard, item in rows.items():
        row = from_item(item)
        if place := EVERYTHING if row.ended else row.read_through:
            found[shard] = place
    return found
