"""What a row carries beside its record, and what becomes of a record or a row that is none."""

from enum import StrEnum

from firnline_ingest.config.document import Section


class Tolerance(StrEnum):
    """What a row that Snowflake rejects does."""

    NONE = "none"
    """It stops its shard, so that a person sees it."""
    ALL = "all"
    """It stays in the error table, and its shard goes on."""


class UnusableRecords(StrEnum):
    """What a record does that can't be a row (docs/records.md says which those are)."""

    KEEP = "keep"
    """It becomes a dead letter, and its shard goes on."""
    SKIP = "skip"
    """It is left out and counted: once the stream has dropped it, its bytes are nowhere."""
    STOP = "stop"
    """Its shard stops in front of it, so that a person decides."""


class Metadata(Section):
    """The metadata object that each row carries, part by part (parity with Openflow's KINESISMETADATA)."""

    column: str = "KINESISMETADATA"
    """The object column that holds it; the name that Openflow's connector uses, so that queries go on working."""
    stream: bool = True
    """The stream's name."""
    shard_id: bool = True
    """The shard's id; the audit needs it."""
    approximate_arrival: bool = True
    """When Kinesis took the record, ISO 8601 with milliseconds; the latency report needs it."""
    partition_key: bool = True
    """As the producer gave it."""
    sequence_number: bool = True
    """The record's place in its shard; the audit needs it."""
    sub_sequence_number: bool = True
    """The place inside an aggregated record, from 0; the audit needs it."""
    row: bool = True
    """The place inside a record of which a format makes several rows, from 0; only those formats have it. The audit needs it."""
    sharded_sequence_number: bool = True
    """Both numbers in one, which sorts the rows of a shard."""
    explicit_hash_key: bool = False
    """The hash key by which a producer routed a record of an aggregate; Kinesis tells it of no other record."""
