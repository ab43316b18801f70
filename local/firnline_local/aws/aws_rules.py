"""Rules by which AWS refuses and moto does not, as far as we rely on them.

A role is assumed only by principals that its trust policy names, on its conditions; policies name only principals that
exist; no key's policy locks its administrator out; a managed policy is not too long, and is deleted only when it is attached to
nothing and has no other version; the name of a deleted secret is free only when the secret can't be restored any more; an
object is kept only as it was sent; an expression of DynamoDB's names no reserved word; the descriptions of a security group and
of its rules have the letters that EC2 takes.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from firnline_local.aws.call import SERVICE_KEY, Protocol
from firnline_local.aws.dynamodb_expressions import refusal_of
from firnline_local.aws.moto_state import MotoState
from firnline_local.aws.parsed_call import ParsedCall
from firnline_local.aws.policy import as_list, is_allowed, names, statements_of

DIGESTS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "HTTP_X_AMZ_CHECKSUM_CRC32": ("CRC32", lambda body: zlib.crc32(body).to_bytes(4, "big")),
    "HTTP_CONTENT_MD5": ("Content-MD5", lambda body: hashlib.md5(body, usedforsecurity=False).digest()),
}


def wrong_digest(call: ParsedCall) -> str | None:
    """Returns S3's refusal of a PUT whose content is not what its checksum was made of; its code is BadDigest."""
    if call.call.operation != "PUT" or "aws-chunked" in call.environ.get("HTTP_CONTENT_ENCODING", ""):
        return None
    return next(_wrong(call), None)


def _wrong(call: ParsedCall) -> Iterator[str]:
    for header, (name, digest) in DIGESTS.items():
        given = call.environ.get(header)
        if given and given != base64.b64encode(digest(call.body)).decode():
            yield f"The {name} you specified did not match the calculated checksum."


@dataclass(frozen=True, slots=True)
class Violation:
    """The rule that a call breaks, as the error that AWS answers."""

    status: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class PolicyParameter:
    """The parameter that carries a resource's policy, and the service's refusal of one with an unknown principal."""

    parameter: str
    code: str
    message: str


IN_KMS = ("MalformedPolicyDocumentException", "Policy contains a statement with one or more invalid principals.")
IN_IAM = ("MalformedPolicyDocument", 'Invalid principal in policy: "AWS":"{principal}"')
POLICIES = {
    ("iam", "CreateRole"): PolicyParameter("AssumeRolePolicyDocument", *IN_IAM),
    ("iam", "UpdateAssumeRolePolicy"): PolicyParameter("PolicyDocument", *IN_IAM),
    ("kms", "CreateKey"): PolicyParameter("Policy", *IN_KMS),
    ("kms", "PutKeyPolicy"): PolicyParameter("Policy", *IN_KMS),
    ("secretsmanager", "PutResourcePolicy"): PolicyParameter(
        "ResourcePolicy", "MalformedPolicyDocumentException", "This resource policy contains an unsupported principal."
    ),
    ("s3", "PutBucketPolicy"): PolicyParameter("", "MalformedPolicy", "Invalid principal in policy"),
}
MANAGED = {("iam", operation) for operation in ("CreatePolicy", "CreatePolicyVersion", "DeletePolicy")}
LONGEST_MANAGED = 6_144  # IAM user guide, "IAM and AWS STS quotas": without white space
HAS_VERSIONS = (
    "This policy has more than one version. Before you delete a policy, you must delete the policy's versions."
)
WAITS = "You can't create this secret because a secret with this name is already scheduled for deletion."
ASKED_FOR = {"aws:SourceArn": "HTTP_X_AMZ_SOURCE_ARN", "aws:SourceAccount": "HTTP_X_AMZ_SOURCE_ACCOUNT"}
"""What a service says of whom it acts for, in headers of its own."""
DESCRIBED = re.compile(r"[A-Za-z0-9. _\-:/()#,@\[\]+=&;{}!$*]{0,255}")
WRONGLY_DESCRIBED = (
    "Invalid {} description. Valid descriptions are strings less than 256 characters from the following set:  "
    "a-zA-Z0-9. _-:/()#,@[]+=&;{{}}!$*"
)
"""EC2 API reference, CreateSecurityGroup (GroupDescription) and IpRange (Description), 2026-11-30; the words are in
hashicorp/terraform-provider-aws#18874, aws-cloudformation/cfn-lint#173."""
LOCKED_OUT = "The new key policy will not allow you to update the key policy in the future."


def violation(call: ParsedCall, principals: tuple[str, ...]) -> Violation | None:
    """`principals` are the ARNs of who asks: a user, or a session with its role."""
    operation = (call.call.service, _action(call))
    if operation == ("sts", "AssumeRole"):
        return _of_assuming(call, principals)
    if operation == ("secretsmanager", "CreateSecret"):
        secret = call.state.secret(str(call.parameters.get("Name")))
        return Violation(400, "InvalidRequestException", WAITS) if secret and secret.is_deleted() else None
    if call.call.service == "ec2":
        return _of_descriptions(call)
    if operation in MANAGED:
        return _of_managed_policy(call)
    if call.call.service == "s3" and (message := wrong_digest(call)):
        return Violation(400, "BadDigest", message)
    if call.call.service == "dynamodb" and (message := refusal_of(call.call.operation, call.parameters)):
        return Violation(400, "ValidationException", message)
    where = POLICIES.get(operation)
    return _of_resource_policy(call, where, principals) if where else None


