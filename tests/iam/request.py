"""A request to AWS as IAM decides about it, and the actions on resources that it needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from firnline_local.aws.policy import Context


class Directory(Protocol):
    """Finds ARNs for the names in a request. What does not exist gets the ARN that it would have."""

    def role_arn(self, name: str) -> str: ...
    def user_arn(self, name: str) -> str: ...
    def key_arn(self, key: str) -> str:
        """Returns the ARN of a key's id, alias or ARN."""

    def key_aliases(self, key: str) -> list[str]:
        """Empty where it has none, and where there is no such key."""

    def secret_arn(self, secret: str) -> str:
        """Returns the ARN of a secret's name or ARN.

        The six letters are the service's, so that one that is not there has none.
        """

    def hash_key(self, table: str) -> str | None:
        """The attribute that partitions a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    service: str
    """As IAM writes it: dynamodb."""
    operation: str
    """GetItem; for S3 the action's name without the service."""
    account: str
    region: str
    directory: Directory
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The body's fields."""

    def arn(self, resource: str, *, service: str | None = None) -> str:
        return f"arn:aws:{service or self.service}:{self.region}:{self.account}:{resource}"


@dataclass(frozen=True, slots=True)
class Access:
    """One action on one resource; a request can be several."""

    action: str
    resource: str
    context: Context = field(default_factory=dict)
