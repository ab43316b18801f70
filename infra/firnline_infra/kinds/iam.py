"""IAM: what the engine, its machines and external volumes are; and rights that somebody gave to them by hand.

Pulumi compares the policies that it wrote. Policies attached outside the stack, and credentials that somebody made, are invisible
to the provider.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from firnline_infra.blueprint.aws import IamRole, IamUser
from firnline_infra.blueprint.iam.normal_form import statements_of
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds import redshift
from firnline_infra.kinds.asking import unless
from firnline_infra.kinds.comparison import Clients, Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope, own_name
from firnline_infra.kinds.principals import engine_roles, engine_users
from firnline_infra.kinds.resource import Component, Resource
from firnline_infra.kinds.storage import iceberg_volumes
from firnline_infra.specification.runtime import Trust

MOST_KEYS = 1


def roles(environment: Environment) -> Iterator[Component]:
    """Yields the engine's role, those of external volumes, and what Redshift reads streams, and is refreshed, as."""
    for rows in (engine_roles, iceberg_volumes, redshift.roles):
        yield from rows(environment)


def _role_policies(subject: Subject) -> Iterator[Difference]:
    role = own_name(subject.wanted)
    given = _Principal(subject.clients("iam"), {"RoleName": role})
    yield from given.inline("list_role_policies", "get_role_policy", own=IamRole.policy_name)
    yield from given.attached("list_attached_role_policies", own=())


def _profiles_of_role(subject: Subject) -> Iterator[Difference]:
    """Finds instance profiles beside the stack's: whatever machine has one acts as the role, and so does who may start it."""
    role, own = own_name(subject.wanted), [own_name(each) for each in INSTANCE_PROFILE.instances(subject.blueprint)]
    given = _Principal(subject.clients("iam"), {"RoleName": role})
    for profile in given.listed("list_instance_profiles_for_role", "InstanceProfiles"):
        name = profile["InstanceProfileName"]
        if name not in own:
            step = f"aws iam remove-role-from-instance-profile --instance-profile-name {name} --role-name {role}"
            yield Difference.unwanted(f"instance profile {name}", "machines may act as the role", step)


def _user_policies(subject: Subject) -> Iterator[Difference]:
    """Finds policies and groups beside the one policy that the stack attaches."""
    user = own_name(subject.wanted)
    given = _Principal(subject.clients("iam"), {"UserName": user})
    yield from given.inline("list_user_policies", "get_user_policy", own=None)
    own = subject.arns.policy(user, path=IamUser.policy_path)
    yield from given.attached("list_attached_user_policies", own=(own,))
    for group in given.listed("list_groups_for_user", "Groups"):
        name = group["GroupName"]
        yield Difference.unwanted(f"group {name}", "a member", f"take the user out of group {name}")


def _user_credentials(subject: Subject) -> Iterator[Difference]:
    iam, name = subject.clients("iam"), own_name(subject.wanted)
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


def _policy(clients: Clients, inputs: Properties) -> Sequence[str]:
    """The ARN that the policy would have. Asking for the account in it needs no permission."""
    sts = clients("sts")
    _, partition, _, _, account, _ = sts.get_caller_identity()["Arn"].split(":", 5)
    return [f"arn:{partition}:iam::{account}:policy{inputs.get('path') or '/'}{inputs['name']}"]


