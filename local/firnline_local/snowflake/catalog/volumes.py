"""External volumes: where Iceberg tables would keep their files, and as whom Snowflake would go there.

Documentation: `user-guide/tables-iceberg-configure-external-volume-s3`. Nothing is written here: rows of an Iceberg table
are in the store like any other's. Whether the place could be used is asked of the embedded AWS.
"""

from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.objects import CatalogObject

SNOWFLAKE_AWS_ACCOUNT = "000000000001"
"""No account has this number; one of Snowflake's own stands here in a real one."""
KMS = "AWS_SSE_KMS"


@dataclass(frozen=True, kw_only=True)
class StorageLocation:
    """One place, of a volume that may have several: the first one that works is used."""

    name: str
    base_url: str
    role_arn: str
    external_id: str
    provider: str = "S3"
    encryption: str = "NONE"
    kms_key_id: str = ""

    @property
    def bucket(self) -> str:
        return urlsplit(self.base_url).netloc

    @property
    def prefix(self) -> str:
        return urlsplit(self.base_url).path.removeprefix("/")

    @property
    def kms_key(self) -> str | None:
        return self.kms_key_id if self.encryption == KMS and self.kms_key_id else None


@dataclass(kw_only=True, eq=False)
class ExternalVolume(CatalogObject):
    kind = kinds.EXTERNAL_VOLUME
    locations: list[StorageLocation] = field(default_factory=list)
    allow_writes: bool = True


def storage_user_arn(account: str) -> str:
    """The IAM user as which the account comes to every volume (STORAGE_AWS_IAM_USER_ARN)."""
    return f"arn:aws:iam::{SNOWFLAKE_AWS_ACCOUNT}:user/{account.lower()}-snowflake"


class VolumeAccess(Protocol):
    """Asks AWS whether Snowflake could use a location."""

    def __call__(self, location: StorageLocation, principal_arn: str, /) -> list[str]:
        """What is in the way, in sentences; empty where nothing is."""


def no_aws(location: StorageLocation, _principal_arn: str) -> list[str]:
    """Of an embedded Snowflake that was started by itself."""
    return [f"{location.base_url} can't be reached: this embedded Snowflake was started without an AWS endpoint"]
