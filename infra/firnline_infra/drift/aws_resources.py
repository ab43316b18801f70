"""Rights on a stream, table, secret or key of the environment that somebody gave past it: grants, and resources' policies.

The policies of buckets are resources of the stack, and compared by Pulumi. The key is the bootstrap's, and no stack's: its own
policy and its rotation are compared here. The others have no policy at all.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.drift.context import DriftContext
from firnline_infra.observe import NOTHING, Check, Finding
from firnline_infra.observe.iam_policy import same_policy
from firnline_infra.render.bootstrap.environment_key import environment_key_policy
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.origin import Origin

OF_A_SERVICE = (".amazonaws.com", ".amazonaws.com.cn")


def checks(context: DriftContext) -> Iterator[Check]:
    """Of what the stack made; what it adopted is its owner's."""
    for policy in _policies(context):
        yield Check(
            rule="right", name=f"the policy of {policy.kind} {policy.name}", run=partial(policy_findings, policy)
        )
    if context.blueprint.key is not None:
        alias = f"alias/{context.blueprint.key.alias}"
        kms = context.accounts.aws("kms")
        yield Check(rule="right", name=f"the grants of kms key {alias}", run=partial(key_grants, kms, alias))
        wanted = policy_document(environment_key_policy(context.spec, context.blueprint), str)
        yield Check(rule="right", name=f"the policy of kms key {alias}", run=partial(key_settings, kms, alias, wanted))


@dataclass(frozen=True)
class ResourcePolicy:
    kind: str
    name: str
    action: str
    """What asking for it is allowed by."""
    ask: Callable[[], str | None]
    """Its text."""


def _policies(context: DriftContext) -> Iterator[ResourcePolicy]:
    arns, aws, blueprint = Arns(context.spec), context.accounts.aws, context.blueprint
    kinesis, dynamodb, secrets = aws("kinesis"), aws("dynamodb"), aws("secretsmanager")
    for stream in (each.name for each in blueprint.streams if each.origin is Origin.CREATE):
        ask = partial(_text, kinesis.get_resource_policy, "Policy", ResourceARN=arns.stream(stream))
        yield ResourcePolicy("kinesis stream", stream, "kinesis:GetResourcePolicy", ask)
    ask = partial(_text, dynamodb.get_resource_policy, "Policy", ResourceArn=arns.table(blueprint.ledger.name))
    yield ResourcePolicy("dynamodb table", blueprint.ledger.name, "dynamodb:GetResourcePolicy", ask)
    for secret in (each.name for each in blueprint.secrets):
        ask = partial(_text, secrets.get_resource_policy, "ResourcePolicy", SecretId=secret)
        yield ResourcePolicy("secretsmanager secret", secret, "secretsmanager:GetResourcePolicy", ask)


def _text(call: Callable[..., Any], field: str, **request: str) -> str | None:
    text: str | None = call(**request).get(field)
    return text


def key_grants(kms: Any, alias: str) -> Iterator[Finding]:
    """DynamoDB has grants of its own for the tables that it encrypts; a grant of anybody else's is one made by hand."""
    if (key := _key_of(kms, alias, "kms:ListGrants")) is None:
        return
    with aws_call("kms:ListGrants", f"key {alias}"):
        grants = [each for page in kms.get_paginator("list_grants").paginate(KeyId=key) for each in page["Grants"]]
    for grant in grants:
        if not grant["GranteePrincipal"].endswith(OF_A_SERVICE):
            yield Finding(
                kind="kms key",
                name=alias,
                path=f"grant {grant.get('Name') or grant['GrantId']}",
                expected=NOTHING,
                found=f"{', '.join(grant['Operations'])} for {grant['GranteePrincipal']}",
                next_step=f"find out who gave it and why; then aws kms revoke-grant --grant-id {grant['GrantId']}",
            )


def key_settings(kms: Any, alias: str, policy: dict[str, Any]) -> Iterator[Finding]:
    """Its policy against the one that the bootstrap gives it, and whether AWS renews it. Raises AwsRefused."""
    if (key := _key_of(kms, alias, "kms:GetKeyPolicy")) is None:
        return
    with aws_call("kms:GetKeyPolicy", f"key {alias}"):
        found = json.loads(kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"])
        is_renewed = kms.get_key_rotation_status(KeyId=key)["KeyRotationEnabled"]
    kept = partial(Finding, kind="kms key", name=alias)
    if not same_policy(found, policy):
        yield kept(
            path="policy",
            expected=json.dumps(policy["Statement"]),
            found=json.dumps(found.get("Statement")),
            next_step="find out who wrote it and why; then give it the policy that `firnline bootstrap` renders",
        )
    if not is_renewed:
        step = f"aws kms enable-key-rotation --key-id {key}, as an administrator"
        yield kept(path="rotation", expected="each year", found="none", next_step=step)


def _key_of(kms: Any, alias: str, action: str) -> str | None:
    answer: Any = if_there(action, f"key {alias}", kms.describe_key, KeyId=alias)
    return None if answer is None else str(answer["KeyMetadata"]["KeyId"])


def policy_findings(policy: ResourcePolicy) -> Iterator[Finding]:
    """Raises AwsRefused."""
    text = if_there(policy.action, f"{policy.kind} {policy.name}", policy.ask)
    if text and json.loads(text).get("Statement"):
        yield Finding(
            kind=policy.kind,
            name=policy.name,
            path="resource policy",
            expected=NOTHING,
            found=text,
            next_step="find out who wrote it and why; then delete it (delete-resource-policy)",
        )
