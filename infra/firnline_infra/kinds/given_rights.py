"""Rights in AWS that somebody gave to a role or a user of the environment by hand, and credentials that they made.

Pulumi compares the policies that it wrote. Policies attached outside the stack are invisible to the provider.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firnline_infra.blueprint.aws import IamUser
from firnline_infra.blueprint.iam.normal_form import statements_of
from firnline_infra.kinds.asking import unless
from firnline_infra.kinds.comparison import Difference, Subject

MOST_KEYS = 1


def role_policies(subject: Subject) -> Iterator[Difference]:
    """Of an IamRole."""
    role = subject.wanted
    given = _Principal(subject.clients("iam"), {"RoleName": role.name})
    yield from given.inline("list_role_policies", "get_role_policy", own=role.policy_name)
    yield from given.attached("list_attached_role_policies", own=())


def user_policies(subject: Subject) -> Iterator[Difference]:
    """Of an IamUser, which the stack attaches one policy to."""
    user = subject.wanted
    given = _Principal(subject.clients("iam"), {"UserName": user.name})
    yield from given.inline("list_user_policies", "get_user_policy", own=None)
    own = subject.arns.policy(user.name, path=IamUser.policy_path)
    yield from given.attached("list_attached_user_policies", own=(own,))
    for group in given.listed("list_groups_for_user", "Groups"):
        name = group["GroupName"]
        yield Difference.unwanted(f"group {name}", "a member", f"take the user out of group {name}")


def user_credentials(subject: Subject) -> Iterator[Difference]:
    iam, name = subject.clients("iam"), subject.wanted.name
    given = _Principal(iam, {"UserName": name})
    keys = [key["AccessKeyId"] for key in given.listed("list_access_keys", "AccessKeyMetadata")]
    if len(keys) > MOST_KEYS:
        step = "find out whose the other one is, and delete it (aws iam delete-access-key)"
        found = ", ".join(sorted(keys))
        yield Difference(path="access keys", expected=f"{MOST_KEYS} at most", found=found, next_step=step)
    if unless({"NoSuchEntity"}, lambda: iam.get_login_profile(UserName=name)):
        step = f"aws iam delete-login-profile --user-name {name}"
        yield Difference.unwanted("login profile", "a password for the console", step)


@dataclass(frozen=True)
class _Principal:
    """One role or user, and what it was given."""

    iam: Any
    whom: dict[str, str]

    def inline(self, list_: str, get: str, *, own: str | None) -> Iterator[Difference]:
        for name in self.listed(list_, "PolicyNames"):
            if name != own:
                answer = getattr(self.iam, get)(**self.whom, PolicyName=name)
                found = _allows(answer.get("PolicyDocument"))
                yield Difference.unwanted(f"inline policy {name}", found, f"remove the inline policy {name}")

    def attached(self, list_: str, *, own: tuple[str, ...]) -> Iterator[Difference]:
        for policy in self.listed(list_, "AttachedPolicies"):
            if (arn := policy["PolicyArn"]) not in own:
                yield Difference.unwanted(f"attached policy {arn}", "attached", f"detach {arn}")

    def listed(self, operation: str, field: str) -> list[Any]:
        """All pages."""
        pages = self.iam.get_paginator(operation).paginate(**self.whom)
        return [each for page in pages for each in page[field]]


def _allows(document: dict[str, Any] | None) -> str:
    """The actions of a policy, for a person."""
    actions: list[str] = []
    for statement in statements_of(document or {}):
        named = statement.get("Action", statement.get("NotAction", "everything but something"))
        actions += [named] if isinstance(named, str) else named
    return f"allows {', '.join(dict.fromkeys(actions))}" if actions else "says nothing"
