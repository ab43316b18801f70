"""What of a record is to be found as rows, where its format is not plain JSON or transforms change it, as the engine has it."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from firnline_infra.audit.left_out import as_read
from firnline_infra.audit.outcome import NOWHERE, StreamRecord
from firnline_ingest.config.format import EmptyRecords, SchemasOf, no_registry
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.records.rows import RowMaker

Decoded = Callable[[Iterable[StreamRecord]], Iterable[StreamRecord]]


def decoded_of(
    pipeline: PipelineConfig, schemas: SchemasOf = no_registry, marks: Mapping[str, str] | None = None
) -> Callable[[str], Decoded]:
    """By shard, because one decoder serves one thread. `schemas` tells how a registry is asked; `marks`, by its route, what rows
    say of their table.
    """
    makes_objects = pipeline.empty_records is not EmptyRecords.REJECT or pipeline.transforms or pipeline.content_column
    if pipeline.format.is_plain and not makes_objects and pipeline.routes is None:
        return lambda _: lambda records: records

    def of_shard(shard_id: str) -> Decoded:
        maker = RowMaker(pipeline, pipeline.stream, shard_id, schemas)

        def decoded(records: Iterable[StreamRecord]) -> Iterator[StreamRecord]:
            for record in records:
                yield from _rows_of(maker, record, marks if pipeline.routes else None)

        return decoded

    return of_shard


def _rows_of(maker: RowMaker, record: StreamRecord, marks: Mapping[str, str] | None) -> Iterator[StreamRecord]:
    """The record itself where it is no row: then a dead letter has it, or it was left out."""
    read = as_read(record)
    made = maker.convert([read])
    if made.rejected or made.left_out:
        table = NOWHERE if any(each.reason is RejectReason.NO_ROUTE for each in made.rejected) else None
        yield record._replace(left_out=next(iter(made.left_out), None), table=table)
        return
    for row, data in enumerate(maker.objects(read)):
        table = marks[maker.table] if marks else None
        yield record._replace(data=data, row=row, whole=record.data, table=table)