def _of_descriptions(call: ParsedCall) -> Violation | None:
    for name, text in call.parameters.items():
        if name.endswith("Description") and DESCRIBED.fullmatch(str(text)) is None:
            what = "security group" if name == "GroupDescription" else "rule"
            return Violation(400, "InvalidParameterValue", WRONGLY_DESCRIBED.format(what))
    return None


def _action(call: ParsedCall) -> str:
    """S3 names no operations in its requests; of its own, only the one that puts a policy matters here."""
    if call.call.protocol is not Protocol.REST_XML:
        return call.call.operation
    puts_policy = call.call.operation == "PUT" and not call.parameters["key"] and "policy" in call.parameters["query"]
    return "PutBucketPolicy" if puts_policy else ""


def _of_resource_policy(call: ParsedCall, where: PolicyParameter, principals: tuple[str, ...]) -> Violation | None:
    text = call.parameters.get(where.parameter) if where.parameter else call.body.decode()
    if not text:
        return None
    try:
        missing = next(_missing_principals(text, call.account, call.state), None)
    except (ValueError, AttributeError, TypeError):
        return None  # not a policy: moto says so in the service's words
    if missing is not None:
        return Violation(400, where.code, where.message.format(principal=missing))
    if call.call.service == "kms" and not call.parameters.get("BypassPolicyLockoutSafetyCheck"):
        return _of_lockout(text, principals)
    return None


def _of_assuming(call: ParsedCall, principals: tuple[str, ...]) -> Violation | None:
    """IAM user guide, "Policy evaluation logic" and "Access to AWS accounts owned by third parties"."""
    arn = str(call.parameters.get("RoleArn", ""))
    role = call.state.role(arn.rpartition("/")[2])
    external_id = call.parameters.get("ExternalId")
    context = {"sts:ExternalId": str(external_id)} if external_id else {}
    context["aws:PrincipalArn"] = next(
        (each for each in principals if ":iam:" in each), principals[0]
    )  # not the session
    if call.access_key.startswith(SERVICE_KEY):
        context |= {key: call.environ[name] for key, name in ASKED_FOR.items() if name in call.environ}
    actions = ["sts:AssumeRole"]
    for name, key in call.parameters.items():
        if name.startswith("Tags.member.") and name.endswith(".Key"):  # as the query protocol writes a list
            context[f"aws:RequestTag/{key}"] = str(call.parameters.get(f"{name.removesuffix('Key')}Value", ""))
            actions = ["sts:AssumeRole", "sts:TagSession"]
    is_there = role is not None and role.arn == arn
    policy = statements_of(role.assume_role_policy_document) if is_there else []
    trust = [each for each in policy if names(each, principals)]
    for action in actions:
        if not is_allowed(trust, action, arn, context):
            message = f"User: {principals[0]} is not authorized to perform: {action} on resource: {arn}"
            return Violation(403, "AccessDenied", message)
    return None


def _of_managed_policy(call: ParsedCall) -> Violation | None:
    """API reference, DeletePolicy."""
    if call.call.operation != "DeletePolicy":
        length = len("".join(str(call.parameters.get("PolicyDocument")).split()))
        message = f"Cannot exceed quota for PolicySize: {LONGEST_MANAGED}"
        return Violation(409, "LimitExceeded", message) if length > LONGEST_MANAGED else None
    policy = call.state.policy(str(call.parameters.get("PolicyArn")))
    if policy is not None and policy.attachment_count:
        return Violation(409, "DeleteConflict", "Cannot delete a policy attached to entities.")
    return Violation(409, "DeleteConflict", HAS_VERSIONS) if policy is not None and len(policy.versions) > 1 else None


def _missing_principals(text: str, account: str, state: MotoState) -> Iterator[str]:
    """Yields those of this account; whether a principal of another one exists can't be known here."""
    for statement in statements_of(text):
        element: Any = statement.get("Principal", {})
        named = as_list(element.get("AWS", [])) if isinstance(element, dict) else []
        for arn in named:
            kind, _, path = str(arn).removeprefix(f"arn:aws:iam::{account}:").partition("/")
            name = path.rpartition("/")[2]
            if kind == "role" and getattr(state.role(name), "arn", None) != arn:
                yield str(arn)
            if kind == "user" and state.user_or_none(name) is None:
                yield str(arn)


def _of_lockout(text: str, principals: tuple[str, ...]) -> Violation | None:
    about = [each for each in statements_of(json.loads(text)) if names(each, principals)]
    if is_allowed(about, "kms:PutKeyPolicy", "*"):
        return None
    return Violation(400, "MalformedPolicyDocumentException", LOCKED_OUT)
