"""Every action in AWS that the engine makes, or that is made with its rights on its behalf.

The policy of its role is rendered from here, and the page docs/permissions.md; tests compare it with the calls
of an engine that runs. A new call in the engine begins here.
"""

from collections.abc import Collection

from firnline_ingest.permissions.permission import Caller, Feature, Permission, Resource


def _engine(action: str, on: Resource, feature: Feature, why: str) -> Permission:
    return Permission(action=action, on=on, features=frozenset({feature}), why=why)


def _behalf(
    caller: Caller, action: str, on: Resource, features: set[Feature], why: str, *, either: Collection[Feature] = ()
) -> Permission:
    return Permission(
        action=action, on=on, features=frozenset(features), either=frozenset(either), why=why, caller=caller
    )


KINESIS = (
    _engine(
        "kinesis:DescribeStreamSummary",
        Resource.STREAMS,
        Feature.STREAMS,
        "Distinguishes one incarnation of a stream from the next, how long it keeps records, and the service's time, on which "
        "LATEST and the end of a bounded run are pinned.",
    ),
    _engine("kinesis:ListShards", Resource.STREAMS, Feature.STREAMS, "Finds the shards, and which came from which."),
    _engine(
        "kinesis:GetShardIterator",
        Resource.STREAMS,
        Feature.STREAMS,
        "Finds the place in a shard where reading begins or goes on, and whether a shard is there that no listing has.",
    ),
    _engine(
        "kinesis:ListStreams",
        Resource.EVERY_STREAM,
        Feature.STREAM_PATTERNS,
        "Finds the streams whose names match a pattern; it tells names, and AWS can't narrow it to some of them.",
    ),
    _engine("kinesis:GetRecords", Resource.STREAMS, Feature.POLLING, "Reads records."),
    _engine(
        "kinesis:DescribeStreamConsumer",
        Resource.CONSUMERS,
        Feature.FAN_OUT,
        "Checks before the first subscription that the consumer is there, and can be subscribed with.",
    ),
    _engine("kinesis:SubscribeToShard", Resource.CONSUMERS, Feature.FAN_OUT, "Has records pushed to it."),
    _engine(
        "kinesis:ListStreamConsumers",
        Resource.UNREGISTERED,
        Feature.REGISTRATION,
        "Looks with every plan whether the consumer is there, and whether it can be read by.",
    ),
    _engine(
        "kinesis:RegisterStreamConsumer",
        Resource.UNREGISTERED,
        Feature.REGISTRATION,
        "Registers the consumer that the engine reads by.",
    ),
    _engine(
        "kinesis:DeregisterStreamConsumer",
        Resource.REGISTERED,
        Feature.REGISTRATION,
        "Removes it at the end of a bounded run, and when a person says so: none that the engine did not register.",
    ),
    _behalf(
        Caller.KINESIS,
        "kms:Decrypt",
        Resource.STREAM_KEYS,
        {Feature.STREAMS, Feature.STREAM_KEY},
        "GetRecords and SubscribeToShard decrypt what they answer with, in the reader's name.",
    ),
)

LEDGER = (
    _engine(
        "dynamodb:DescribeTable",
        Resource.LEDGER_TABLE,
        Feature.LEDGER,
        "Checks at the start that the table is there, and is a ledger.",
    ),
    _engine(
        "dynamodb:CreateTable",
        Resource.LEDGER_TABLE,
        Feature.LEDGER_CREATION,
        "Creates the table if it is missing.",
    ),
    _engine("dynamodb:GetItem", Resource.LEDGER_ITEMS, Feature.LEDGER, "Reads the row of a shard, and of the run."),
    _engine("dynamodb:Query", Resource.LEDGER_ITEMS, Feature.LEDGER, "Reads the rows of all shards of a stream."),
    _engine(
        "dynamodb:PutItem",
        Resource.LEDGER_ITEMS,
        Feature.LEDGER,
        "Writes what was proven of a shard, and takes the application's name for a run.",
    ),
    _engine(
        "dynamodb:UpdateItem",
        Resource.LEDGER_ITEMS,
        Feature.LEDGER,
        "Takes a shard's fence; shows that the run lives, ends it, and hears that it should stop.",
    ),
    _engine(
        "dynamodb:DeleteItem",
        Resource.LEDGER_ITEMS,
        Feature.LEDGER,
        "Removes the row of a shard that has ended, once its records have left the stream.",
    ),
    _behalf(
        Caller.DYNAMODB,
        "kms:Decrypt",
        Resource.LEDGER_KEY,
        {Feature.LEDGER, Feature.LEDGER_KEY},
        "DynamoDB opens the table's key in the name of who reads or writes.",
    ),
)

