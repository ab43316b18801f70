"""The type of a structured metadata column is what the engine writes, key by key: a cast takes no other keys."""

import json
from typing import Any

import pytest

from firnline_infra.specification.column_type import ColumnType
from firnline_infra.specification.metadata_type import metadata_columns, metadata_type
from firnline_infra.specification.pipeline import Pipeline
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker
from firnline_local.snowflake.catalog import DataType
from firnline_local.snowflake.streaming.values import converter_for

ICEBERG = {"table_kind": "iceberg", "external_volume": "V", "structured_metadata": True}
WHERE: dict[str, Any] = {"stream": "orders", "database": "LAKE", "schema": "RAW"}


@pytest.mark.parametrize("format_", [{"type": "json"}, {"type": "json_lines"}, {"type": "text"}])
@pytest.mark.parametrize(
    "parts", [{}, {"row": False}, {"explicit_hash_key": True}, {"stream": False, "partition_key": False}]
)
def test_the_keys_of_the_type_are_those_of_every_row(format_: dict[str, Any], parts: dict[str, bool]) -> None:
    chosen = {**WHERE, "format": format_, "metadata": parts}
    declared = metadata_type(Pipeline.model_validate({**chosen, **ICEBERG}))
    record = Record(SequenceNumber="7", Data=b'{"a": 1}', PartitionKey="k", ApproximateArrivalTimestamp=1.5)
    (row,) = RowMaker(PipelineConfig.model_validate(chosen), "orders", "shardId-000000000000").convert([record]).rows
    metadata = json.loads(bytes(row))["KINESISMETADATA"]
    assert sorted(metadata) == sorted(part.key for part in ColumnType.parse(declared).parts)
    assert json.loads(kept(declared, metadata)) == metadata  # as the embedded Snowflake keeps it


@pytest.mark.parametrize("format_", [{"type": "json"}, {"type": "json_lines"}])
@pytest.mark.parametrize("parts", [{}, {"push_time": True, "explicit_hash_key": True, "stream": False}])
def test_the_table_has_the_columns_that_rows_fill(format_: dict[str, Any], parts: dict[str, bool]) -> None:
    chosen = {**WHERE, "format": format_, "metadata": {"form": "columns", "names": {"row": '"line no"'}, **parts}}
    declared = metadata_columns(Pipeline.model_validate(chosen))
    record = Record(SequenceNumber="7", Data=b"{}", PartitionKey="k", ApproximateArrivalTimestamp=1.5)
    (row,) = RowMaker(PipelineConfig.model_validate(chosen), "orders", "shardId-000000000000").convert([record]).rows
    sent = json.loads(bytes(row))
    assert list(sent) == list(declared)
    for name, value in sent.items():
        if value is not None:
            converter_for(DataType.parse(declared[name]))(json.dumps(value).encode())


def kept(declared: str, value: object) -> str:
    return str(converter_for(DataType.parse(declared))(json.dumps(value).encode()))
