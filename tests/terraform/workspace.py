"""An environment of a trial as Terraform makes it, through the commands' own deployment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from firnline_infra.stack.deployment import Deployment
from firnline_infra.terraform.cli import TerraformCli
from firnline_infra.terraform.stack import TerraformStack
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.terraform.serving import providing
from tests.pulumi.environments import Trial


@dataclass
class Workspace:
    trial: Trial
    accounts: EmbeddedAccounts
    lines: list[str] = field(default_factory=list)

    @property
    def deployment(self) -> Deployment:
        """Anew from the file, which a test may have changed."""
        return Deployment.of(self.trial.spec_file, self.trial.stack, self.accounts, self.lines.append)

    @property
    def cli(self) -> TerraformCli:
        stack = self.deployment.stack
        assert isinstance(stack, TerraformStack)
        return stack.cli

    def planned(self, folder: Path, *, on_line: Callable[[str], None] | None = None) -> dict[str, Any]:
        """Returns what an apply would change, by address: each with its actions and values. `on_line` gets what is printed."""
        cli = replace(self.cli, on_line=on_line)
        cli.has_changes(folder / "plan")
        changes = {each["address"]: each["change"] for each in cli.plan(folder / "plan")["resource_changes"]}
        return {address: each for address, each in changes.items() if each["actions"] != ["no-op"]}


@contextmanager
def workspace_of(trial: Trial) -> Iterator[Workspace]:
    with providing(trial.environment) as variables:
        yield Workspace(trial, EmbeddedAccounts(trial.environment, terraform_providers=variables))
