"""Shipped environments through the real Terraform or OpenTofu: made, kept, repaired, removed; nothing else touched."""

from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint.engine_config import document_hash
from firnline_infra.terraform.errors import TerraformFailed
from tests.pulumi.environments import Trial, survey, trial_of
from tests.terraform.drifts import DRIFTS
from tests.terraform.workspace import workspace_of

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(600)]


def differences(trial: Trial, outputs: dict[str, Any], before: Any) -> dict[str, Any]:
    """What was asked for and is not so, but the configuration's object, which `firnline deploy` puts into the bucket."""
    found = trial.differences(outputs, before=before)
    for name, (asked, there) in list(found.items()):
        if asked and there and {**asked, "objects": ()} == {**there, "objects": ()}:
            assert (asked["objects"], there["objects"]) == ([f"configuration/{outputs['engine_config_hash']}.json"], [])
            del found[name]
    return found


def test_an_environment_is_made_kept_repaired_and_removed_without_a_trace(
    terraform_binary: Path, tmp_path: Path
) -> None:
    with trial_of("prod", tmp_path) as trial, workspace_of(trial, terraform_binary, tmp_path) as terraform:
        before = survey(trial.environment)
        terraform.apply()
        outputs = terraform.outputs()
        assert differences(trial, outputs, before) == {}
        assert document_hash(outputs["engine_config"]) == outputs["engine_config_hash"]
        assert terraform.planned() == {}

        for drift in DRIFTS.values():
            drift(trial)
        assert terraform.planned().keys() == DRIFTS.keys()
        terraform.apply()
        assert terraform.planned() == {}
        assert differences(trial, outputs, before) == {}

        with pytest.raises(TerraformFailed, match="prevent_destroy"):
            terraform.destroy()
        trial.spec_file.write_text(
            trial.spec_file.read_text().replace("durability: PROTECTED", "durability: EPHEMERAL")
        )
        terraform.write(trial)
        terraform.apply()
        terraform.destroy()
        assert survey(trial.environment) == {name: facts for name, facts in before.items() if "secret" not in name}
