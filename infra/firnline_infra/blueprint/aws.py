"""Objects that must exist in AWS, as data. Defaults are safe ones, so that each definition can be used alone.

Each is the argument of the Pulumi component that makes it.
"""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, ClassVar, Literal, Self

from firnline_infra.blueprint.bucket_layout import CONFIGURATION_FOLDER
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.resource_policies import bucket_policy
from firnline_infra.blueprint.value import Deferred, Value
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.model import Durability
from firnline_infra.specification.origin import Origin


@part
class Stream(Definition):
    """A Kinesis data stream, and the consumers that have a throughput of their own."""

    encryption: ClassVar[str] = "KMS"

    name: str
    existing_arn: str | None = None
    """Of a stream that exists already: it is adopted, and left as it is. Only the consumers are made then."""
    shards: int | None = None
    """On demand by default."""
    retention_hours: int = 24
    key_arn: Value = "alias/aws/kinesis"
    """AWS's own key where nothing else is said: a stream without encryption is not made."""
    shard_metrics: tuple[str, ...] = ()
    max_record_kib: int = 1024
    consumers: tuple[str, ...] = ()
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        return Origin.ADOPT if self.existing_arn else Origin.CREATE

    @property
    def mode(self) -> str:
        return "PROVISIONED" if self.shards else "ON_DEMAND"

    @property
    def enforce_consumer_deletion(self) -> bool:
        """True if a destroy may deregister consumers; otherwise AWS refuses to delete a stream while one is registered on
        it."""
        return self.durability is Durability.EPHEMERAL


@part
class LedgerTable(Definition):
    """The DynamoDB table of the ledger: one item per stream and shard (docs/design/ledger.md, section 3).

    It is billed per request: the engine writes a few items a shard and minute, in bursts.
    """

    hash_key: ClassVar[str] = "stream"
    range_key: ClassVar[str] = "shard"
    key_type: ClassVar[Literal["S"]] = "S"
    billing_mode: ClassVar[Literal["PAY_PER_REQUEST"]] = "PAY_PER_REQUEST"

    name: str
    key_arn: Value | None = None
    """Encrypted with DynamoDB's own key by default."""
    point_in_time_recovery: bool = True
    migration: bool = False
    """Makes <name>_migration too, with the same keys."""
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def migration_name(self) -> str:
        return f"{self.name}_migration"

    @property
    def migration_table(self) -> Self | None:
        """Table in which `firnline migrate` notes the rows that it writes: it goes when the migration is over."""
        if not self.migration:
            return None
        return replace(self, name=self.migration_name, migration=False, durability=Durability.EPHEMERAL)

    @property
    def is_deletion_protected(self) -> bool:
        return self.durability is Durability.PROTECTED


@part
class Bucket(Definition):
    """An S3 bucket that nobody but its owner reaches, and only through TLS: versioned, encrypted, without ACLs, closed to
    the public.
    """

    ownership: ClassVar[str] = "BucketOwnerEnforced"
    unfinished_uploads_days: ClassVar[int] = 7
    """How long the parts of an upload that was never finished are kept."""

    name: str
    partition: str = "aws"
    """Of its ARN: aws-cn and aws-us-gov are the others."""
    key_arn: Value | None = None
    """Encrypted with S3's own keys (SSE-S3) by default."""
    old_versions_days: int = 30
    """How long what was overwritten or deleted can be had back."""
    durability: Durability = Durability.PROTECTED
    """EPHEMERAL: it is removed with what is in it."""
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        return f"arn:{self.partition}:s3:::{self.name}"

    @property
    def policy(self) -> tuple[PolicyStatement, ...]:
        return bucket_policy(bucket_arn=self.arn)

    @property
    def encryption(self) -> str:
        return "AES256" if self.key_arn is None else "aws:kms"

    @property
    def force_destroy(self) -> bool:
        return self.durability is Durability.EPHEMERAL


@part
class EncryptionKeyDefinition(Definition):
    """The KMS key that encrypts what an environment keeps; AWS rotates it every year."""

    is_rotated: ClassVar[bool] = True

    alias: str
    """Without the prefix alias/."""
    policy: tuple[PolicyStatement, ...]
    description: str = "Firnline: stream, ledger and bucket"
    deletion_window_days: int = 30
    """How long a key that was deleted can be had back; without it, everything that it encrypted is lost."""
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)


@part
class SecretDefinition(Definition):
    """A Secrets Manager secret without a value: `firnline keys` puts the private key there, past every state and plan."""

    name: str
    user: str = ""
    """Whose key it holds, as `firnline keys` calls the user."""
    description: str = ""
    existing_arn: str | None = None
    """Of the secret that `firnline keys create` made before the first `up`: it is taken over, not made."""
    key_arn: Value | None = None
    recovery_days: int = 30
    """How long a deleted secret can be had back; 0 deletes it at once, so that its name is free again."""
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def retain_on_delete(self) -> bool:
        """True where Pulumi must leave the secret alone when it is removed from the stack.

        No API tells the recovery window of a secret that was imported, and the provider takes an unknown one for 0: where
        a window is wanted, the provider must not delete that secret at all.
        """
        return self.existing_arn is not None and self.recovery_days > 0


@part
class IamRole(Definition):
    """An IAM role with one inline policy."""

    policy_name: ClassVar[str] = "firnline"

    name: str
    trust: tuple[PolicyStatement, ...]
    statements: tuple[PolicyStatement, ...]
    description: str = ""
    permissions_boundary: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


@part
class IamUser(Definition):
    """An IAM user with one policy, for an engine outside AWS. Its access keys are made where no state sees them.

    The policy is a managed one: a user's inline policies are too short for an engine with a key of the customer's.
    """

    policy_path: ClassVar[str] = "/firnline/"
    """A path of its own, so that the right to write this policy can be limited by ARN; IAM has no condition key for it."""
    force_destroy: ClassVar[bool] = True
    """The access keys are made elsewhere, and AWS refuses to delete a user that has one."""

    name: str
    """The policy's too."""
    statements: tuple[PolicyStatement, ...]
    description: str = ""
    """Of the policy: a user has none."""
    permissions_boundary: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


@part
class EngineDocument(Definition):
    """The engine's configuration as an object in a bucket, under the hash of its content.

    An unchanged configuration is the same object, so a job that runs with it needs no restart; a changed one is another.
    """

    content_type: ClassVar[str] = "application/json"

    document: Mapping[str, Any] | Deferred
    """What `firnline_ingest.config` reads."""
    bucket: Value | None = None
    """The bucket's name; by default, the document is an output and no more."""
    folder: str = CONFIGURATION_FOLDER
    """Ends with a slash."""
