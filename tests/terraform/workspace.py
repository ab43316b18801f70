"""The module of an environment in a folder of its own, with its state beside it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firnline_infra.specification import load_spec
from firnline_infra.terraform import write_module
from firnline_infra.terraform.cli import TerraformCli
from firnline_local.terraform.serving import providing
from tests.pulumi.environments import Trial

LOCAL_STATE = {"terraform": {"backend": {"local": {}}}}


class Workspace(TerraformCli):
    """Of one trial."""

    def write(self, trial: Trial) -> None:
        """The module, from the specification as it is now."""
        write_module(load_spec(trial.spec_file), self.module)
        (self.module / "backend_override.tf.json").write_text(json.dumps(LOCAL_STATE))

    def planned(self) -> dict[str, Any]:
        """What an apply would change, by address: each with its actions and values."""
        file = self.module.with_name("plan")
        self.has_changes(file)
        changes = {each["address"]: each["change"] for each in self.plan(file)["resource_changes"]}
        return {address: each for address, each in changes.items() if each["actions"] != ["no-op"]}


@contextmanager
def workspace_of(trial: Trial, binary: Path, folder: Path) -> Iterator[Workspace]:
    with providing(trial.environment) as variables:
        workspace = Workspace(binary, folder / "module", {**variables, "TF_VAR_role_propagation_seconds": "0"})
        workspace.write(trial)
        workspace.init()
        yield workspace
