"""Errors of the data source, beside the errors of kinesis/errors.py."""

from firnline_ingest.errors import Fatal, KinesisError, Retryable, declared


@declared
class BatchUnread(KinesisError, Fatal):
    """A batch ended, and some of its shards were not read to the end that the batch gives them."""

    stream: str
    batch: int
    shards: list[str]
    place: str

    id = "FL-2501"
    message = (
        "Batch {batch} of {stream!r} is over, and {shards:count} of its shards have no end below {place}: {shards:few}. Where "
        "the next batch begins is not known, and a guess would lose records or repeat them."
    )
    next_step = (
        "let each batch use its whole DataFrame (cache it before `limit` or `show`), and keep metadataPath as "
        "long as the query's checkpoint; then begin anew with a new checkpoint and startingPosition."
    )
    causes = (
        'A streaming query with `format("kinesis")` used only a part of a batch (`limit`, `take`, `show`, a batch that nothing '
        "acts on), or the files below `metadataPath` were removed"
    )
    remedy = "act on the whole of each batch's DataFrame; keep `metadataPath` as long as the checkpoint"


@declared
class EndsDiffer(KinesisError, Retryable):
    """Two attempts at one shard of a batch read it at once; the other one ended it first."""

    stream: str
    shard: str
    batch: int

    id = "FL-2502"
    message = "Another attempt has ended batch {batch} of {stream}/{shard} at another record."
    causes = "Two attempts of a Spark task read the same shard of a batch at once (speculation, a slow executor)"
    remedy = "nothing: Spark tries the task again, which then ends where the first one did"


@declared
class SourceRecordsLost(KinesisError, Fatal):
    """Records between two positions are not in the stream any more."""

    stream: str
    shard: str
    after: str
    first: str

    id = "FL-2503"
    message = "{stream}/{shard} was read up to {after}, and {first}: records between may be lost."
    next_step = "if that is known and accepted, set failOnDataLoss to false for this start; the next records are read."
    causes = 'A query with `format("kinesis")` stood still for longer than the stream keeps its records'
    remedy = "`failOnDataLoss` = `false` goes on behind the gap; a longer retention leaves more time"


@declared
class MetadataUnusable(KinesisError, Fatal):
    """The place where batches keep their ends can't be read or written."""

    place: str
    cause: str

    id = "FL-2504"
    message = "metadataPath: {place} can't be used: {cause}"
    causes = "The place that `metadataPath` names can't be read or written, or holds what this source did not write"
    remedy = (
        "a folder that driver and executors share, or s3://BUCKET/FOLDER/ with s3:GetObject, PutObject, DeleteObject and "
        "ListBucket"
    )


@declared
class OffsetForeign(KinesisError, Fatal):
    """A checkpoint's offset is not one of this source, or of another stream."""

    cause: str

    id = "FL-2505"
    message = "The checkpoint's offset can't be continued: {cause}"
    causes = 'The checkpoint of a query with `format("kinesis")` was written by another source, or for another stream'
    remedy = "the checkpoint that belongs to the query, or a new one"


@declared
class RecordMalformed(KinesisError, Fatal):
    """A record is not what the query's format and schema say, in the mode FAILFAST."""

    shard: str
    sequence_number: str
    cause: str

    id = "FL-2506"
    message = "The record {sequence_number} of {shard} can't be read: {cause}"
    causes = (
        'A query with `format("kinesis")` in the mode FAILFAST met a record that its format can\'t read, or that does not fit '
        "the schema"
    )
    remedy = "the mode PERMISSIVE, with a column `_corrupt_record` that has such records"
