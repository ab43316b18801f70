"""The KMS key that a bootstrap makes for an environment, made in the embedded AWS as its template says."""

import json
from typing import Any

from firnline_infra.blueprint import blueprint_of
from firnline_infra.render.bootstrap import template
from firnline_infra.render.bootstrap.ci_provider import GitHub
from firnline_infra.specification import EnvironmentSpec


def environment_key(kms: Any, spec: EnvironmentSpec) -> str | None:
    """Returns the key's ARN, and creates the key where its alias leads nowhere yet. None where the environment has no key of a
    bootstrap's."""
    blueprint = blueprint_of(spec)
    if blueprint.key is None:
        return None
    alias = f"alias/{blueprint.key.alias}"
    try:
        return str(kms.describe_key(KeyId=alias)["KeyMetadata"]["Arn"])
    except kms.exceptions.NotFoundException:
        pass
    made = template(blueprint, provider=GitHub(repository="embedded/embedded"))["Resources"]["EnvironmentKey"][
        "Properties"
    ]
    key = kms.create_key(
        Description=made["Description"],
        Policy=json.dumps(made["KeyPolicy"]),
        Tags=[{"TagKey": tag["Key"], "TagValue": tag["Value"]} for tag in made["Tags"]],
    )["KeyMetadata"]
    kms.enable_key_rotation(KeyId=key["KeyId"])
    kms.create_alias(AliasName=alias, TargetKeyId=key["KeyId"])
    return str(key["Arn"])


def with_environment_key(kms: Any, spec: EnvironmentSpec) -> EnvironmentSpec:
    """The specification as it is once the key is recorded beside it."""
    if (arn := environment_key(kms, spec)) is None:
        return spec
    key = spec.aws.key.model_copy(update={"arn": arn})
    return spec.model_copy(update={"aws": spec.aws.model_copy(update={"key": key})})
