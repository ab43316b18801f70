"""The latest row of each key: a dynamic table beside the table that rows are streamed into, and the query that defines it.

What counts as the latest is the order of Kinesis: within one partition key, sequence numbers rise, also where a resharding hands
the key on to another shard. They have up to 56 digits, more than a NUMBER holds: as text they order by length, then by their
characters. Columns are named one by one, because a dynamic table made of `*` no longer refreshes once its table gets a column
(docs.snowflake.com, `user-guide/dynamic-tables/refresh-modes`, "changes to columns in base tables").
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from firnline_infra.blueprint.grants import Securable
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.metadata_type import metadata_columns
from firnline_infra.specification.pipeline import Pipeline, content_column
from firnline_infra.specification.target_tables import TargetTable
from firnline_ingest.config.rows import MetadataForm, PartName
from firnline_ingest.errors import counted
from firnline_ingest.identifiers import quoted, stored_name, text_literal

UNITS = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
ORDER: tuple[PartName, ...] = ("sequence_number", "sub_sequence_number", "row")


@part
class LatestTable(Definition):
    """A dynamic table. It holds nothing that its query would not give again, so that it may be made anew."""

    securable: ClassVar[Securable] = Securable.DYNAMIC_TABLE
    refresh_mode: ClassVar[str] = "INCREMENTAL"
    """A refresh reads what has come since the last one, and fails to be made rather than read the whole table each time."""
    initialize: ClassVar[str] = "ON_CREATE"

    name: QualifiedName
    table: QualifiedName
    query: str
    warehouse: Identifier
    target_lag: str
    """As Snowflake shows it: another spelling would look like a change."""
    comment: str = ""


def latest_table(target: TargetTable, warehouse: Identifier | None, comment: str) -> LatestTable | None:
    """None where the pipeline's table has no such table, or nothing to refresh it with."""
    pipeline = target.pipeline
    refreshed_by = Identifier.parse(own) if (own := pipeline.latest.warehouse) else warehouse
    if target.latest is None or refreshed_by is None:
        return None
    return LatestTable(
        name=target.latest,
        table=target.name,
        query=query_of(target),
        warehouse=refreshed_by,
        target_lag=written_lag(pipeline.latest.target_lag_seconds),
        comment=comment,
    )


def written_lag(seconds: int) -> str:
    """In the largest unit that it is whole in, as SHOW DYNAMIC TABLES has it: 5 minutes."""
    unit, length = next((unit, length) for unit, length in UNITS.items() if seconds % length == 0)
    return counted(seconds // length, unit)


def key_of(pipeline: Pipeline) -> tuple[str, ...]:
    """The expressions that tell one key from another."""
    columns = tuple(Identifier.parse(each).sql for each in pipeline.latest_by)
    return (*columns, _part(pipeline, "partition_key")) if pipeline.latest.partition_key else columns


def query_of(target: TargetTable) -> str:
    """The rows that are the latest of their key, and delete nothing. A row without a value in each part of the key is none's."""
    pipeline = target.pipeline
    key, columns = key_of(pipeline), ", ".join(_columns(pipeline))
    latest = (
        f"SELECT {columns} FROM {target.name.sql} WHERE {' AND '.join(f'{each} IS NOT NULL' for each in key)} "
        f"QUALIFY ROW_NUMBER() OVER (PARTITION BY {', '.join(key)} ORDER BY {', '.join(_order(pipeline))}) = 1"
    )
    if pipeline.latest.deleted_by is None:
        return latest
    deletes = _deletes(pipeline.latest.deleted_by, pipeline.latest.deleted_values)
    return f"SELECT {columns} FROM ({latest}) WHERE NOT COALESCE({deletes}, FALSE)"


def _columns(pipeline: Pipeline) -> Iterator[str]:
    content = content_column(pipeline)
    yield from map(quoted, metadata_columns(pipeline))
    yield from [quoted(content[0])] if content else []
    yield from (Identifier.parse(each.name).sql for each in pipeline.columns)


def _order(pipeline: Pipeline) -> Iterator[str]:
    for column in pipeline.latest.order_by:
        yield f"{Identifier.parse(column).sql} DESC NULLS LAST"
    for each in pipeline.metadata.parts(are_numbered=pipeline.format.makes_several_rows):
        if each in ORDER:
            number = _part(pipeline, each)
            yield f"LENGTH({number}) DESC NULLS LAST, {number} DESC NULLS LAST"


def _part(pipeline: Pipeline, part: PartName) -> str:
    """A part of the metadata, as text."""
    name = quoted(pipeline.metadata.name_of(part))
    if pipeline.metadata.form is MetadataForm.COLUMNS:
        return f"{name}::VARCHAR"
    return f"{quoted(stored_name(pipeline.metadata.column))}:{name}::VARCHAR"


def _deletes(column: str, values: Sequence[str]) -> str:
    """JSON's null in a VARIANT is not text either."""
    value = f"{Identifier.parse(column).sql}::VARCHAR"
    return f"{value} IN ({', '.join(map(text_literal, values))})" if values else f"{value} IS NULL"
