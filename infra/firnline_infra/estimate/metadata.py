"""Size of a row's metadata, at most, in what Snowflake ingests: its keys and values as they are sent.

The lengths are those of Kinesis' values: sequence numbers of 56 digits, ids of shards of 20 characters; a partition key is taken
for a UUID (docs/records.md, the metadata). A test compares them with what the engine writes.
"""

from firnline_infra.specification.pipeline import Pipeline
from firnline_ingest.config.rows import MetadataForm, MetadataTimes, PartName

QUOTES, SEQUENCE, UUID = 2, 56, 36
TIME = {MetadataTimes.ISO_UTC: 24 + QUOTES, MetadataTimes.ISO: 23 + QUOTES, MetadataTimes.EPOCH_MS: 13}


def metadata_bytes(pipeline: Pipeline) -> int:
    """Returns the bytes of one row's metadata; 0 if rows carry none."""
    metadata = pipeline.metadata
    parts = metadata.parts(are_numbered=pipeline.format.makes_several_rows)
    members = sum(len(metadata.name_of(part)) + len('"":,') + _value(pipeline, part) for part in parts)
    if metadata.form is MetadataForm.COLUMNS or not parts:
        return members
    return members + len(metadata.columns(are_numbered=False)[0]) + len('"":{},') - 1


def _value(pipeline: Pipeline, part: PartName) -> int:
    match part:
        case "stream":
            return len(pipeline.stream) + QUOTES
        case "shard_id":
            return len("shardId-000000000000") + QUOTES
        case "approximate_arrival" | "push_time":
            return TIME[pipeline.metadata.times]
        case "partition_key":
            return UUID + QUOTES
        case "sequence_number":
            return SEQUENCE + QUOTES
        case "sharded_sequence_number":
            return SEQUENCE + pipeline.metadata.sharded_digits + QUOTES
        case "explicit_hash_key":
            return len("null")
        case "sub_sequence_number" | "row":
            return 1
