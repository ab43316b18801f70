"""Rights in AWS that somebody gave to a role or a user of the environment by hand.

Pulumi compares the policies that it wrote. Policies attached outside the stack are invisible to the provider.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from firnline_infra.accounts.aws import if_there
from firnline_infra.blueprint.aws import IamRole, IamUser
from firnline_infra.drift.context import DriftContext
from firnline_infra.observe import NOTHING, Check, Finding
from firnline_infra.observe.iam_policy import statements_of
from firnline_infra.specification.arns import Arns

ROLE, USER = "iam role", "iam user"
MOST_KEYS = 1


def checks(context: DriftContext) -> Iterator[Check]:
    iam = context.accounts.aws("iam")
    roles = (context.blueprint.role, *(volume.role for volume in context.blueprint.volumes))
    for role in filter(None, roles):
        yield Check(rule="right", name=f"the rights of {ROLE} {role.name}", run=partial(of_role, iam, role))
    if context.blueprint.user is not None:
        own = Arns(context.spec).policy(context.blueprint.user.name, path=IamUser.policy_path)
        yield Check(
            rule="right",
            name=f"the rights of {USER} {context.blueprint.user.name}",
            run=partial(of_user, iam, context.blueprint.user, own),
        )


def of_role(iam: Any, role: IamRole) -> Iterator[Finding]:
    """Raises AwsRefused."""
    given = _PrincipalPolicies(iam, ROLE, role.name, {"RoleName": role.name})
    yield from given.inline("list_role_policies", "get_role_policy", own=role.policy_name)
    yield from given.attached("list_attached_role_policies", own=())


def of_user(iam: Any, user: IamUser, own_policy: str) -> Iterator[Finding]:
    """`own_policy`: the ARN of the one that the stack has attached. Raises AwsRefused."""
    given = _PrincipalPolicies(iam, USER, user.name, {"UserName": user.name})
    yield from given.inline("list_user_policies", "get_user_policy", own=None)
    yield from given.attached("list_attached_user_policies", own=(own_policy,))
    for group in given.listed("list_groups_for_user", "Groups"):
        yield given.finding(
            f"group {group['GroupName']}", "a member", f"take the user out of group {group['GroupName']}"
        )
    keys = [key["AccessKeyId"] for key in given.listed("list_access_keys", "AccessKeyMetadata")]
    if len(keys) > MOST_KEYS:
        yield Finding(
            kind=USER,
            name=user.name,
            path="access keys",
            expected=f"{MOST_KEYS} at most",
            found=", ".join(sorted(keys)),
            next_step="find out whose the other one is, and delete it (aws iam delete-access-key)",
        )


class _PrincipalPolicies:
    """What one role or user was given."""

    def __init__(self, iam: Any, kind: str, name: str, whom: dict[str, str]) -> None:
        self._iam, self._kind, self._name, self._whom = iam, kind, name, whom

    def inline(self, list_: str, get: str, *, own: str | None) -> Iterator[Finding]:
        for name in self.listed(list_, "PolicyNames"):
            if name == own:
                continue
            answer = self._asked(get, PolicyName=name) or {}
            found = _allows(answer.get("PolicyDocument"))
            yield self.finding(f"inline policy {name}", found, f"remove the inline policy {name}")

    def attached(self, list_: str, *, own: tuple[str, ...]) -> Iterator[Finding]:
        for policy in self.listed(list_, "AttachedPolicies"):
            if policy["PolicyArn"] not in own:
                yield self.finding(
                    f"attached policy {policy['PolicyArn']}", "attached", f"detach {policy['PolicyArn']}"
                )

    def listed(self, operation: str, field: str) -> list[Any]:
        """All pages. Nothing where the role or user does not exist."""
        found: list[Any] = []
        page: dict[str, Any] | None = self._asked(operation)
        while page is not None:
            found += page[field]
            page = self._asked(operation, Marker=page["Marker"]) if page.get("IsTruncated") else None
        return found

    def finding(self, path: str, found: str, next_step: str) -> Finding:
        return Finding(
            kind=self._kind,
            name=self._name,
            path=path,
            expected=NOTHING,
            found=found,
            next_step=f"find out who gave it and why; then {next_step}",
        )

    def _asked(self, operation: str, **more: str) -> dict[str, Any] | None:
        action, ask = f"iam:{_action(operation)}", getattr(self._iam, operation)
        answer: dict[str, Any] | None = if_there(action, f"{self._kind} {self._name}", ask, **self._whom, **more)
        return answer


def _allows(document: dict[str, Any] | None) -> str:
    """The actions of a policy, for a person."""
    actions: list[str] = []
    for statement in statements_of(document or {}):
        named = statement.get("Action", statement.get("NotAction", "everything but something"))
        actions += [named] if isinstance(named, str) else named
    return f"allows {', '.join(dict.fromkeys(actions))}" if actions else "says nothing"


def _action(operation: str) -> str:
    return "".join(word.title() for word in operation.split("_"))
