"""AWS's half of the bootstrap against its template: what an administrator applied once, and no stack of the environment holds.

Asked for with an administrator's rights (`firnline drift ENV --bootstrap`): the roles of CI may read none of it. Which repository
the roles trust is said by AWS alone; both have to trust the same one, in the form that the bootstrap writes.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import unquote

from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.blueprint.environment_key import ENVIRONMENT_KEY
from firnline_infra.blueprint.iam.normal_form import same_policy, statements_of
from firnline_infra.drift.context import DriftContext
from firnline_infra.kinds.comparison import Difference
from firnline_infra.render.bootstrap import template
from firnline_infra.render.bootstrap.ci_provider import AUDIENCE, CiProvider, GitHub, GitLab
from firnline_ingest.checks import Check, Finding

STEP = "find out who changed it and why; then apply what `firnline bootstrap` renders again, as an administrator"
GONE = "apply what `firnline bootstrap` renders, as an administrator"
PUBLIC_ACCESS = "PublicAccessBlockConfiguration"
SUBJECT = re.compile(r"repo:(?P<repository>[^:*?]+):environment:(?P<environment>[^:*?]+)")
BRANCH = re.compile(r"repo:[^:*?]+:ref:refs/heads/(?P<branch>[^*?]+)")
OF_GITLAB = re.compile(r"project_path:(?P<project>[^:*?]+):ref_type:branch:ref:(?P<branch>[^:?]+):")
Template = Mapping[str, Any]


def with_bootstrap(context: DriftContext) -> tuple[Iterable[Check], Iterable[str]]:
    """The checks, and whom the roles of CI let in. Raises AwsRefused."""
    return list(checks(context)), [trusted(context)]


def checks(context: DriftContext) -> Iterator[Check]:
    rendered = template(context.blueprint, provider=provider_of(context))
    resources: Mapping[str, Template] = rendered["Resources"]
    for logical, each in resources.items():
        if (compare := COMPARED.get(each["Type"])) is not None:
            noun, name = _called(each)
            run = partial(_found, noun, name, partial(compare, context, logical, resources))
            yield Check(rule="right", name=f"the bootstrap's {noun} {name}", run=run)


def provider_of(context: DriftContext) -> CiProvider:
    """The provider that the roles of CI trust, as far as a subject has the form that the bootstrap writes. Raises AwsRefused."""
    names = context.environment.bootstrap
    subjects = [each for name in (names.deployer_role, names.previewer_role) for each in _subjects(context, name)]
    branches = [found["branch"] for _, text in subjects if (found := BRANCH.fullmatch(text))]
    for host, text in subjects:
        if found := OF_GITLAB.match(text):  # the subject of previews is of any branch
            branch = "main" if "*" in found["branch"] else found["branch"]
            return GitLab(project=found["project"], branch=branch, host=host)
        if found := SUBJECT.fullmatch(text):
            return GitHub(repository=found["repository"], branch=next(iter(branches), "main"))
    return GitHub(repository="OWNER/REPOSITORY")


def trusted(context: DriftContext) -> str:
    """Yields the jobs that the roles of CI let in, for a person to judge. Raises AwsRefused."""
    match provider_of(context):
        case GitHub() as found:
            whose = f"{found.repository}, branch {found.branch}"
        case GitLab() as found:
            whose = f"{found.project}, branch {found.branch}"
        case other:
            whose = other.title
    return f"the roles of CI let in jobs of {whose}: see whether that is yours."


def _subjects(context: DriftContext, role_name: str) -> Iterator[tuple[str, str]]:
    """Each with the provider's host."""
    role = _role(context, role_name)
    for statement in statements_of(_trust(role)) if role else ():
        host = str((statement.get("Principal") or {}).get("Federated", "")).partition(":oidc-provider/")[2]
        for values in (statement.get("Condition") or {}).values():
            texts = values.get(f"{host}:sub", ())
            yield from ((host, text) for text in (texts if isinstance(texts, list) else [str(texts)]))


def _called(resource: Template) -> tuple[str, str]:
    properties = resource["Properties"]
    names = ("ManagedPolicyName", "RoleName", "AliasName", "BucketName", "Url")
    name = next((str(properties[each]) for each in names if each in properties), "")
    return COMPARED_NOUNS[resource["Type"]], name.removeprefix("https://")


def _found(noun: str, name: str, find: Callable[[], Iterator[Difference]]) -> Iterator[Finding]:
    with aws_call("comparing with the bootstrap", f"{noun} {name}"):
        found = list(find())
    for each in found:
        yield Finding(
            kind=noun, name=name, path=each.path, expected=each.expected, found=each.found, next_step=each.next_step
        )


def _gone() -> Difference:
    return Difference(path="exists", expected="yes", found="nothing", next_step=GONE)


