"""The type of a structured metadata column: the keys that the engine writes, in its order."""

from firnline_infra.specification.pipeline import Pipeline
from firnline_ingest.config.formats import makes_several_rows

OF_EVERY_ROW = (
    ("stream", "stream", "VARCHAR"),
    ("shard_id", "shardId", "VARCHAR"),
    ("approximate_arrival", "approximateArrival", "VARCHAR"),
    ("partition_key", "partitionKey", "VARCHAR"),
    ("sequence_number", "sequenceNumber", "VARCHAR"),
    ("sub_sequence_number", "subSequenceNumber", "NUMBER(38, 0)"),
    ("sharded_sequence_number", "shardedSequenceNumber", "VARCHAR"),
    ("explicit_hash_key", "explicitHashKey", "VARCHAR"),
)
"""Each part's switch, key and type; the types are those of the connector's own example (Openflow, Iceberg tables)."""
OF_ONE_AMONG_SEVERAL = ("row", '"row"', "NUMBER(38, 0)")
"""Where the format makes several rows of a record. ROW is a reserved word (`sql-reference/reserved-keywords`)."""


def metadata_type(pipeline: Pipeline) -> str:
    """A row's object has to have these keys and no others."""
    members = (*OF_EVERY_ROW, OF_ONE_AMONG_SEVERAL) if makes_several_rows(pipeline.format) else OF_EVERY_ROW
    parts = (f"{key} {kind}" for name, key, kind in members if getattr(pipeline.metadata, name))
    return f"OBJECT({', '.join(parts)})"
