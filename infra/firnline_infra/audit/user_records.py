"""What a producer put into the stream: records as they are, and the user records of aggregates."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from firnline_infra.audit.errors import NotAuditable
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.pipeline import Aggregation
from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.page import Record

if TYPE_CHECKING:
    from firnline_ingest.kinesis.lineage import Lineage


def user_records_of(
    pipeline: PipelineConfig, lineage: "Lineage", shard_id: str, records: Iterable[Record]
) -> Iterator[Record]:
    """Of one shard, in order. Raises NotAuditable where rows don't have the place that tells user records apart."""
    own_range = lineage.shards[shard_id].hash_range
    apart = UserRecords(lambda: own_range, is_on=pipeline.aggregation is Aggregation.AUTO)
    for record in records:
        for piece in apart.pieces([record]):
            if len(piece) > 1 and not pipeline.metadata.is_on("sub_sequence_number"):
                raise NotAuditable(pipeline.stream, ["sub_sequence_number"])
            yield from piece
