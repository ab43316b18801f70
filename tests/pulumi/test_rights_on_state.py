"""Pulumi's state in S3 under the rights that a bootstrap gives: all that the engine asks for, and nothing besides.

The engine's calls are signed by keys that the embedded AWS holds to the policies of CI's two roles.
"""

import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.pulumi_cli.errors import CommandFailed
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.names import bootstrap_names
from firnline_local.pulumi.home import PulumiHome
from firnline_local.running import RunningEnvironment
from tests.iam.running import calls_of, enforce_statements
from tests.pulumi.trial_project import STACK, TrialProject

from .conftest import make_project

pytestmark = pytest.mark.pulumi

PROGRAM = "import pulumi\npulumi.export('made', True)\n"
ABOUT_STATE = {"ListState", "State"}


@pytest.fixture
def spec(local_environment: RunningEnvironment) -> EnvironmentSpec:
    """Its state's bucket is there, and empty."""
    name, endpoints = f"state-{uuid.uuid4().hex[:8]}", local_environment.endpoints
    spec = parse_spec(
        f"""
        version: 1
        name: {name}
        aws: {{region: {endpoints.region}, account: "{endpoints.aws_account}"}}
        snowflake: {{account: ORG-ACCOUNT}}
        streams: [{{name: {name}}}]
        pipelines: [{{stream: {name}, database: LAKE, schema: RAW}}]
        """,
        "state.yaml",
    )
    local_environment.client("s3").create_bucket(Bucket=bootstrap_names(spec).state_bucket)
    return spec


class Ci:
    """The two roles, each with a key of its own."""

    def __init__(self, environment: RunningEnvironment, spec: EnvironmentSpec, project: TrialProject) -> None:
        self.environment, self.project = environment, project
        self.keys = {role: f"{role}{spec.name}" for role in ("deploy", "preview")}
        self.statements = {
            role: policy_document(policy(spec, blueprint_of(spec)))["Statement"]
            for role, policy in {"deploy": deployer_statements, "preview": previewer_statements}.items()
        }
        for role, key in self.keys.items():
            principal = f"arn:aws:iam::{spec.aws.account}:role/{role}"
            enforce_statements(environment, key, principal=principal, statements=self.statements[role])
        place = f"region={spec.aws.region}&endpoint={environment.endpoints.aws}&use_path_style=true"
        self.backend = f"s3://{bootstrap_names(spec).state_bucket}?{place}"
        self.mark = calls_of(environment).mark

    def cli(self, role: str) -> PulumiCli:
        own = {"PULUMI_BACKEND_URL": self.backend, "AWS_ACCESS_KEY_ID": self.keys[role]}
        return replace(self.project.cli, variables={**self.project.cli.variables, **own})

    def asked(self, role: str) -> set[str]:
        return {action for action, _ in calls_of(self.environment, self.mark).accesses(access_key=self.keys[role])}

    def allowed(self, role: str) -> set[str]:
        return {action for each in self.statements[role] if each["Sid"] in ABOUT_STATE for action in each["Action"]}


@pytest.fixture
def ci(
    tmp_path: Path,
    pulumi_binary: Path,
    pulumi_home: PulumiHome,
    local_environment: RunningEnvironment,
    spec: EnvironmentSpec,
) -> Ci:
    project = make_project(tmp_path, pulumi_binary, pulumi_home, {})
    project.write(PROGRAM)
    return Ci(local_environment, spec, project)


def test_a_deployer_does_everything_with_a_stack_and_a_previewer_reads_it(ci: Ci) -> None:
    deployer, previewer = ci.cli("deploy"), ci.cli("preview")
    deployer.init(STACK)
    deployer.up(STACK, refresh=True)
    previewer.preview(STACK, refresh=True)
    assert previewer.export(STACK)["deployment"]
    assert deployer.outputs(STACK) == {"made": True}
    deployer.drop_pending_operations(STACK)  # what `firnline up` does after a killed one
    deployer.cancel(STACK)
    deployer.destroy(STACK)
    deployer.remove(STACK)
    assert ci.asked("deploy") == ci.allowed("deploy")
    assert ci.asked("preview") == ci.allowed("preview")


def test_a_previewer_changes_no_state(ci: Ci) -> None:
    with pytest.raises(CommandFailed, match="s3:PutObject"):
        ci.cli("preview").init(STACK)
    ci.cli("deploy").init(STACK)
    with pytest.raises(CommandFailed, match="s3:PutObject"):
        ci.cli("preview").up(STACK)
