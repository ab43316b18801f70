"""Conditions that narrow a permission beyond its resource: which items of the ledger, and for which data a key is used.

The encryption contexts are those that each service documents: Kinesis' is the stream's ARN, DynamoDB's the table's name,
Secrets Manager's the secret's ARN. S3's depends on whether the bucket has a key of its own, so it is left out.
"""

from collections.abc import Iterable

from firnline_ingest.permissions.permission import Resource

KEY_USERS = {
    Resource.STREAM_KEYS: "kinesis",
    Resource.LEDGER_KEY: "dynamodb",
    Resource.SECRET_KEY: "secretsmanager",
    Resource.REGISTRY_LOGIN_KEYS: "secretsmanager",
    Resource.LETTER_STREAM_KEY: "kinesis",
    Resource.BUCKET_KEY: "s3",
}
"""The service through which a key is used, as kms:ViaService begins."""

ENCRYPTION_CONTEXTS = {
    Resource.STREAM_KEYS: "aws:kinesis:arn",
    Resource.LEDGER_KEY: "aws:dynamodb:tableName",
    Resource.SECRET_KEY: "SecretARN",
    Resource.REGISTRY_LOGIN_KEYS: "SecretARN",
    Resource.LETTER_STREAM_KEY: "aws:kinesis:arn",
}

OWN_ITEMS = "@application"
"""The partition of the engine's own items, such as its run; no stream can have this name."""

REPLAYS = "replays/"
"""The folder beside dead letters in which a replay keeps its journal; no stream's dead letters lie in it."""


def ledger_partitions(streams: Iterable[str]) -> tuple[str, ...]:
    """Patterns of the partition keys that an engine of these streams touches: every incarnation of each."""
    return (*(f"{stream}@*" for stream in streams), OWN_ITEMS)
