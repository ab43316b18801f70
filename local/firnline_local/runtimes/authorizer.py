"""The seam for what decides about calls to the embedded runtimes. As shipped, every caller may do everything.

The tests put one here that enforces the policies of IAM, of callers and of the roles that jobs run as (tests/iam).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceCall:
    """One call."""

    service: str
    operation: str
    parameters: Mapping[str, Any]
    access_key: str
    tags: Mapping[str, str]
    """Of what the call is about."""


class RuntimeAuthorizer(Protocol):
    def refusal(self, call: ServiceCall, /) -> str | None:
        """The sentence that refuses the call; None where it is allowed."""

    def over(self, call: ServiceCall, succeeded: bool, /) -> None:
        """Called once for each call."""

    def principal(self, access_key: str, /) -> str | None:
        """The ARN that the key stands for."""

    def began_session(self, access_key: str, role_arn: str, /) -> None:
        """Called with each session of a job's role before it is used."""


class AllowEverything:
    def refusal(self, call: ServiceCall, /) -> str | None:
        return None

    def over(self, call: ServiceCall, succeeded: bool, /) -> None:
        pass

    def principal(self, access_key: str, /) -> str | None:
        return None

    def began_session(self, access_key: str, role_arn: str, /) -> None:
        pass
