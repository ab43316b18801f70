from typing import Any

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.bootstrap import template
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.runtime import Trust

UNATTACHED = {"Boundary", "KeysPolicy"}


def resources(spec: EnvironmentSpec) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = template(spec, blueprint_of(spec), repository="acme/data")["Resources"]
    return found


def test_what_holds_state_outlives_the_stack(prod_spec: EnvironmentSpec) -> None:
    made = resources(prod_spec)
    assert {name for name, each in made.items() if each.get("DeletionPolicy") == "Retain"} == {
        "StateKey",
        "StateKeyAlias",
        "StateBucket",
        "GitHubProvider",
    }


def test_a_boundary_of_ones_own_is_not_made_again(prod_spec: EnvironmentSpec, small_spec: EnvironmentSpec) -> None:
    assert "Boundary" in resources(prod_spec)
    assert "Boundary" not in resources(small_spec)


def test_each_role_is_opened_by_one_environment_of_one_repository(prod_spec: EnvironmentSpec) -> None:
    for role, environment in {"DeployRole": "prod", "PreviewRole": "prod-preview"}.items():
        (trust,) = resources(prod_spec)[role]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        assert trust["Condition"] == {
            "StringEquals": {
                "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
                "token.actions.githubusercontent.com:sub": f"repo:acme/data:environment:{environment}",
            }
        }


def test_the_roles_have_every_policy_that_was_made_for_them(prod_spec: EnvironmentSpec) -> None:
    made = resources(prod_spec)
    attached = [
        each["Ref"] for role in ("DeployRole", "PreviewRole") for each in made[role]["Properties"]["ManagedPolicyArns"]
    ]
    policies = [
        name for name, each in made.items() if each["Type"] == "AWS::IAM::ManagedPolicy" and name not in UNATTACHED
    ]
    assert sorted(attached) == sorted(policies)


def test_the_policy_of_who_keeps_the_keys_is_for_an_administrator_to_attach(prod_spec: EnvironmentSpec) -> None:
    made = resources(prod_spec)
    assert made["KeysPolicy"]["Properties"]["ManagedPolicyName"] == "keys-firnline-prod"
    assert template(prod_spec, blueprint_of(prod_spec), repository="acme/data")["Outputs"]["KeysPolicy"]


def test_an_environment_without_secrets_has_no_keys_to_keep(small_spec: EnvironmentSpec) -> None:
    runtime = small_spec.aws.runtime.model_copy(update={"trust": Trust.NOBODY})
    spec = small_spec.model_copy(update={"aws": small_spec.aws.model_copy(update={"runtime": runtime})})
    made = template(spec, blueprint_of(spec), repository="acme/data")
    assert "KeysPolicy" not in {**made["Resources"], **made["Outputs"]}
