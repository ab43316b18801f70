"""An S3 bucket that nobody but its owner reaches, and only through TLS."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.bucket_policy import bucket_policy
from firnline_infra.blueprint.value import Value
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """Versioned, encrypted, without ACLs, closed to the public."""

    ownership: ClassVar[str] = "BucketOwnerEnforced"
    unfinished_uploads_days: ClassVar[int] = 7
    """How long the parts of an upload that was never finished are kept."""

    name: str
    partition: str = "aws"
    """Of its ARN: aws-cn and aws-us-gov are the others."""
    key_arn: Value | None = None
    """Encrypted with S3's own keys (SSE-S3) where absent."""
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
    def takes_objects_along(self) -> bool:
        return self.durability is Durability.EPHEMERAL
