"""Tests of what a specification adds is in the engine's policy and in the boundary as it is, and opens nothing else."""

from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.extra import extra_lines
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds.iam import POLICY
from firnline_infra.kinds.principals import adopted_policies
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.errors import ConfigError
from firnline_local.aws.policy import is_allowed
from tests.infra.specifications import smallest

LOOKUPS = "arn:aws:dynamodb:eu-central-1:123456789012:table/lookups"
STATES_KEY = "arn:aws:kms:eu-central-1:123456789012:key/1-2-3"
READ: dict[str, Any] = {
    "sid": "ReadLookups",
    "why": "a transform looks up prices",
    "actions": ["dynamodb:GetItem"],
    "resources": [LOOKUPS],
    "conditions": {"StringEquals": {"aws:SourceVpc": ["vpc-1", "vpc-2"]}},
}
DECRYPT = {**READ, "sid": "Open", "actions": ["kms:Decrypt"], "resources": [STATES_KEY], "conditions": {}}


def spec_with(*statements: dict[str, Any], **runtime: Any) -> EnvironmentSpec:
    return smallest(aws={"runtime": {"statements": list(statements), **runtime}})


def policies(spec: EnvironmentSpec) -> dict[str, list[dict[str, Any]]]:
    blueprint = blueprint_of(spec)
    found = {
        "engine": engine_policy(Environment.of(spec), None),
        "boundary": boundary_statements(blueprint),
        "deployer": deployer_statements(blueprint),
        "previewer": previewer_statements(blueprint),
    }
    return {name: policy_document(statements)["Statement"] for name, statements in found.items()}


def test_the_role_and_the_boundary_have_it_as_it_is_and_ci_has_nothing_of_it() -> None:
    before, after = policies(spec_with()), policies(spec_with(READ))
    added = {name: [each for each in after[name] if each not in before[name]] for name in after}
    own = {
        "Sid": "ExtraReadLookups",
        "Effect": "Allow",
        "Action": ["dynamodb:GetItem"],
        "Resource": [LOOKUPS],
        "Condition": {"StringEquals": {"aws:SourceVpc": ["vpc-1", "vpc-2"]}},
    }
    assert added == {"engine": [own], "boundary": [own], "deployer": [], "previewer": []}
    assert [each for each in before["engine"] if each not in after["engine"]] == []


@pytest.mark.parametrize("policy", ["engine", "boundary"])
def test_a_key_that_is_the_states_is_refused_by_its_alias(policy: str) -> None:
    statements = policies(spec_with(DECRYPT))[policy]

    def may(*aliases: str) -> bool:
        return is_allowed(statements, "kms:Decrypt", STATES_KEY, {"kms:ResourceAliases": aliases})

    assert may("alias/lookups")
    assert not may("alias/firnline-dev-state")
    assert not may("alias/lookups", "alias/firnline-dev-state")


@pytest.mark.parametrize("policy", ["engine", "boundary"])
def test_no_name_that_a_team_chooses_is_one_that_the_policy_has(policy: str) -> None:
    """IAM takes each statement's name once (MalformedPolicyDocument)."""
    sids = [each["Sid"] for each in policies(spec_with({**DECRYPT, "sid": "NeverStatesKey"}))[policy]]
    assert len(sids) == len(set(sids))


def test_the_users_and_the_adopted_roles_policies_have_it_too() -> None:
    (user,) = POLICY.instances(blueprint_of(spec_with(READ, trust="static-keys")))
    adopted = Environment.of(spec_with(READ, role_arn="arn:aws:iam::123456789012:role/team/engines"))
    for text in (user.arguments["policy"], adopted_policies(adopted)[Reference("adopted-role", "policy")]):
        assert "ExtraReadLookups" in {each.sid for each in text.statements}


def test_a_denial_takes_away_from_the_engine_and_not_from_the_roles_of_volumes() -> None:
    deny = {**READ, "sid": "NotFromElsewhere", "effect": "deny", "actions": ["kinesis:*"], "resources": ["*"]}
    deny["conditions"] = {"StringNotEquals": {"aws:SourceVpc": "vpc-1"}}
    found = policies(spec_with(deny))
    stream = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders"
    assert is_allowed(found["engine"], "kinesis:GetRecords", stream, {"aws:SourceVpc": "vpc-1"})
    assert not is_allowed(found["engine"], "kinesis:GetRecords", stream, {"aws:SourceVpc": "vpc-2"})
    assert "ExtraNotFromElsewhere" not in {each["Sid"] for each in found["boundary"]}


def test_whoever_reviews_reads_what_is_added_and_why() -> None:
    assert extra_lines(spec_with(READ).aws.runtime.statements) == (
        f"ExtraReadLookups allows the engine dynamodb:GetItem on {LOOKUPS} under conditions: a transform looks up prices",
    )


def test_what_is_added_counts_for_the_length_of_the_policy() -> None:
    many = [{**READ, "sid": f"Read{number}", "resources": [f"{LOOKUPS}{number}"]} for number in range(60)]
    with pytest.raises(ConfigError) as refused:
        blueprint_of(spec_with(*many))
    assert "IAM takes 10240 for a role" in str(refused.value)
