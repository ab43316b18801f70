"""Conversion of records as the audit expects it, with the configuration of now: user records, rows, or intentionally nothing.

The audit's own readers say so. The engine's converter is asked about one thing alone: whether a record that is nowhere, and that
these can read, breaks a rule that they don't judge.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from firnline_infra.audit.errors import NotAuditable
from firnline_infra.audit.outcome import NOWHERE, StreamRecord
from firnline_infra.audit.readers.aggregates import user_records
from firnline_infra.audit.readers.json_model import NotIngested, Unreadable
from firnline_infra.audit.readers.rows import NO_ROUTE, UNREAD_RULES, RowReader
from firnline_ingest.config.format import EmptyRecords, SchemasOf, no_registry
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.pipeline import Aggregation
from firnline_ingest.config.rows import UnusableRecords
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import LeftOut
from firnline_ingest.records.rows import RowMaker

if TYPE_CHECKING:
    from firnline_ingest.kinesis.lineage import Lineage

Decoded = Callable[[Iterable[StreamRecord]], Iterable[StreamRecord]]
IsNotIngested = Callable[[StreamRecord], bool]


def user_records_of(
    pipeline: PipelineConfig, lineage: "Lineage", shard_id: str, records: Iterable[Record]
) -> Iterator[Record]:
    """The user records of one shard, in order. Raises NotAuditable where rows don't have the place that tells user records
    apart.
    """
    own_range, is_on = lineage.shards[shard_id].hash_range, pipeline.aggregation is Aggregation.AUTO
    for record in records:
        taken_apart = user_records(record, own_range) if is_on else [record]
        if len(taken_apart) > 1 and not pipeline.metadata.is_on("sub_sequence_number"):
            raise NotAuditable(pipeline.stream, ["sub_sequence_number"])
        yield from taken_apart


def decoded_of(
    pipeline: PipelineConfig, schemas: SchemasOf = no_registry, labels: Mapping[str, str] | None = None
) -> Callable[[str], Decoded]:
    """Gives the rows of records, by shard because one reader serves one thread. `schemas` tells how a registry is asked;
    `labels`, by its route, what rows say of their table.
    """
    makes_objects = pipeline.empty_records is not EmptyRecords.REJECT or pipeline.transforms or pipeline.content_column
    if pipeline.format.is_plain and not makes_objects and pipeline.routes is None:
        return lambda _: lambda records: records

    def of_shard(shard_id: str) -> Decoded:
        reader = RowReader(pipeline, pipeline.stream, shard_id, schemas)

        def decoded(records: Iterable[StreamRecord]) -> Iterator[StreamRecord]:
            for record in records:
                yield from _rows_of(reader, record, labels if pipeline.routes else None)

        return decoded

    return of_shard


def _rows_of(reader: RowReader, record: StreamRecord, labels: Mapping[str, str] | None) -> Iterator[StreamRecord]:
    """The record itself where it is not a row: then a dead letter has it, or it is intentionally not ingested."""
    try:
        rows = reader.rows(as_read(record))
    except Unreadable as error:
        is_routed_nowhere = error.reason == NO_ROUTE
        yield record._replace(table=NOWHERE if is_routed_nowhere else None, is_unreadable=not is_routed_nowhere)
        return
    except NotIngested as omitted:
        yield record._replace(not_ingested=LeftOut(omitted.why))
        return
    table = labels[reader.table] if labels else None
    for number, row in enumerate(rows):
        yield record._replace(data=row.data, row=number, whole=record.data, unknown=row.unknown, table=table)


def not_ingested_of(
    config: EngineConfig, pipeline: PipelineConfig, schemas: SchemasOf = no_registry
) -> Callable[[str], IsNotIngested | None]:
    """Tells what is not ingested, by shard because one judge serves one thread; None where everything is ingested."""
    if pipeline.on_error is not UnusableRecords.SKIP and config.dead_letters.stream is None:
        return lambda _: None

    def of_shard(shard_id: str) -> IsNotIngested:
        reader = RowReader(pipeline, pipeline.stream, shard_id, schemas)
        engines = RowMaker(pipeline, pipeline.stream, shard_id, schemas)

        def is_not_ingested(record: StreamRecord) -> bool:
            read = as_read(record)
            try:
                reader.rows(read)
            except Unreadable:
                return True
            return any(str(each.reason) in UNREAD_RULES for each in engines.convert([read]).rejected)

        return is_not_ingested

    return of_shard


def as_read(record: StreamRecord) -> Record:
    """Returns what was read of it."""
    if record.read is not None:
        return record.read
    arrived_s = None if record.arrived_ms is None else record.arrived_ms / 1000
    data = record.data if record.whole is None else record.whole
    return Record(str(record.sequence_number), data, record.partition_key, arrived_s)
