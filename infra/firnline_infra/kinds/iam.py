"""IAM: what the engine, its machines and external volumes are."""

from collections.abc import Sequence

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.aws import IamUser
from firnline_infra.blueprint.runtime import InstanceProfileDefinition
from firnline_infra.kinds.comparison import Clients, Comparison
from firnline_infra.kinds.given_rights import role_policies, user_credentials, user_policies
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope
from firnline_infra.specification.arns import Arns


def _users(blueprint: Blueprint) -> list[IamUser]:
    return [] if blueprint.user is None else [blueprint.user]


def _profiles(blueprint: Blueprint) -> list[InstanceProfileDefinition]:
    profile = blueprint.runtime.instance_profile
    return [] if profile is None else [profile]


def _role_arns(blueprint: Blueprint, arns: Arns) -> list[str]:
    return [arns.role(role.name) for role in blueprint.roles]


def _user_arns(blueprint: Blueprint, arns: Arns) -> list[str]:
    return [arns.user(user.name) for user in _users(blueprint)]


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
    arns=_role_arns,
    made=lambda blueprint: blueprint.roles,
    exists=Lookup("iam", "get_role", "RoleName"),
    rights=(
        Right("Makes it, within the boundary.", create="CreateRole", scope=Scope.BOUNDED),
        Right(COMPARE, read="GetRole ListRolePolicies ListAttachedRolePolicies"),
        Right("Who may be it.", update="UpdateAssumeRolePolicy"),
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
            what="policies", actions="ListRolePolicies GetRolePolicy ListAttachedRolePolicies", find=role_policies
        ),
    ),
)
ROLE_POLICY = Kind(
    "aws:iam/rolePolicy:RolePolicy",
    "policy of IAM role",
    service="iam",
    arns=_role_arns,
    rights=(
        Right(
            "What it may do: the engine's statements above, or Snowflake's. Only of a role within the boundary.",
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
    arns=_user_arns,
    made=_users,
    exists=Lookup("iam", "get_user", "UserName"),
    rights=(
        Right(
            "Makes it, within the boundary. Its access key is made by `firnline keys`, not here.",
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
            find=user_policies,
        ),
        Comparison(what="credentials", actions="ListAccessKeys GetLoginProfile", find=user_credentials),
    ),
)
ATTACHMENT = Kind(
    "aws:iam/userPolicyAttachment:UserPolicyAttachment",
    "policy attachment of IAM user",
    service="iam",
    arns=_user_arns,
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
    arns=lambda blueprint, arns: [arns.policy(each.name, path=each.policy_path) for each in _users(blueprint)],
    rights=(
        Right("Makes the policy of the engine's user: the engine's statements above.", create="CreatePolicy"),
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
INSTANCE_PROFILE = Kind(
    "aws:iam/instanceProfile:InstanceProfile",
    "instance profile",
    import_id="{name}",
    service="iam",
    arns=lambda blueprint, arns: [arns.instance_profile(each.name) for each in _profiles(blueprint)],
    made=_profiles,
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
