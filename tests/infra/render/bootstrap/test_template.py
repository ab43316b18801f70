import json
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam.length import MANAGED
from firnline_infra.render.bootstrap import template
from firnline_infra.render.bootstrap.ci_provider import GitHub
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.runtime import Trust
from firnline_ingest.errors import ConfigError
from firnline_local.aws.policy import hold, is_allowed_on
from tests.infra.specifications import changed, pipeline, smallest


def made_of(spec: EnvironmentSpec) -> dict[str, dict[str, Any]]:
    return template(blueprint_of(spec), provider=GitHub(repository="acme/data"))


def resources(spec: EnvironmentSpec) -> dict[str, dict[str, Any]]:
    return made_of(spec)["Resources"]


def with_users_of_pipelines() -> EnvironmentSpec:
    names = ("orders", "clicks")
    return smallest(
        name="shared",
        aws={"key": {"origin": "adopt", "arn": "arn:aws:kms:eu-central-1:123456789012:key/k"}},
        streams=[{"name": name} for name in names],
        pipelines=[pipeline(name, ingest={}) for name in names],
    )


def test_no_two_statements_of_a_policy_have_one_name(every_spec: tuple[EnvironmentSpec, ...]) -> None:
    """IAM refuses such a policy, and CloudFormation the whole stack."""
    for spec in (*every_spec, with_users_of_pipelines()):
        for logical, each in resources(spec).items():
            names = [one["Sid"] for one in each["Properties"].get("PolicyDocument", {}).get("Statement", [])]
            assert len(set(names)) == len(names), logical


