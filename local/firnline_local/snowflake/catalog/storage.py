"""Objects that keep files: internal stages with what a pipe reads of one and has loaded, and external volumes of Iceberg tables.

Documentation: `user-guide/data-load-local-file-system-create-stage`, `user-guide/data-load-snowpipe-intro`,
`user-guide/tables-iceberg-configure-external-volume-s3`. Staged files are in memory, as they were before the client encrypted
them; nothing is written to a volume: the embedded AWS is asked whether it could be used.
"""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
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
        """Returns what is in the way, in sentences; empty if nothing is."""


def no_aws(location: StorageLocation, _principal_arn: str) -> list[str]:
    """The check of an embedded Snowflake that was started by itself."""
    return [f"{location.base_url} can't be reached: this embedded Snowflake was started without an AWS endpoint"]


MEMORY = timedelta(days=14)
"""How long a pipe knows what it has loaded (`user-guide/data-load-snowpipe-intro`, load history)."""
UPLOAD_LIFETIME = timedelta(hours=1)
CLIENT_SIDE, SERVER_SIDE = "SNOWFLAKE_FULL", "SNOWFLAKE_SSE"
"""Who encrypts: client and server, or the server alone (`sql-reference/sql/create-stage`)."""


@dataclass(frozen=True, kw_only=True)
class StagedFile:
    content: bytes
    """Compressed, where the client compressed it."""
    staged_at: datetime
    digest: str = ""
    """As the client gave it (`sfc-digest`)."""


@dataclass(kw_only=True, eq=False)
class Stage(CatalogObject):
    """A named internal stage; its files go with it."""

    kind = kinds.STAGE
    encryption: str = CLIENT_SIDE
    master_key: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)
    files: dict[str, StagedFile] = field(default_factory=dict, repr=False)
    """By path, without a slash in front."""
    uploads: dict[str, datetime] = field(default_factory=dict, repr=False)
    """Tokens that PUT gave out, with the end of each."""

    def grant_upload(self, now: datetime) -> str:
        token = secrets.token_urlsafe(24)
        self.uploads = {known: end for known, end in self.uploads.items() if end > now}
        self.uploads[token] = now + UPLOAD_LIFETIME
        return token


@dataclass(frozen=True, kw_only=True)
class FileSource:
    """FROM @stage/path of a pipe."""

    stage: Stage = field(repr=False)
    path: str = ""
    """In front of the names that are submitted; ends with a slash, or is empty."""


class LoadStatus(StrEnum):
    LOADED = "LOADED"
    LOAD_FAILED = "LOAD_FAILED"


@dataclass(frozen=True, kw_only=True)
class FirstError:
    message: str
    line: int
    column: str


@dataclass(frozen=True, kw_only=True)
class FileLoad:
    """Outcome of a file that was submitted."""

    path: str
    size: int
    received_at: datetime
    loaded_at: datetime
    status: LoadStatus
    rows_parsed: int = 0
    rows_inserted: int = 0
    errors: int = 0
    first_error: FirstError | None = None
    system_error: str = ""


@dataclass
class LoadHistory:
    """The loads of one pipe, oldest first."""

    entries: list[FileLoad] = field(default_factory=list)
    forgotten: int = 0
    """How many there were before these."""

    def since(self, now: datetime) -> list[FileLoad]:
        """Returns what is remembered."""
        kept = [load for load in self.entries if load.loaded_at > now - MEMORY]
        self.forgotten += len(self.entries) - len(kept)
        self.entries = kept
        return kept

    def knows(self, path: str, now: datetime) -> bool:
        """Returns whether a name would be loaded no more: it was, or its rows were refused."""
        return any(load.path == path for load in self.since(now) if not load.system_error)
