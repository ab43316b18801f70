"""What AWS refuses and moto does not, as far as we rely on it.

Roles are assumed only by whom their trust names, on its conditions; policies name only principals that exist; nobody
locks themselves out of a key; a managed policy is not too long, and deleted once it is attached to nobody and has no other
version; and the name of a deleted secret is free only when it can't be restored any more.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firnline_local.aws.moto_world import MotoWorld
from firnline_local.iam.authorise import is_allowed, names, statements_of
from firnline_local.iam.patterns import as_list
from firnline_local.iam.request import Request


@dataclass(frozen=True, slots=True)
class Objection:
    status: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Policy:
    """Where a request carries the policy of a resource, and how the service refuses a wrong one."""

    parameter: str
    code: str
    message: str


IN_KMS = ("MalformedPolicyDocumentException", "Policy contains a statement with one or more invalid principals.")
IN_IAM = ("MalformedPolicyDocument", 'Invalid principal in policy: "AWS":"{principal}"')
POLICIES = {
    ("iam", "CreateRole"): Policy("AssumeRolePolicyDocument", *IN_IAM),
    ("iam", "UpdateAssumeRolePolicy"): Policy("PolicyDocument", *IN_IAM),
    ("kms", "CreateKey"): Policy("Policy", *IN_KMS),
    ("kms", "PutKeyPolicy"): Policy("Policy", *IN_KMS),
    ("secretsmanager", "PutResourcePolicy"): Policy(
        "ResourcePolicy", "MalformedPolicyDocumentException", "This resource policy contains an unsupported principal."
    ),
    ("s3", "PutBucketPolicy"): Policy("", "MalformedPolicy", "Invalid principal in policy"),
}
MANAGED = {("iam", operation) for operation in ("CreatePolicy", "CreatePolicyVersion", "DeletePolicy")}
LONGEST_MANAGED = 6_144  # IAM user guide, "IAM and AWS STS quotas": without white space
HAS_VERSIONS = (
    "This policy has more than one version. Before you delete a policy, you must delete the policy's versions."
)
WAITS = "You can't create this secret because a secret with this name is already scheduled for deletion."
LOCKED_OUT = "The new key policy will not allow you to update the key policy in the future."


def objection(
    request: Request, operation: str, body: bytes, *, principals: tuple[str, ...], world: MotoWorld
) -> Objection | None:
    """`operation` is the action's name, also for S3; `principals` are who asks."""
    if (request.service, operation) == ("sts", "AssumeRole"):
        return _of_assuming(request, principals, world)
    if (request.service, operation) == ("secretsmanager", "CreateSecret"):
        secret = world.secret(str(request.parameters.get("Name")))
        return Objection(400, "InvalidRequestException", WAITS) if secret and secret.is_deleted() else None
    if (request.service, operation) in MANAGED:
        return _of_managed_policy(request, operation, world)
    policy = POLICIES.get((request.service, operation))
    text = (request.parameters.get(policy.parameter) if policy.parameter else body.decode()) if policy else None
    if policy is None or not text:
        return None
    try:
        missing = next(_missing_principals(text, request.account, world), None)
    except (ValueError, AttributeError, TypeError):
        return None  # no policy at all: moto says so in the service's words
    if missing is not None:
        return Objection(400, policy.code, policy.message.format(principal=missing))
    if request.service == "kms" and not request.parameters.get("BypassPolicyLockoutSafetyCheck"):
        return _of_lockout(text, principals)
    return None


def _of_assuming(request: Request, principals: tuple[str, ...], world: MotoWorld) -> Objection | None:
    """IAM user guide, "Policy evaluation logic" and "Access to AWS accounts owned by third parties"."""
    arn = str(request.parameters.get("RoleArn", ""))
    role = world.role(arn.rpartition("/")[2])
    external_id = request.parameters.get("ExternalId")
    context = {"sts:ExternalId": str(external_id)} if external_id else {}
    if role is not None and role.arn == arn:
        trust = [each for each in statements_of(role.assume_role_policy_document) if names(each, principals)]
        if is_allowed(trust, "sts:AssumeRole", arn, context):
            return None
    message = f"User: {principals[0]} is not authorized to perform: sts:AssumeRole on resource: {arn}"
    return Objection(403, "AccessDenied", message)


def _of_managed_policy(request: Request, operation: str, world: MotoWorld) -> Objection | None:
    """API reference, DeletePolicy."""
    if operation != "DeletePolicy":
        length = len("".join(str(request.parameters.get("PolicyDocument")).split()))
        message = f"Cannot exceed quota for PolicySize: {LONGEST_MANAGED}"
        return Objection(409, "LimitExceeded", message) if length > LONGEST_MANAGED else None
    policy = world.policy(str(request.parameters.get("PolicyArn")))
    if policy is not None and policy.attachment_count:
        return Objection(409, "DeleteConflict", "Cannot delete a policy attached to entities.")
    return Objection(409, "DeleteConflict", HAS_VERSIONS) if policy is not None and len(policy.versions) > 1 else None


def _missing_principals(text: str, account: str, world: MotoWorld) -> Iterator[str]:
    """Of this account: nobody here can say who exists in another one."""
    for statement in statements_of(text):
        element: Any = statement.get("Principal", {})
        named = as_list(element.get("AWS", [])) if isinstance(element, dict) else []
        for arn in named:
            kind, _, path = str(arn).removeprefix(f"arn:aws:iam::{account}:").partition("/")
            name = path.rpartition("/")[2]
            if kind == "role" and getattr(world.role(name), "arn", None) != arn:
                yield str(arn)
            if kind == "user" and world.user_or_none(name) is None:
                yield str(arn)


def _of_lockout(text: str, principals: tuple[str, ...]) -> Objection | None:
    about = [each for each in statements_of(json.loads(text)) if names(each, principals)]
    if is_allowed(about, "kms:PutKeyPolicy", "*"):
        return None
    return Objection(400, "MalformedPolicyDocumentException", LOCKED_OUT)
