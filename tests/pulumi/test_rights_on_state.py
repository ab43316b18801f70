"""Pulumi's state in S3 under the rights that a bootstrap gives: all that the engine asks for, and nothing besides.

The engine's calls are signed by keys that the embedded AWS holds to the policies of CI's two roles.
"""

import re
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.value import Value
from firnline_infra.environment import Environment
from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.pulumi_cli.errors import CommandFailed
from firnline_infra.render.bootstrap.deployer import STATE_KEY_ARN, deployer_statements, previewer_statements
from firnline_infra.render.bootstrap.template import secrets_provider
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.names import bootstrap_names
from firnline_infra.stack.stack import Stack
from firnline_local.pulumi import admission
from firnline_local.pulumi.home import PulumiHome
from firnline_local.running import RunningEnvironment
from tests.iam.running import calls_of, enforce_statements
from tests.pulumi.trial_project import STACK, TrialProject

from .conftest import make_project

pytestmark = pytest.mark.pulumi

PROGRAM = """
import pulumi
from firnline_infra.pulumi import providers
from firnline_infra.specification import parse_spec

providers(parse_spec(pulumi.Config().require("specification"), "state.yaml"))
pulumi.export("made", True)
pulumi.export("hidden", pulumi.Output.secret("told to nobody"))
"""
ABOUT_STATE = {"ListState", "State", "StateKey"}
S3_ASKS_ITSELF = {"kms:GenerateDataKey"}
"""For the bucket's encryption, which the embedded S3 does not have."""
SECRET = "4711-of-the-environment"
HELD = {"SNOWFLAKE_PASSWORD": SECRET, "SNOWFLAKE_PRIVATE_KEY_PASSPHRASE": SECRET, "SNOWFLAKE_TOKEN": SECRET}


@pytest.fixture
def specification(local_environment: RunningEnvironment) -> str:
    name, endpoints = f"state-{uuid.uuid4().hex[:8]}", local_environment.endpoints
    return f"""
        version: 1
        name: {name}
        aws: {{region: {endpoints.region}, account: "{endpoints.aws_account}"}}
        snowflake: {{account: {endpoints.snowflake_account}, warehouse: COMPUTE_WH}}
        streams: [{{name: {name}}}]
        pipelines: [{{stream: {name}, database: LAKE, schema: RAW}}]
        """


