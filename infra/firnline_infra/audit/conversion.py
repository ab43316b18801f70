"""What the engine's own code makes of records, with the configuration as it is now: user records, rows, and what it does not
ingest on purpose. Its internal state is not asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from firnline_infra.audit.errors import NotAuditable
from firnline_infra.audit.outcome import NOWHERE, StreamRecord
from firnline_ingest.config.format import EmptyRecords, SchemasOf, no_registry
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.pipeline import Aggregation
from firnline_ingest.config.rows import UnusableRecords
from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.records.rows import RowMaker

if TYPE_CHECKING:
    from firnline_ingest.kinesis.lineage import Lineage

Decoded = Callable[[Iterable[StreamRecord]], Iterable[StreamRecord]]
IsNotIngested = Callable[[StreamRecord], bool]


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


def decoded_of(
    pipeline: PipelineConfig, schemas: SchemasOf = no_registry, labels: Mapping[str, str] | None = None
) -> Callable[[str], Decoded]:
    """By shard, because one decoder serves one thread. `schemas` tells how a registry is asked; `labels`, by its route, what rows
    say of their table.
    """
    makes_objects = pipeline.empty_records is not EmptyRecords.REJECT or pipeline.transforms or pipeline.content_column
    if pipeline.format.is_plain and not makes_objects and pipeline.routes is None:
        return lambda _: lambda records: records

    def of_shard(shard_id: str) -> Decoded:
        maker = RowMaker(pipeline, pipeline.stream, shard_id, schemas)

        def decoded(records: Iterable[StreamRecord]) -> Iterator[StreamRecord]:
            for record in records:
                yield from _rows_of(maker, record, labels if pipeline.routes else None)

        return decoded

    return of_shard


def _rows_of(maker: RowMaker, record: StreamRecord, labels: Mapping[str, str] | None) -> Iterator[StreamRecord]:
    """The record itself where it is no row: then a dead letter has it, or it was left out."""
    read = as_read(record)
    made = maker.convert([read])
    if made.rejected or made.left_out:
        table = NOWHERE if any(each.reason is RejectReason.NO_ROUTE for each in made.rejected) else None
        yield record._replace(not_ingested=next(iter(made.left_out), None), table=table)
        return
    for row, data in enumerate(maker.objects(read)):
        table = labels[maker.table] if labels else None
        yield record._replace(data=data, row=row, whole=record.data, table=table)


def not_ingested_of(
    config: EngineConfig, pipeline: PipelineConfig, schemas: SchemasOf = no_registry
) -> Callable[[str], IsNotIngested | None]:
    """By shard, because one judge serves one thread; None where everything is ingested."""
    if pipeline.unusable_records is not UnusableRecords.SKIP and config.dead_letters.stream is None:
        return lambda _: None

    def of_shard(shard_id: str) -> IsNotIngested:
        rows = RowMaker(pipeline, pipeline.stream, shard_id, schemas)
        return lambda record: record.whole is None and bool(rows.convert([as_read(record)]).rejected)

    return of_shard


def as_read(record: StreamRecord) -> Record:
    """What the engine is given for it."""
    if record.read is not None:
        return record.read
    arrived_s = None if record.arrived_ms is None else record.arrived_ms / 1000
    return Record(str(record.sequence_number), record.data, record.partition_key, arrived_s)
