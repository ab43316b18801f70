"""An environment moves from Terraform to Pulumi and back, by both real engines: taken over by import ids, never created again.

It takes a minute or more, so that it is not in the suite: `scripts/terraform moving`.
"""

from pathlib import Path

import pytest

from firnline_infra.pulumi_cli.recovery.lookups import REPEATED
from tests.pulumi.conftest import pulumi_binary
from tests.pulumi.environments import survey, trial_of
from tests.terraform.workspace import workspace_of

__all__ = ["pulumi_binary"]
pytestmark = [pytest.mark.terraform, pytest.mark.pulumi, pytest.mark.timeout(600)]


def test_an_environment_moves_to_pulumi_and_back(terraform_binary: Path, pulumi_binary: Path, tmp_path: Path) -> None:
    objects = 11  # stream, ledger, bucket, role; database, schema, table, two users and their roles
    with trial_of("dev", tmp_path) as trial, workspace_of(trial) as terraform:
        terraform.deployment.up()
        made = survey(trial.environment)

        assert trial.deployment.import_existing() == (objects, 0)
        steps = {
            (step["op"], step["urn"].split("::")[2].rpartition("$")[2]) for step in trial.deployment.plan()["steps"]
        }
        assert {type_ for op, type_ in steps if op == "create"} <= REPEATED
        assert {op for op, _ in steps} <= {"create", "refresh", "same", "update"}
        assert survey(trial.environment) == made
        trial.deployment.up()
        assert not trial.deployment.preview(expect_no_changes=True).changes
        assert survey(trial.environment) == made

        (terraform.cli.module / "terraform.tfstate").unlink()
        assert terraform.deployment.import_existing() == (objects, 0)
        steps = {(step["op"], step["urn"].split("::")[2]) for step in terraform.deployment.plan()["steps"]}
        assert {type_ for op, type_ in steps if op == "create"} <= REPEATED
        assert {op for op, _ in steps} <= {"create", "update"}
        terraform.deployment.up()
        assert terraform.planned(tmp_path) == {}
        assert survey(trial.environment) == made
