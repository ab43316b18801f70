"""The AWS side of a bootstrap, as a CloudFormation template: one document to review, applied as a change set.

State bucket and key, the environment's own key, the boundary, the two roles that CI has, and a policy each for the few who
keep private keys and for those who replay dead letters. Everything that holds state stays when the stack goes.
"""

from collections.abc import Iterator
from typing import Any

from firnline_infra.blueprint.environment import Blueprint, blueprint_of
from firnline_infra.blueprint.environment_key import ENVIRONMENT_KEY
from firnline_infra.blueprint.iam import PolicyStatement, policy_document
from firnline_infra.blueprint.iam.length import split
from firnline_infra.blueprint.iam.resource_policies import bucket_policy, key_policy
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import Environment
from firnline_infra.kinds.keys_and_secrets import environment_key_policy
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.render.bootstrap.ci_provider import AUDIENCE, CiProvider
from firnline_infra.render.bootstrap.dead_letter_replayer import dead_letter_replayer_statements
from firnline_infra.render.bootstrap.deployer import (
    boundary_arn,
    deployer_statements,
    previewer_statements,
)
from firnline_infra.render.bootstrap.key_keeper import key_keeper_statements
from firnline_infra.specification.checks.aws import bootstrap_names_fit
from firnline_infra.specification.origin import Origin
from firnline_ingest.errors import ConfigError

BOOTSTRAP_OF = "firnline:bootstrap-of"
KEPT = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
PUBLIC_ACCESS = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")
Template = dict[str, Any]
USUAL_POLICIES, MOST_POLICIES = 10, 25
"""Managed policies of a role: before and after an account has asked for more (IAM user guide, "IAM and AWS STS quotas")."""


def template(blueprint: Blueprint, *, provider: CiProvider) -> Template:
    """The same text whether or not the key that it makes is recorded already. Raises ConfigError for what AWS would refuse."""
    blueprint = _unrecorded(blueprint)
    environment = blueprint.environment
    if problems := list(bootstrap_names_fit(environment.spec)):
        raise ConfigError(environment.name, problems)
    exists = f"{provider.title}ProviderExists"
    makes_key = blueprint.key is not None
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"What has to exist before Firnline's first up of environment {environment.name}",
        "Parameters": {
            exists: {
                "Type": "String",
                "AllowedValues": ["true", "false"],
                "Default": "false",
                "Description": f"Whether the account knows {provider.host} already; an account has it once.",
            },
        },
        "Conditions": {
            f"Make{provider.title}Provider": {"Fn::Equals": [{"Ref": exists}, "false"]},
        },
        "Resources": dict(_resources(blueprint, provider)),
        "Outputs": {
            "Backend": {"Value": backend_url(environment)},
            "SecretsProvider": {"Value": secrets_provider(environment)},
            "DeployRole": {"Value": {"Fn::GetAtt": ["DeployRole", "Arn"]}},
            "PreviewRole": {"Value": {"Fn::GetAtt": ["PreviewRole", "Arn"]}},
            "PermissionsBoundary": {"Value": boundary_arn(environment)},
            **({"EnvironmentKey": {"Value": _resolved(ENVIRONMENT_KEY)}} if makes_key else {}),
            **({"KeysPolicy": {"Value": {"Ref": "KeysPolicy"}}} if key_keeper_statements(blueprint) else {}),
            **{logical: {"Value": {"Ref": logical}} for logical, _, _ in _letters_policies(blueprint)},
        },
    }


def managed_policies(blueprint: Blueprint) -> int:
    """The largest number of managed policies that a role of the template has."""
    return max(len(policies) for _, _, policies in _roles(_unrecorded(blueprint)))


def _roles(blueprint: Blueprint) -> Iterator[tuple[str, str, dict[str, tuple[PolicyStatement, ...]]]]:
    """Title, name, and the statements of each managed policy by its logical id."""
    names = blueprint.environment.bootstrap
    for title, name, statements in (
        ("Deploy", names.deployer_role, deployer_statements(blueprint)),
        ("Preview", names.previewer_role, previewer_statements(blueprint)),
    ):
        yield title, name, {f"{title}Policy{number}": part for number, part in enumerate(split(statements), start=1)}


def backend_url(environment: Environment) -> str:
    return f"s3://{environment.bootstrap.state_bucket}?region={environment.aws.region}"


def secrets_provider(environment: Environment) -> str:
    return f"awskms://alias/{environment.bootstrap.state_key_alias}?region={environment.aws.region}"


def _resources(blueprint: Blueprint, provider: CiProvider) -> Iterator[tuple[str, Template]]:
    environment = blueprint.environment
    names = environment.bootstrap
    yield from _state(environment)
    yield from _environment_key(blueprint)
    if environment.aws.permissions_boundary in (None, environment.arns.policy(names.boundary)):
        within = boundary_statements(blueprint)
        yield "Boundary", _policy(names.boundary, within, "Bounds every role of the environment")
    yield (
        f"{provider.title}Provider",
        {
            "Type": "AWS::IAM::OIDCProvider",
            "Condition": f"Make{provider.title}Provider",
            **KEPT,
            "Properties": {"Url": f"https://{provider.host}", "ClientIdList": [AUDIENCE]},
        },
    )
    if keeping := key_keeper_statements(blueprint):
        yield (
            "KeysPolicy",
            _policy(names.keys_policy, keeping, f"For who runs firnline keys in environment {environment.name}"),
        )
    for logical, name, replaying in _letters_policies(blueprint):
        yield logical, _policy(name, replaying, f"For who runs firnline dead-letters in environment {environment.name}")
    for title, name, parts in _roles(blueprint):
        if len(parts) > MOST_POLICIES:
            what = f"the role {name} would have {len(parts)} managed policies, and IAM takes {MOST_POLICIES}"
            raise ConfigError(environment.name, [f"{what}. Split the environment."])
        for logical, part in parts.items():
            policy = f"{name}-{logical.removeprefix(f'{title}Policy')}"
            yield logical, _policy(policy, part, f"{title}s environment {environment.name}")
        yield f"{title}Role", _role(environment, name, list(parts), provider, deploys=title == "Deploy")