SECRET = (
    _engine(
        "secretsmanager:GetSecretValue",
        Resource.SECRET,
        Feature.SECRET,
        "Reads the private key of the Snowflake user.",
    ),
    _behalf(
        Caller.SECRETS_MANAGER,
        "kms:Decrypt",
        Resource.SECRET_KEY,
        {Feature.SECRET, Feature.SECRET_KEY},
        "GetSecretValue decrypts the secret in the reader's name.",
    ),
)

REGISTRIES = (
    _engine(
        "glue:GetSchemaVersion",
        Resource.EVERY_SCHEMA,
        Feature.GLUE_REGISTRY,
        "Reads the schema that a record was written with, by the id in front of it.",
    ),
    _engine(
        "secretsmanager:GetSecretValue",
        Resource.REGISTRY_LOGINS,
        Feature.REGISTRY_LOGIN,
        "Reads the name and the password that a schema registry, or the HTTP proxy, asks for.",
    ),
    _behalf(
        Caller.SECRETS_MANAGER,
        "kms:Decrypt",
        Resource.REGISTRY_LOGIN_KEYS,
        {Feature.REGISTRY_LOGIN, Feature.REGISTRY_LOGIN_KEY},
        "GetSecretValue decrypts the secret in the reader's name.",
    ),
)

BUCKET = (
    _behalf(
        Caller.SPARK,
        "s3:ListBucket",
        Resource.BUCKET,
        {Feature.S3_CHECKPOINT},
        "Finds the newest files of the checkpoint; without it a file that is missing looks forbidden.",
    ),
    _behalf(
        Caller.SPARK,
        "s3:GetObject",
        Resource.CHECKPOINT,
        {Feature.S3_CHECKPOINT},
        "Reads the offsets of the last epochs at a start.",
    ),
    _behalf(
        Caller.SPARK,
        "s3:PutObject",
        Resource.CHECKPOINT,
        {Feature.S3_CHECKPOINT},
        "Writes the offsets of an epoch before it begins, and that it ended.",
    ),
    _behalf(
        Caller.SPARK,
        "s3:DeleteObject",
        Resource.CHECKPOINT,
        {Feature.S3_CHECKPOINT},
        "Removes the files of old epochs; renaming one is a copy and a removal.",
    ),
    _behalf(
        Caller.SPARK,
        "s3:GetObject",
        Resource.JOB_FILES,
        {Feature.S3_JOB_FILES},
        "Fetches the program, its environment and its configuration before the engine runs.",
    ),
    _behalf(
        Caller.EMR,
        "s3:PutObject",
        Resource.LOGS,
        {Feature.S3_LOGS},
        "Keeps the logs of driver and executors.",
    ),
    _behalf(
        Caller.S3,
        "kms:Decrypt",
        Resource.BUCKET_KEY,
        {Feature.BUCKET_KEY},
        "S3 decrypts an object in the reader's name.",
        either=(Feature.S3_CHECKPOINT, Feature.S3_JOB_FILES, Feature.S3_OVERSIZE_ROWS),
    ),
    _behalf(
        Caller.S3,
        "kms:GenerateDataKey",
        Resource.BUCKET_KEY,
        {Feature.BUCKET_KEY},
        "S3 encrypts an object in the writer's name.",
        either=(Feature.S3_CHECKPOINT, Feature.S3_DEAD_LETTERS, Feature.S3_LOGS),
    ),
)

DEAD_LETTERS = (
    _engine(
        "s3:PutObject",
        Resource.DEAD_LETTERS,
        Feature.S3_DEAD_LETTERS,
        "Keeps records that can't be rows, and notes what was replayed by file; it removes none.",
    ),
    _engine(
        "s3:GetObject",
        Resource.DEAD_LETTERS,
        Feature.S3_OVERSIZE_ROWS,
        "Reads the records whose rows go by file, and which of them went already.",
    ),
    _engine(
        "s3:ListBucket",
        Resource.DEAD_LETTER_NAMES,
        Feature.S3_OVERSIZE_ROWS,
        "Finds such records by their names, and the batches of earlier rounds.",
    ),
    _engine(
        "kinesis:DescribeStreamSummary",
        Resource.LETTER_STREAM,
        Feature.STREAM_DEAD_LETTERS,
        "Checks at the start that the stream is there.",
    ),
    _engine(
        "kinesis:PutRecords",
        Resource.LETTER_STREAM,
        Feature.STREAM_DEAD_LETTERS,
        "Sends records that can't be rows.",
    ),
    _behalf(
        Caller.KINESIS,
        "kms:GenerateDataKey",
        Resource.LETTER_STREAM_KEY,
        {Feature.STREAM_DEAD_LETTERS, Feature.LETTER_STREAM_KEY},
        "PutRecords encrypts in the writer's name.",
    ),
)

PERMISSIONS = (*KINESIS, *LEDGER, *SECRET, *REGISTRIES, *BUCKET, *DEAD_LETTERS)