def _differs(path: str, expected: object, found: object) -> Iterator[Difference]:
    if expected != found:
        yield Difference(path=path, expected=_text(expected), found=_text(found), next_step=STEP)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _policy(context: DriftContext, logical: str, resources: Mapping[str, Template]) -> Iterator[Difference]:
    properties = resources[logical]["Properties"]
    iam, arn = context.accounts.aws("iam"), context.environment.arns.policy(properties["ManagedPolicyName"])
    answer = if_there("iam:GetPolicy", arn, iam.get_policy, PolicyArn=arn)
    if answer is None:
        yield _gone()
        return
    version = answer["Policy"]["DefaultVersionId"]
    found = _document(iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"])
    yield from _policies_differ("policy", _resolved(context, properties["PolicyDocument"]), found)


def _policies_differ(path: str, wanted: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[Difference]:
    if not same_policy(found, wanted):
        yield Difference(
            path=path, expected=_text(wanted["Statement"]), found=_text(statements_of(found)), next_step=STEP
        )


def _ci_role(context: DriftContext, logical: str, resources: Mapping[str, Template]) -> Iterator[Difference]:
    properties = resources[logical]["Properties"]
    iam, name = context.accounts.aws("iam"), properties["RoleName"]
    role = _role(context, name)
    if role is None:
        yield _gone()
        return
    yield from _policies_differ("assumeRolePolicy", properties["AssumeRolePolicyDocument"], _trust(role))
    own = {resources[each["Ref"]]["Properties"]["ManagedPolicyName"] for each in properties["ManagedPolicyArns"]}
    pages = iam.get_paginator("list_attached_role_policies").paginate(RoleName=name)
    attached = {each["PolicyArn"] for page in pages for each in page["AttachedPolicies"]}
    wanted = {context.environment.arns.policy(each) for each in own}
    for arn in sorted(attached - wanted):
        yield Difference.unwanted(f"attached policy {arn}", "attached", f"detach {arn}")
    for arn in sorted(wanted - attached):
        yield Difference(path=f"attached policy {arn}", expected="attached", found="nothing", next_step=STEP)
    inline = iam.get_paginator("list_role_policies").paginate(RoleName=name)
    for policy in (each for page in inline for each in page["PolicyNames"]):
        yield Difference.unwanted(f"inline policy {policy}", "there", f"remove the inline policy {policy}")
    boundary = (role.get("PermissionsBoundary") or {}).get("PermissionsBoundaryArn", "nothing")
    yield from _differs("permissionsBoundary", "nothing", boundary)
    yield from _differs("maxSessionDuration", 3600, role.get("MaxSessionDuration", 3600))


def _role(context: DriftContext, name: str) -> Mapping[str, Any] | None:
    answer = if_there("iam:GetRole", name, context.accounts.aws("iam").get_role, RoleName=name)
    return answer["Role"] if answer else None


def _trust(role: Mapping[str, Any]) -> Mapping[str, Any]:
    return _document(role["AssumeRolePolicyDocument"])


def _document(said: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a policy, which botocore gives as a mapping, or as the text that the service sent."""
    if isinstance(said, str):
        document: Mapping[str, Any] = json.loads(unquote(said))
        return document
    return dict(said)


def _alias(context: DriftContext, logical: str, resources: Mapping[str, Template]) -> Iterator[Difference]:
    """The alias, and the key behind it; the environment's key is compared without the bootstrap, too."""
    properties, kms = resources[logical]["Properties"], context.accounts.aws("kms")
    alias = properties["AliasName"]
    answer = if_there("kms:DescribeKey", alias, kms.describe_key, KeyId=alias)
    if answer is None:
        yield _gone()
        return
    key = answer["KeyMetadata"]
    yield from _differs("state", "Enabled", key["KeyState"])
    wanted = resources[properties["TargetKeyId"]["Ref"]]["Properties"]
    found = json.loads(kms.get_key_policy(KeyId=key["KeyId"], PolicyName="default")["Policy"])
    yield from _policies_differ("policy", _resolved(context, wanted["KeyPolicy"]), found)
    if key["KeyState"] == "Enabled":
        is_rotated = kms.get_key_rotation_status(KeyId=key["KeyId"])["KeyRotationEnabled"]
        yield from _differs("rotation", wanted["EnableKeyRotation"], is_rotated)


def _bucket(context: DriftContext, logical: str, resources: Mapping[str, Template]) -> Iterator[Difference]:
    properties, s3 = resources[logical]["Properties"], context.accounts.aws("s3")
    name = properties["BucketName"]
    if if_there("s3:HeadBucket", name, s3.head_bucket, Bucket=name) is None:
        yield _gone()
        return
    versioning = s3.get_bucket_versioning(Bucket=name).get("Status", "Off")
    yield from _differs("versioning", properties["VersioningConfiguration"]["Status"], versioning)
    yield from _differs(
        PUBLIC_ACCESS, properties[PUBLIC_ACCESS], _of_bucket(s3.get_public_access_block, name).get(PUBLIC_ACCESS)
    )
    rules = _of_bucket(s3.get_bucket_encryption, name).get("ServerSideEncryptionConfiguration", {}).get("Rules", [{}])
    applied = rules[0].get("ApplyServerSideEncryptionByDefault", {})
    key = context.accounts.aws("kms").describe_key(KeyId=f"alias/{context.environment.bootstrap.state_key_alias}")[
        "KeyMetadata"
    ]
    is_ours = applied.get("KMSMasterKeyID") in (key["Arn"], key["KeyId"])
    yield from _differs("encryption", "aws:kms by the state's key", _encryption(applied, is_ours=is_ours))
    controls = _of_bucket(s3.get_bucket_ownership_controls, name).get("OwnershipControls", {}).get("Rules", [])
    yield from _differs("ownership", properties["OwnershipControls"]["Rules"], controls)
    policies = [each["Properties"] for each in resources.values() if each["Type"] == "AWS::S3::BucketPolicy"]
    found = _of_bucket(s3.get_bucket_policy, name).get("Policy")
    for wanted in policies:
        yield from _policies_differ(
            "policy", wanted["PolicyDocument"], json.loads(found) if found else {"Statement": []}
        )


def _encryption(applied: Mapping[str, Any], *, is_ours: bool) -> str:
    how = str(applied.get("SSEAlgorithm", "nothing"))
    return f"{how} by the state's key" if is_ours else f"{how} by {applied.get('KMSMasterKeyID', 'S3')}"


def _of_bucket(ask: Callable[..., Any], name: str) -> Mapping[str, Any]:
    """Nothing where the bucket has no such setting, which S3 answers with an error of its own."""
    from botocore.exceptions import ClientError

    try:
        return dict(ask(Bucket=name))
    except ClientError as error:
        if error.response["Error"]["Code"].startswith(("NoSuch", "ServerSideEncryption", "OwnershipControls")):
            return {}
        raise


def _oidc(context: DriftContext, logical: str, resources: Mapping[str, Template]) -> Iterator[Difference]:
    """An account has it once, whoever made it: further audiences are others' affair."""
    host = str(resources[logical]["Properties"]["Url"]).removeprefix("https://")
    iam, arn = context.accounts.aws("iam"), context.environment.arns.oidc_provider(host)
    answer = if_there(
        "iam:GetOpenIDConnectProvider", arn, iam.get_open_id_connect_provider, OpenIDConnectProviderArn=arn
    )
    if answer is None:
        yield _gone()
    elif AUDIENCE not in answer["ClientIDList"]:
        yield from _differs("audiences", [AUDIENCE], answer["ClientIDList"])


def _resolved(context: DriftContext, document: Any) -> Any:
    """With the ARN of a key in place of the template's reference to it."""
    if isinstance(document, dict) and set(document) == {"Fn::GetAtt"}:
        return _key_arn(context, document["Fn::GetAtt"][0])
    if isinstance(document, dict):
        return {name: _resolved(context, each) for name, each in document.items()}
    return [_resolved(context, each) for each in document] if isinstance(document, list) else document


def _key_arn(context: DriftContext, logical: str) -> str:
    own = context.blueprint.key
    is_own = own is not None and logical == ENVIRONMENT_KEY.of
    alias = f"alias/{own.alias if own is not None and is_own else context.environment.bootstrap.state_key_alias}"
    answer = if_there("kms:DescribeKey", alias, context.accounts.aws("kms").describe_key, KeyId=alias)
    return str(answer["KeyMetadata"]["Arn"]) if answer else alias


Compare = Callable[[DriftContext, str, Mapping[str, Template]], Iterator[Difference]]
COMPARED: Mapping[str, Compare] = {
    "AWS::IAM::ManagedPolicy": _policy,
    "AWS::IAM::Role": _ci_role,
    "AWS::KMS::Alias": _alias,
    "AWS::S3::Bucket": _bucket,
    "AWS::IAM::OIDCProvider": _oidc,
}
"""By CloudFormation's types; a key is compared by its alias, and a bucket's policy with its bucket."""
COMPARED_NOUNS = {
    "AWS::IAM::ManagedPolicy": "iam policy",
    "AWS::IAM::Role": "iam role",
    "AWS::KMS::Alias": "kms key",
    "AWS::S3::Bucket": "s3 bucket",
    "AWS::IAM::OIDCProvider": "iam oidc provider",
}