def _letters_policies(blueprint: Blueprint) -> Iterator[tuple[str, str, tuple[PolicyStatement, ...]]]:
    """Logical id, name and statements: one policy, or several where many registries have logins."""
    name = blueprint.environment.bootstrap.letters_policy
    first, *others = split(dead_letter_replayer_statements(blueprint))
    yield "DeadLettersPolicy", name, first
    for number, statements in enumerate(others, start=2):
        yield f"DeadLettersPolicy{number}", f"{name}-{number}", statements


def _state(environment: Environment) -> Iterator[tuple[str, Template]]:
    names, arns = environment.bootstrap, environment.arns
    yield (
        "StateKey",
        {
            "Type": "AWS::KMS::Key",
            **KEPT,
            "Properties": {
                "Description": f"Pulumi's state of environment {environment.name}",
                "EnableKeyRotation": True,
                "KeyPolicy": _document(key_policy(account_root=arns.account_root)),
                "Tags": _tags(environment),
            },
        },
    )
    yield (
        "StateKeyAlias",
        {
            "Type": "AWS::KMS::Alias",
            **KEPT,
            "Properties": {"AliasName": f"alias/{names.state_key_alias}", "TargetKeyId": {"Ref": "StateKey"}},
        },
    )
    yield from _state_bucket(environment)


def _state_bucket(environment: Environment) -> Iterator[tuple[str, Template]]:
    names, arns = environment.bootstrap, environment.arns
    encryption = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": {"Fn::GetAtt": ["StateKey", "Arn"]}}
    yield (
        "StateBucket",
        {
            "Type": "AWS::S3::Bucket",
            **KEPT,
            "Properties": {
                "BucketName": names.state_bucket,
                "BucketEncryption": {
                    "ServerSideEncryptionConfiguration": [
                        {"BucketKeyEnabled": True, "ServerSideEncryptionByDefault": encryption}
                    ]
                },
                "VersioningConfiguration": {"Status": "Enabled"},
                "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
                "PublicAccessBlockConfiguration": dict.fromkeys(PUBLIC_ACCESS, True),
                "Tags": _tags(environment),
            },
        },
    )
    yield (
        "StateBucketPolicy",
        {
            "Type": "AWS::S3::BucketPolicy",
            **KEPT,
            "Properties": {
                "Bucket": {"Ref": "StateBucket"},
                "PolicyDocument": _document(bucket_policy(bucket_arn=arns.bucket(names.state_bucket))),
            },
        },
    )


def _environment_key(blueprint: Blueprint) -> Iterator[tuple[str, Template]]:
    if (key := blueprint.key) is None:
        return
    properties = {
        "Description": key.description,
        "EnableKeyRotation": key.is_rotated,
        "PendingWindowInDays": key.deletion_window_days,
        "KeyPolicy": _document(environment_key_policy(blueprint)),
        "Tags": _tags(blueprint.environment),
    }
    yield ENVIRONMENT_KEY.of, {"Type": "AWS::KMS::Key", **KEPT, "Properties": properties}
    alias = {"AliasName": f"alias/{key.alias}", "TargetKeyId": {"Ref": ENVIRONMENT_KEY.of}}
    yield f"{ENVIRONMENT_KEY.of}Alias", {"Type": "AWS::KMS::Alias", **KEPT, "Properties": alias}


def _unrecorded(blueprint: Blueprint) -> Blueprint:
    environment = blueprint.environment
    if environment.aws.key.origin is not Origin.CREATE:
        return blueprint
    key = environment.aws.key.model_copy(update={"arn": None})
    return blueprint_of(environment.spec.model_copy(update={"aws": environment.aws.model_copy(update={"key": key})}))


def _policy(name: str, statements: tuple[PolicyStatement, ...], description: str) -> Template:
    properties = {"ManagedPolicyName": name, "Description": description, "PolicyDocument": _document(statements)}
    return {"Type": "AWS::IAM::ManagedPolicy", "Properties": properties}


def _role(environment: Environment, name: str, policies: list[str], provider: CiProvider, *, deploys: bool) -> Template:
    trust = PolicyStatement(
        sid=provider.sid,
        actions=("sts:AssumeRoleWithWebIdentity",),
        principals={"Federated": environment.arns.oidc_provider(provider.host)},
        conditions=provider.conditions(environment, deploys=deploys),
    )
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "RoleName": name,
            "AssumeRolePolicyDocument": _document((trust,)),
            "ManagedPolicyArns": [{"Ref": policy} for policy in policies],
            "Tags": _tags(environment),
        },
    }


def _document(statements: tuple[PolicyStatement, ...]) -> Template:
    return policy_document(statements, _resolved)


def _resolved(value: Value) -> Any:
    return {"Fn::GetAtt": [value.of, value.attribute]} if isinstance(value, Reference) else value


def _tags(environment: Environment) -> list[dict[str, str]]:
    """The tags, without the one by which the deployer knows what is its own: what the template makes is not for it to
    administer."""
    values = {
        **environment.spec.tags,
        "firnline:environment": environment.name,
        BOOTSTRAP_OF: environment.names.application,
    }
    return [{"Key": key, "Value": value} for key, value in values.items()]
