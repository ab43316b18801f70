"""Which records are rightly nowhere: those that can't be rows, where the pipeline skips them or keeps them out of sight.

The engine's own check of a record's bytes says so, for the configuration as it is now; its books are not asked.
"""

from collections.abc import Callable

from firnline_infra.audit.outcome import StreamRecord
from firnline_ingest.config.format import SchemasOf, no_registry
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.config.rows import UnusableRecords
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker

LeftOut = Callable[[StreamRecord], bool]


def left_out_of(
    config: EngineConfig, pipeline: PipelineConfig, schemas: SchemasOf = no_registry
) -> Callable[[str], LeftOut | None]:
    """By shard, because one judge serves one thread; None where nothing is left out."""
    if pipeline.unusable_records is not UnusableRecords.SKIP and config.dead_letters.stream is None:
        return lambda _: None

    def of_shard(shard_id: str) -> LeftOut:
        rows = RowMaker(pipeline, pipeline.stream, shard_id, schemas)
        return lambda record: record.whole is None and bool(rows.convert([as_read(record)]).rejected)

    return of_shard


def as_read(record: StreamRecord) -> Record:
    """What the engine is given for it."""
    if record.read is not None:
        return record.read
    arrived_s = None if record.arrived_ms is None else record.arrived_ms / 1000
    return Record(str(record.sequence_number), record.data, record.partition_key, arrived_s)
