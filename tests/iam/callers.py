"""Callers whose policies are enforced. Everybody else may do everything, as an administrator of the account.

A caller is an access key with the principal that it stands for and the statements of its policies. They are those that were
given here: a policy that changes later is given again.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from firnline_local.aws.policy import Statement, is_allowed, is_denied
from tests.iam.request import Access
from tests.iam.services.sts import EVERYWHERE

UNGUARDED = {f"sts:{operation}" for operation in EVERYWHERE}


@dataclass(frozen=True, slots=True)
class Caller:
    principal: str
    """The ARN that refusals name, and that trusts and resources may."""
    statements: tuple[Statement, ...] | None
    """None for a caller who may do everything."""


class Callers:
    """By access key id."""

    def __init__(self) -> None:
        self._callers: dict[str, Caller] = {}

    def from_json(self, body: bytes) -> None:
        """{"access_key": …, "principal": …, "statements": […]}; without statements nothing is enforced any more.

        Raises ValueError for anything else.
        """
        fields = json.loads(body)
        if not isinstance(fields, dict) or fields.keys() - {"access_key", "principal", "statements"}:
            raise ValueError("a caller is an object of access_key, principal and statements")
        key, principal, statements = (fields.get(name) for name in ("access_key", "principal", "statements"))
        if not isinstance(key, str) or not isinstance(principal, str):
            raise ValueError("a caller needs an access_key and a principal")
        self._callers[key] = Caller(principal, None if statements is None else tuple(statements))

    def forget(self, access_key: str) -> None:
        self._callers.pop(access_key, None)

    def as_json(self) -> list[dict[str, object]]:
        return [
            {"access_key": key, "principal": caller.principal, "is_enforced": caller.statements is not None}
            for key, caller in self._callers.items()
        ]

    def principal(self, access_key: str) -> str | None:
        caller = self._callers.get(access_key)
        return caller.principal if caller else None

    def refused(self, access_key: str, accesses: Iterable[Access]) -> tuple[Access, str] | None:
        """The first access that the caller's policies don't allow, and the sentence that AWS says then."""
        caller = self._callers.get(access_key)
        if caller is None or caller.statements is None:
            return None
        for access in accesses:
            if access.action in UNGUARDED or is_allowed(
                caller.statements, access.action, access.resource, access.context
            ):
                continue
            return access, _sentence(caller.principal, caller.statements, access)
        return None


def _sentence(principal: str, statements: tuple[Statement, ...], access: Access) -> str:
    """Returns the sentence as IAM's user guide shows it ("Troubleshoot access denied error messages")."""
    denied = is_denied(statements, access.action, access.resource, access.context)
    why = (
        "with an explicit deny in an identity-based policy"
        if denied
        else f"because no identity-based policy allows the {access.action} action"
    )
    return f"User: {principal} is not authorized to perform: {access.action} on resource: {access.resource} {why}"