def test_who_replays_dead_letters_opens_the_key_of_every_pipelines_user() -> None:
    statements = resources(with_users_of_pipelines())["DeadLettersPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    (opening,) = (each for each in statements if each["Action"] == ["secretsmanager:GetSecretValue"])
    secrets = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:firnline-shared/snowflake/ingest"
    assert opening["Resource"] == [f"{secrets}/orders-??????", f"{secrets}/clicks-??????"]


def test_the_template_is_the_same_once_the_key_is_recorded(prod_spec: EnvironmentSpec) -> None:
    recorded = changed(prod_spec, "aws.key.arn", "arn:aws:kms:eu-central-1:123456789012:key/1")
    assert made_of(recorded) == made_of(prod_spec)


def test_the_keys_own_policy_refuses_the_environments_principals_what_an_administrator_does(
    prod_spec: EnvironmentSpec,
) -> None:
    """Whatever IAM gives them some day. Grants are DynamoDB's, for a table."""
    own = resources(prod_spec)["EnvironmentKey"]["Properties"]["KeyPolicy"]["Statement"]
    arn, account = "arn:aws:kms:eu-central-1:123456789012:key/1", "arn:aws:iam::123456789012:"
    everything = [{"Effect": "Allow", "Action": ["kms:*"], "Resource": ["*"]}]

    def may(action: str, role: str, **told: str) -> bool:
        principal = f"{account}role/{role}"
        context = {"aws:PrincipalArn": principal, **told}
        return is_allowed_on(own, everything, action, arn, principal=principal, context=context, needs_own=True)

    for role in ("deploy-firnline-prod", "preview-firnline-prod", "firnline-prod-engine", "firnline-prod-lake-volume"):
        assert not may("kms:PutKeyPolicy", role)
        assert not may("kms:ScheduleKeyDeletion", role)
        for action in ("kms:EnableKey", "kms:ReplicateKey", "kms:DeleteImportedKeyMaterial", "kms:RotateKeyOnDemand"):
            assert not may(action, role)
        for action in ("kms:CreateGrant", "kms:RevokeGrant"):
            assert not may(action, role, **{"kms:GrantIsForAWSResource": "false"})
            assert not may(action, role)
        assert may("kms:CreateGrant", role, **{"kms:GrantIsForAWSResource": "true"})
        assert may("kms:Decrypt", role)
    assert may("kms:PutKeyPolicy", "administrator")


def test_no_job_of_a_pull_request_is_let_in_without_the_environment_for_previews(prod_spec: EnvironmentSpec) -> None:
    """GitHub makes an environment that a job names and that is not there, without reviewers: none but those two is named."""
    made = template(blueprint_of(prod_spec), provider=GitHub(repository="acme/data", branch="release/2"))["Resources"]
    (trust,) = made["PreviewRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    issuer = "token.actions.githubusercontent.com"

    def conditions(subject: str) -> bool:
        told = {f"{issuer}:aud": "sts.amazonaws.com", f"{issuer}:sub": f"repo:acme/data:{subject}"}
        return hold(trust["Condition"], told)

    assert conditions("environment:prod-preview")
    assert conditions("ref:refs/heads/release/2")
    for subject in ("environment:prod-drift", "pull_request", "ref:refs/heads/feature", "ref:refs/heads/main"):
        assert not conditions(subject)


def alarmed(streams: int, name: str = "many", **of_each: Any) -> EnvironmentSpec:
    """An environment with a pipeline and alarms for each stream."""
    names = [f"clicks-{number}" for number in range(streams)]
    return smallest(
        name=name,
        aws={"bucket": {"name": "lake"}},
        streams=[{"name": stream, **of_each} for stream in names],
        pipelines=[pipeline(stream) for stream in names],
        alarms={"topics": ["arn:aws:sns:eu-central-1:123456789012:on-call"]},
        metrics={"cloudwatch": True},
    )


def test_policies_beyond_the_ninth_have_names_of_their_own() -> None:
    made = resources(alarmed(55))
    policies = [each["Properties"] for each in made.values() if each["Type"] == "AWS::IAM::ManagedPolicy"]
    names = [each["ManagedPolicyName"] for each in policies]
    assert {"deploy-firnline-many-1", "deploy-firnline-many-11"} <= set(names)
    assert len(set(names)) == len(names)


def test_more_policies_than_a_role_ever_takes_are_refused() -> None:
    told = r"role deploy-firnline-many would have \d+ managed policies, and IAM takes 25"
    spec = alarmed(200, consumers=[f"team-{each}" for each in range(9)])
    with pytest.raises(ConfigError, match=told):
        resources(changed(spec, "pipelines", spec.pipelines[:1]))


def test_what_the_bootstrap_makes_has_names_that_aws_takes() -> None:
    with pytest.raises(ConfigError) as refused:
        resources(alarmed(1, name="a" * 29))
    (problem,) = refused.value.problems
    assert problem.startswith("name: gives the bucket of the state the name 'firnline-aaa")
    assert problem.endswith("of 70 characters; 63 are allowed. Shorten name by 7.")


def test_an_environment_without_secrets_has_no_keys_to_keep(small_spec: EnvironmentSpec) -> None:
    made = made_of(changed(small_spec, "aws.runtime.trust", Trust.NOBODY))
    assert "KeysPolicy" not in {**made["Resources"], **made["Outputs"]}


def test_the_policy_of_who_replays_letters_is_as_long_as_iam_takes() -> None:
    """With the logins of many registries, each with a key of its own."""
    secret = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:registries"
    key = "arn:aws:kms:eu-central-1:123456789012:key"

    def reading(stream: str, number: int) -> dict[str, Any]:
        login = {
            "secret_arn": f"{secret}/the-login-of-the-registry-of-{stream}-AbCdEf",
            "secret_key_arn": f"{key}/{number:08}-0000-0000-0000-000000000000",
        }
        registry = {"url": f"https://{stream}.example.com", "login": login}
        return pipeline(stream, format={"type": "avro", "framing": "confluent", "registry": registry})

    names = [f"o{number}" for number in range(16)]
    pipelines = [reading(name, number) for number, name in enumerate(names)]
    made = made_of(smallest(name="many", streams=[{"name": name} for name in names], pipelines=pipelines))
    lengths = {
        name: len(json.dumps(each["Properties"]["PolicyDocument"], separators=(",", ":")))
        for name, each in made["Resources"].items()
        if name.startswith("DeadLettersPolicy")
    }
    assert list(lengths) == ["DeadLettersPolicy", "DeadLettersPolicy2"]
    assert max(lengths.values()) <= MANAGED
    assert set(lengths) <= set(made["Outputs"])