@pytest.fixture
def spec(local_environment: RunningEnvironment, specification: str) -> EnvironmentSpec:
    """An environment: its state's bucket and key are there, and nothing is in them."""
    spec = parse_spec(specification, "state.yaml")
    local_environment.client("s3").create_bucket(Bucket=bootstrap_names(spec).state_bucket)
    kms = local_environment.client("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    kms.create_alias(AliasName=f"alias/{bootstrap_names(spec).state_key_alias}", TargetKeyId=key)
    return spec


class Ci:
    """The two roles, each with a key of its own."""

    def __init__(self, environment: RunningEnvironment, spec: EnvironmentSpec, project: TrialProject) -> None:
        self.environment, self.project = environment, project
        self.name, self.encryption = spec.name, secrets_provider(Environment.of(spec))
        self.keys = {role: f"{role}{spec.name}" for role in ("deploy", "preview")}
        alias = f"alias/{bootstrap_names(spec).state_key_alias}"
        key = environment.client("kms").describe_key(KeyId=alias)["KeyMetadata"]["Arn"]
        self.statements = {
            role: policy_document(policy(blueprint_of(spec)), _made_with(key))["Statement"]
            for role, policy in {"deploy": deployer_statements, "preview": previewer_statements}.items()
        }
        for role, key in self.keys.items():
            principal = f"arn:aws:iam::{spec.aws.account}:role/{role}"
            enforce_statements(environment, key, principal=principal, statements=self.statements[role])
        place = f"region={spec.aws.region}&endpoint={environment.endpoints.aws}&use_path_style=true"
        self.backend = f"s3://{bootstrap_names(spec).state_bucket}?{place}"
        self.mark = calls_of(environment).mark

    def cli(self, role: str) -> PulumiCli:
        own = {
            **HELD,
            "PULUMI_BACKEND_URL": self.backend,
            "AWS_ACCESS_KEY_ID": self.keys[role],
            "AWS_ENDPOINT_URL_KMS": self.environment.endpoints.aws,
        }
        variables = {**self.project.cli.variables, **admission.variables(self.environment), **own}
        return replace(self.project.cli, variables={**variables, "PULUMI_CONFIG_PASSPHRASE": "of nothing"})

    def check_out(self) -> None:
        """The settings as they are committed before the first `up`."""
        settings = self.project.folder / f"Pulumi.{STACK}.yaml"
        kept = {"secretsprovider": self.encryption, "config": yaml.safe_load(settings.read_text())["config"]}
        settings.write_text(yaml.safe_dump(kept))

    def objects(self) -> str:
        """All that was ever written to the bucket."""
        s3, bucket = self.environment.client("s3"), self.backend.removeprefix("s3://").partition("?")[0]
        keys = [each["Key"] for each in s3.list_objects_v2(Bucket=bucket)["Contents"]]
        return "".join(s3.get_object(Bucket=bucket, Key=key)["Body"].read().decode() for key in keys)

    def asked(self, role: str) -> set[str]:
        return {action for action, _ in calls_of(self.environment, self.mark).accesses(access_key=self.keys[role])}

    def allowed(self, role: str) -> set[str]:
        about = [each for each in self.statements[role] if each["Sid"] in ABOUT_STATE]
        return {action for each in about for action in each["Action"]} - S3_ASKS_ITSELF


def _variable(name: str) -> str:
    """privateKeyPassphrase is SNOWFLAKE_PRIVATE_KEY_PASSPHRASE."""
    return f"SNOWFLAKE_{re.sub(r'(?=[A-Z])', '_', name).upper()}"


def _made_with(state_key: str) -> Callable[[Value], str]:
    """Puts the key of the state in, as CloudFormation does."""
    return lambda value: state_key if value == STATE_KEY_ARN else str(value)


@pytest.fixture
def ci(
    tmp_path: Path,
    pulumi_binary: Path,
    pulumi_home: PulumiHome,
    local_environment: RunningEnvironment,
    spec: EnvironmentSpec,
    specification: str,
) -> Ci:
    project = make_project(tmp_path, pulumi_binary, pulumi_home, {})
    project.write(PROGRAM, specification=specification)
    ci = Ci(local_environment, spec, project)
    ci.check_out()
    return ci


def test_a_deployer_does_everything_with_a_stack_and_a_previewer_reads_it(ci: Ci) -> None:
    deployer, previewer = ci.cli("deploy"), ci.cli("preview")
    deployer.init(STACK, secrets_provider=ci.encryption)
    deployer.up(STACK, refresh=True)
    ci.check_out()  # nobody has committed what Pulumi added
    Stack(previewer, STACK, ci.encryption, ci.project.folder / f"Pulumi.{STACK}.yaml").init()
    previewer.preview(STACK, refresh=True)
    state = previewer.export(STACK)["deployment"]
    assert state["secrets_providers"]["type"] == "cloud"
    assert state["secrets_providers"]["state"]["url"] == ci.encryption
    assert deployer.outputs(STACK) == {"made": True, "hidden": "[secret]"}
    providers = [each for each in state["resources"] if each["type"].startswith("pulumi:providers:")]
    assert len(providers) == 2
    assert not any(HELD.keys() & {_variable(name) for name in each["inputs"]} for each in providers)
    told = ci.objects()
    assert SECRET not in told
    assert "told to nobody" not in told
    deployer.drop_pending_operations(STACK)  # what `firnline up` does after a killed one
    deployer.cancel(STACK)
    deployer.destroy(STACK)
    deployer.remove(STACK)
    assert ci.asked("deploy") == ci.allowed("deploy")
    assert ci.asked("preview") == ci.allowed("preview")


@pytest.mark.slow
def test_a_previewer_changes_no_state(ci: Ci) -> None:
    with pytest.raises(CommandFailed, match="s3:PutObject"):
        ci.cli("preview").init(STACK, secrets_provider=ci.encryption)
    ci.cli("deploy").init(STACK, secrets_provider=ci.encryption)
    with pytest.raises(CommandFailed, match="s3:PutObject"):
        ci.cli("preview").up(STACK)