ROLE = Kind(
    "aws:iam/role:Role",
    "IAM role",
    import_id="{name}",
    service="iam",
    rows=roles,
    arn=lambda arns, row: arns.role(own_name(row)),
    exists=Lookup("iam", "get_role", "RoleName"),
    rights=(
        Right("Makes it, within the boundary.", create="CreateRole", scope=Scope.BOUNDED),
        Right(COMPARE, read="GetRole ListRolePolicies ListAttachedRolePolicies"),
        Right("The trust policy.", update="UpdateAssumeRolePolicy"),
        Right("Its description, how long a session lasts.", update="UpdateRole UpdateRoleDescription"),
        Right(TAGS, create="TagRole", update="UntagRole"),
        Right(
            "Sets the boundary back where it was taken off.",
            update="PutRolePermissionsBoundary",
            scope=Scope.BOUNDED,
        ),
        Right(
            "Removes it; the provider looks first whether machines have it.",
            delete="DeleteRole ListInstanceProfilesForRole",
        ),
    ),
    comparisons=(
        Comparison(
            what="policies", actions="ListRolePolicies GetRolePolicy ListAttachedRolePolicies", find=_role_policies
        ),
        Comparison(what="instance profiles", actions="ListInstanceProfilesForRole", find=_profiles_of_role),
    ),
)
ROLE_POLICY = Kind(
    "aws:iam/rolePolicy:RolePolicy",
    "policy of IAM role",
    service="iam",
    rows=roles,
    arns=ROLE.own_arns,
    rights=(
        Right(
            "Its permissions: the engine's statements above, or Snowflake's. Only of a role within the boundary.",
            create="PutRolePolicy",
            delete="DeleteRolePolicy",
            scope=Scope.BOUNDED,
        ),
        Right("Reads what it may do, to compare it.", read="GetRolePolicy"),
    ),
)
USER = Kind(
    "aws:iam/user:User",
    "IAM user",
    import_id="{name}",
    service="iam",
    rows=engine_users,
    arn=lambda arns, row: arns.user(own_name(row)),
    exists=Lookup("iam", "get_user", "UserName"),
    rights=(
        Right(
            "Makes it, within the boundary. Its access key is created by `firnline keys`, not here.",
            create="CreateUser",
            scope=Scope.BOUNDED,
        ),
        Right(TAGS, create="TagUser", update="UntagUser"),
        Right(COMPARE, read="GetUser ListUserTags"),
        Right(
            "Sets the boundary back where it was taken off.",
            update="PutUserPermissionsBoundary",
            scope=Scope.BOUNDED,
        ),
        Right("Removes it; the provider looks first which groups it is in.", delete="DeleteUser ListGroupsForUser"),
    ),
    comparisons=(
        Comparison(
            what="policies and groups",
            actions="ListUserPolicies GetUserPolicy ListAttachedUserPolicies ListGroupsForUser",
            find=_user_policies,
        ),
        Comparison(what="credentials", actions="ListAccessKeys GetLoginProfile", find=_user_credentials),
    ),
)
ATTACHMENT = Kind(
    "aws:iam/userPolicyAttachment:UserPolicyAttachment",
    "policy attachment of IAM user",
    service="iam",
    rows=engine_users,
    arns=USER.own_arns,
    rights=(
        Right(
            "Gives the engine's user that one policy and no other, within the boundary.",
            create="AttachUserPolicy",
            delete="DetachUserPolicy",
            scope=Scope.BOUNDED,
        ),
        Right("Reads which it has.", read="ListAttachedUserPolicies"),
    ),
)
POLICY = Kind(
    "aws:iam/policy:Policy",
    "IAM policy",
    import_id=_policy,
    service="iam",
    rows=engine_users,
    arn=lambda arns, row: arns.policy(own_name(row), path=row.arguments["path"]),
    rights=(
        Right("Creates the policy of the engine's user: the engine's statements above.", create="CreatePolicy"),
        Right(COMPARE, read="GetPolicy GetPolicyVersion"),
        Right(
            "A change is a new version, and IAM keeps five.",
            update="ListPolicyVersions CreatePolicyVersion DeletePolicyVersion",
            delete="ListPolicyVersions DeletePolicyVersion",
        ),
        Right(TAGS, create="TagPolicy", update="UntagPolicy"),
        Right("Removes it.", delete="DeletePolicy"),
    ),
)


def instance_profiles(environment: Environment) -> Iterator[Component]:
    """Yields what gives a cluster's machines the role. It has the role's name: EMR refuses another."""
    runtime = environment.aws.runtime
    if runtime.trust is not Trust.EMR_EC2 or runtime.role_arn is not None:
        return
    role = Reference("role", "name")
    arguments = {"name": environment.names.engine_role, "role": role, "tags": environment.tags("runtime")}
    profile = Resource(INSTANCE_PROFILE.terraform_type, "engine-profile-profile", arguments)
    given = {Reference("runtime/instance-profile", "name"): profile["name"]}
    yield Component("InstanceProfile", "engine-profile", (profile,), {"name": profile["name"]}, gives=given)


INSTANCE_PROFILE = Kind(
    "aws:iam/instanceProfile:InstanceProfile",
    "instance profile",
    import_id="{name}",
    service="iam",
    rows=instance_profiles,
    arn=lambda arns, row: arns.instance_profile(own_name(row)),
    exists=Lookup("iam", "get_instance_profile", "InstanceProfileName"),
    rights=(
        Right("Makes it.", create="CreateInstanceProfile"),
        Right(TAGS, create="TagInstanceProfile"),
        Right(
            "Puts the engine's role into it, and sets that right where it was changed.",
            create="AddRoleToInstanceProfile",
            update="RemoveRoleFromInstanceProfile",
        ),
        Right(TAGS, update="UntagInstanceProfile"),
        Right(COMPARE, read="GetInstanceProfile"),
        Right("Removes it.", delete="DeleteInstanceProfile"),
    ),
)
