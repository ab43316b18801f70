"""Components that hold data in AWS: streams, the ledger's table, buckets, keys, places of secrets."""

import pulumi

from firnline_infra.blueprint.aws import Bucket as LandingBucketArgs
from firnline_infra.blueprint.aws import EncryptionKeyDefinition as EncryptionKeyArgs
from firnline_infra.blueprint.aws import LedgerTable as CheckpointTableArgs
from firnline_infra.blueprint.aws import SecretDefinition as SecretArgs
from firnline_infra.blueprint.aws import Stream as EventStreamArgs
from firnline_infra.kinds.keys_and_secrets import encryption_key, secret
from firnline_infra.kinds.storage import landing_bucket
from firnline_infra.kinds.streams import event_stream
from firnline_infra.kinds.tables import checkpoint_table
from firnline_infra.pulumi.rendering import DefinedComponent

__all__ = [
    "CheckpointTable",
    "CheckpointTableArgs",
    "EncryptionKey",
    "EncryptionKeyArgs",
    "EventStream",
    "EventStreamArgs",
    "LandingBucket",
    "LandingBucketArgs",
    "Secret",
    "SecretArgs",
]


class EventStream(DefinedComponent[EventStreamArgs], describe=event_stream):
    """Creates a Kinesis stream, encrypted and on demand unless it is said otherwise, and its consumers; or adopts a stream,
    of which only the consumers are made.

    >>> orders = EventStream("orders", EventStreamArgs(name="orders"))
    >>> arn = "arn:aws:kinesis:eu-west-1:111122223333:stream/clicks"
    >>> clicks = EventStream("clicks", EventStreamArgs(name="clicks", existing_arn=arn, consumers=("fraud",)))

    To take over one that exists: `pulumi import aws:kinesis/stream:Stream NAME-stream STREAM`. Where AWS scales the shards,
    their number is left to it.
    """

    arn: pulumi.Output[str]
    consumer_arns: dict[str, pulumi.Output[str]]
    """The ARN of each consumer by its name."""


class CheckpointTable(DefinedComponent[CheckpointTableArgs], describe=checkpoint_table):
    """Creates the ledger's DynamoDB table: encrypted, on demand, restorable to any second; and its companion while another
    consumer's checkpoints are taken over.

    >>> table = CheckpointTable("ledger", CheckpointTableArgs(name="firnline-orders"))

    To adopt: `pulumi import aws:dynamodb/table:Table NAME-table TABLE`.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]


class LandingBucket(DefinedComponent[LandingBucketArgs], describe=landing_bucket):
    """Creates an S3 bucket that is versioned, encrypted, closed to the public and reached only through TLS.

    >>> bucket = LandingBucket("bucket", LandingBucketArgs(name="orders-111122223333-eu-west-1"))

    To adopt: `pulumi import aws:s3/bucket:Bucket NAME-bucket BUCKET`; the settings have the bucket's name as their id too.
    """

    name: pulumi.Output[str]
    """Known once the bucket is as it should be: what is put there by name is encrypted and versioned."""
    arn: pulumi.Output[str]


class EncryptionKey(DefinedComponent[EncryptionKeyArgs], describe=encryption_key):
    """Creates a KMS key that is rotated every year, and its alias.

    >>> from firnline_infra.blueprint.iam.resource_policies import key_policy
    >>> policy = key_policy(account_root="arn:aws:iam::111122223333:root")
    >>> key = EncryptionKey("key", EncryptionKeyArgs(alias="orders", policy=policy))

    To adopt: `pulumi import aws:kms/key:Key NAME-key KEY-ID`, `aws:kms/alias:Alias NAME-alias alias/ALIAS`.
    """

    arn: pulumi.Output[str]


class Secret(DefinedComponent[SecretArgs], describe=secret):
    """Creates a secret without a value, or takes over the one that holds it already. No version of it is ever a resource:
    then the key would be in a state file.

    >>> secret = Secret("ingest", SecretArgs(name="orders/snowflake/ingest"))
    """

    arn: pulumi.Output[str]
