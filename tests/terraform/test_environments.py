"""Shipped environments through the real Terraform or OpenTofu: made, kept, repaired, removed; nothing else touched."""

import runpy
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.engine_config import document_hash
from firnline_infra.observe.changes import changes_table
from firnline_infra.observe.errors import AlreadyThere
from firnline_infra.stack.errors import DestroyRefused, NotDeployed
from firnline_infra.stack.program import PACKAGED
from firnline_infra.terraform.errors import TerraformFailed
from firnline_local.pulumi.in_process.application import ProgramApplication
from tests.pulumi.environments import survey, trial_of
from tests.terraform.drifts import DRIFTS
from tests.terraform.workspace import Workspace, workspace_of

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(600)]


def test_an_environment_is_made_kept_repaired_and_removed_without_a_trace(
    terraform_binary: Path, tmp_path: Path
) -> None:
    with trial_of("prod", tmp_path) as trial, workspace_of(trial) as terraform:
        before = survey(trial.environment)
        with pytest.raises(NotDeployed):
            terraform.deployment.outputs()
        outputs = terraform.deployment.up()
        assert trial.differences(outputs, before=before) == {}
        assert document_hash(outputs["engine_config"]) == outputs["engine_config_hash"]
        assert not terraform.deployment.preview(expect_no_changes=True).changes

        for drift in DRIFTS.values():
            drift(trial)
        lines: list[str] = []
        assert terraform.planned(tmp_path, on_line=lines.append).keys() == DRIFTS.keys()
        assert counted(lines) == len(DRIFTS)
        by_the_plan = {(step["op"], step["urn"].rpartition("::")[2]) for step in terraform.deployment.plan()["steps"]}
        assert {name for _, name in by_the_plan} == {address.rpartition(".")[2] for address in DRIFTS}
        assert {operation for operation, _ in by_the_plan} == {"create", "update"}
        assert terraform.deployment.up(refresh=True) == outputs
        assert terraform.planned(tmp_path) == {}
        assert trial.differences(outputs, before=before) == {}

        with pytest.raises(DestroyRefused):
            terraform.deployment.destroy()
        with pytest.raises(TerraformFailed, match="prevent_destroy"):
            terraform.cli.destroy()
        trial.spec_file.write_text(
            trial.spec_file.read_text().replace("durability: PROTECTED", "durability: EPHEMERAL")
        )
        with pytest.raises(DestroyRefused):
            terraform.deployment.destroy()  # the cloud itself still refuses to delete the ledger
        terraform.deployment.up()
        terraform.deployment.destroy()
        assert survey(trial.environment) == {name: facts for name, facts in before.items() if "secret" not in name}


def test_an_environment_is_made_by_one_tool_and_refused_to_the_other(terraform_binary: Path, tmp_path: Path) -> None:
    with trial_of("dev", tmp_path) as trial, workspace_of(trial) as terraform:
        made = ProgramApplication(trial.environment)

        def program() -> None:
            runpy.run_path(str(PACKAGED / "__main__.py"), run_name="__main__")

        made.up(program, stack="dev", project="firnline", config={"firnline:spec": str(trial.spec_file)})
        with pytest.raises(AlreadyThere, match="stream orders"):
            terraform.deployment.up()
        assert [type(each) for each in terraform.deployment.preview().refusals] == [AlreadyThere]


def counted(lines: list[str]) -> int:
    """Counts the changes as `firnline preview` does, in what the tool prints."""
    return sum(int(cell) for row in changes_table(lines).splitlines()[2:] for cell in row.split() if cell.isdigit())


def test_the_state_has_when_terraform_made_the_ledger_and_the_streams(terraform_binary: Path, tmp_path: Path) -> None:
    """A later one of the name is somebody's (`firnline drift`), until Terraform makes one itself."""
    with trial_of("dev", tmp_path) as trial, workspace_of(trial) as terraform:
        terraform.deployment.up()
        made = times_of(terraform)
        assert made.keys() == {"aws:dynamodb/table:Table", "aws:kinesis/stream:Stream"}
        assert not terraform.cli.has_changes()
        dynamodb, name = (
            trial.environment.client("dynamodb"),
            blueprint_of(terraform.deployment.spec).names.ledger_table,
        )
        created = dynamodb.describe_table(TableName=name)["Table"]["CreationDateTime"]
        assert created <= made["aws:dynamodb/table:Table"] + timedelta(seconds=1)
        dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)
        dynamodb.delete_table(TableName=name)
        terraform.cli.apply()
        again = times_of(terraform)
        assert again["aws:dynamodb/table:Table"] > made["aws:dynamodb/table:Table"]
        assert again["aws:kinesis/stream:Stream"] == made["aws:kinesis/stream:Stream"]


def times_of(terraform: Workspace) -> dict[str, datetime]:
    state = terraform.deployment.stack.state() or {}
    found = [each for each in state["deployment"]["resources"] if "created" in each]
    return {each["type"]: datetime.fromisoformat(each["created"]) for each in found}
