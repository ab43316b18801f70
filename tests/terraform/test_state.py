"""A state in S3 with its lock, by the real CLIs, under the rights that a bootstrap gives: all that they ask for, no more.

The module holds no provider: only where its state lies is tried here.
"""

import json
import uuid
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.render.bootstrap.deployer import STATE_KEY_ARN, deployer_statements, previewer_statements
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.names import Names, bootstrap_names
from firnline_infra.stack.errors import OtherTool
from firnline_infra.stack.other_tool import PULUMI, held_by_other_tool
from firnline_infra.stack.stack import _terraform_variables
from firnline_infra.terraform import module_files
from firnline_infra.terraform.cli import TerraformCli
from firnline_infra.terraform.errors import TerraformFailed
from firnline_infra.terraform.module import state_key
from firnline_infra.terraform.stack import TERRAFORM
from firnline_local.running import RunningEnvironment
from tests.iam.running import calls_of, enforce_statements

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(300)]
ROLES = {"deploy": deployer_statements, "preview": previewer_statements}
HELD = {"resource": {"terraform_data": {"held": {"input": "x"}}}, "output": {"given": {"value": "y"}}}
UNASKED = dict.fromkeys(
    ("skip_credentials_validation", "skip_requesting_account_id", "skip_metadata_api_check", "use_path_style"), True
)


class Workspace:
    def __init__(self, environment: RunningEnvironment, binary: Path, folder: Path) -> None:
        name, endpoints = f"state-{uuid.uuid4().hex[:8]}", environment.endpoints
        self.environment, self.binary, self.module = environment, binary, folder / "module"
        self.spec = parse_spec(
            f"""
            version: 1
            name: {name}
            aws: {{region: {endpoints.region}, account: "{endpoints.aws_account}"}}
            snowflake: {{account: {endpoints.snowflake_account}, warehouse: COMPUTE_WH}}
            streams: [{{name: {name}}}]
            pipelines: [{{stream: {name}, database: LAKE, schema: RAW}}]
            """,
            "state.yaml",
        )
        self.s3, self.bucket = environment.client("s3"), bootstrap_names(self.spec).state_bucket
        self.s3.create_bucket(Bucket=self.bucket)
        self.statements = {role: statements(self.spec, role) for role in ROLES}
        for role, allowed in self.statements.items():
            principal = f"arn:aws:iam::{self.spec.aws.account}:role/{role}"
            enforce_statements(environment, f"{role}{name}", principal=principal, statements=allowed)
        self.mark = calls_of(environment).mark
        self.module.mkdir()
        self.write()

    def write(self, **changes: Any) -> None:
        """The backend is the module's; only where AWS is differs."""
        providers = json.loads(module_files(self.spec)["providers.tf.json"])
        place = {**UNASKED, "endpoints": {"s3": self.environment.endpoints.aws}}
        backend = {"s3": {**providers["terraform"]["backend"]["s3"], **place, **changes}}
        (self.module / "main.tf.json").write_text(json.dumps({**HELD, "terraform": {"backend": backend}}))

    def cli(self, role: str) -> TerraformCli:
        acting = {"SNOWFLAKE_ROLE": str(Names.of(self.spec).preview_role)} if role == "preview" else {}
        variables = _terraform_variables(self.spec, acting)
        keys = {"AWS_ACCESS_KEY_ID": f"{role}{self.spec.name}", "AWS_SECRET_ACCESS_KEY": "x"}
        return TerraformCli(self.binary, self.module, {**variables, **keys})

    def asked(self, role: str) -> set[str]:
        calls = calls_of(self.environment, self.mark)
        return {action for action, _ in calls.accesses(access_key=f"{role}{self.spec.name}")}

    def allowed(self, role: str) -> set[str]:
        """Returns the actions on a state; its key is S3's to use."""
        about = [each for each in self.statements[role] if each["Sid"] in ("ListState", "State")]
        return {action for each in about for action in each["Action"]}

    def held(self, ours: str) -> list[OtherTool]:
        return list(held_by_other_tool(self.spec, self.environment.client, ours))


def statements(spec: EnvironmentSpec, role: str) -> Any:
    key = f"arn:aws:kms:{spec.aws.region}:{spec.aws.account}:key/of-states"
    made = ROLES[role](blueprint_of(spec))
    return policy_document(made, lambda each: key if each == STATE_KEY_ARN else str(each))["Statement"]


@pytest.fixture
def workspace(local_environment: RunningEnvironment, each_binary: Path, tmp_path: Path) -> Workspace:
    return Workspace(local_environment, each_binary, tmp_path)


def test_a_deployer_keeps_a_state_and_a_previewer_reads_it_and_what_it_holds_is_a_marker(workspace: Workspace) -> None:
    deployer, previewer = workspace.cli("deploy"), workspace.cli("preview")
    deployer.init()
    deployer.apply()
    previewer.init()
    assert not previewer.has_changes()
    assert previewer.outputs() == {"given": "y"}
    with pytest.raises(TerraformFailed, match=r"(?s)PutObject.*log in as who deploys"):
        previewer.apply()
    (held,) = workspace.held(PULUMI)
    assert f"s3://{workspace.bucket}/{state_key(workspace.spec)} holds 1 resource." in str(held)
    assert workspace.held(TERRAFORM) == []
    deployer.destroy()
    assert workspace.held(PULUMI) == []
    assert workspace.asked("deploy") == workspace.allowed("deploy")
    assert workspace.asked("preview") - {"s3:PutObject"} == workspace.allowed("preview")


def test_what_became_of_a_state_is_said_with_what_to_do(workspace: Workspace) -> None:
    deployer, key = workspace.cli("deploy"), state_key(workspace.spec)

    def next_step(*command: str) -> str:
        with pytest.raises(TerraformFailed) as failed:
            deployer._run(*command)
        return str(failed.value.next_step)

    deployer.init()
    deployer.apply()
    lock = {"ID": "4711", "Operation": "OperationTypeApply", "Who": "ci@runner", "Version": "1.10.6", "Path": key}
    workspace.s3.put_object(Bucket=workspace.bucket, Key=f"{key}.tflock", Body=json.dumps(lock).encode())
    assert f"{workspace.module} force-unlock ID" in next_step("apply", "-auto-approve")
    workspace.s3.delete_object(Bucket=workspace.bucket, Key=f"{key}.tflock")

    state = json.loads(workspace.s3.get_object(Bucket=workspace.bucket, Key=key)["Body"].read())
    newer = {**state, "terraform_version": "99.0.0", "version": 5}
    workspace.s3.put_object(Bucket=workspace.bucket, Key=key, Body=json.dumps(newer).encode())
    assert "update the CLI" in next_step("plan")

    workspace.write(key="terraform/moved.tfstate")
    assert "init -migrate-state" in next_step("init")
    (workspace.module / ".terraform" / "terraform.tfstate").unlink()
    for each in (key, "terraform/moved.tfstate"):
        workspace.s3.delete_object(Bucket=workspace.bucket, Key=each)
    workspace.s3.delete_bucket(Bucket=workspace.bucket)
    assert "firnline bootstrap" in next_step("init")
