"""The stack of an environment: its program, its state, and the CLI that runs it where the accounts say.

Nothing secret is in a state. What Pulumi encrypts all the same (an output that somebody marks) is encrypted with the key that
the bootstrap makes, or with what the stack's settings name (docs/deploy.md).
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from firnline_infra.accounts import Accounts
from firnline_infra.environment import Environment
from firnline_infra.pulumi_cli import PulumiCli, engine_variables, find_cli
from firnline_infra.pulumi_cli.errors import CommandFailed, NoSuchStack, UnexpectedChanges
from firnline_infra.render.bootstrap.template import secrets_provider
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.stack.errors import SecretsKeyOutOfReach
from firnline_infra.stack.other_tool import PULUMI
from firnline_infra.stack.program import PROGRAM, Program, complete, encryption_in, settings_of
from firnline_infra.stack.versions import check_packages, untested_packages
from firnline_infra.terraform.stack import TerraformStack

PASSPHRASES = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")
KMS = "awskms://"
PLAN_ARGUMENTS = "TF_CLI_ARGS_plan"
"""The variable from which Terraform and OpenTofu take further arguments of `plan`."""


@dataclass(frozen=True)
class Stack:
    cli: PulumiCli
    name: str
    encryption: str = "default"
    """What a new stack's secrets are encrypted with, as `pulumi stack init` takes it."""
    settings: Path | None = None
    """Pulumi.<stack>.yaml, where it is kept in a repository."""
    tool: ClassVar[str] = PULUMI

    @property
    def backend(self) -> str:
        return self.cli.variables.get("PULUMI_BACKEND_URL", "the backend that Pulumi is logged in to")

    @property
    def elsewhere(self) -> str:
        """Next step if the state is in another place."""
        return "set PULUMI_BACKEND_URL to where its state is"

    def state(self) -> dict[str, Any] | None:
        """Returns None if there is no such stack."""
        try:
            return self.cli.export(self.name)
        except NoSuchStack:
            return None

    def init(self) -> None:
        """Makes the stack unless it exists. Raises SecretsKeyOutOfReach."""
        if self.settings is not None and (state := self.state()) is not None:
            complete(self.settings, state)
            return
        try:
            self.cli.init(self.name, secrets_provider=self.encryption)
        except CommandFailed as failed:
            if self.encryption.startswith(KMS) and "KMS" in "".join(failed.lines):
                raise SecretsKeyOutOfReach(self.name, self.encryption, failed.lines) from failed
            raise

    def preview(self, *, refresh: bool, expect_no_changes: bool, save_plan: Path | None) -> bool:
        """Returns whether something would change where nothing was expected to; False if anything was."""
        try:
            self.cli.preview(self.name, refresh=refresh, expect_no_changes=expect_no_changes, save_plan=save_plan)
        except UnexpectedChanges:
            return True
        return False

    def up(self, accounts: Accounts, *, say: Callable[[str], None], refresh: bool, plan: Path | None) -> None:
        """Clears what a killed `up` has left first. Raises what the recovery and Pulumi raise."""
        from firnline_infra.pulumi_cli.recovery import recovered_up
        from firnline_infra.pulumi_cli.recovery.lookups import aws_lookups

        recovered_up(self.cli, self.name, say=say, lookups=aws_lookups(accounts.aws), refresh=refresh, plan=plan)

    def import_existing(self, accounts: Accounts, *, say: Callable[[str], None]) -> tuple[int, int]:
        """The number of objects that were taken into the state, and of those that exist and were left alone."""
        from firnline_infra.pulumi_cli.recovery import import_existing
        from firnline_infra.pulumi_cli.recovery.lookups import aws_lookups

        return import_existing(self.cli, self.name, say=say, lookups=aws_lookups(accounts.aws))

    def check(self, spec: EnvironmentSpec) -> None:
        """The stack's program reads the specification by itself."""

    def outputs(self) -> dict[str, Any]:
        return self.cli.outputs(self.name)

    def destroy(self) -> None:
        self.cli.destroy(self.name)

    def plan(self, without: tuple[str, ...] = ()) -> dict[str, Any]:
        """Pulumi's document of what `up` would change, and why."""
        return self.cli.plan(self.name, without=without)


def stack_of(
    spec: EnvironmentSpec, spec_file: Path, accounts: Accounts, *, on_line: Callable[[str], None]
) -> Stack | TerraformStack:
    """Raises PackagesTooOld, CliMissing, CliTooOld or NoProgram, and what `TerraformStack.of` raises."""
    if (module := accounts.terraform(spec.name, spec_file)) is not None:
        module = replace(module, variables={**_terraform_variables(spec, os.environ), **module.variables})
        return TerraformStack.of(spec, spec_file, module, on_line=on_line)
    check_packages()
    for line in untested_packages():
        on_line(line)
    place = accounts.pulumi(spec.name, spec_file)
    if place is None:
        return _committed(spec, spec_file, on_line)
    cli = PulumiCli(binary=place.binary, project=place.project, variables=dict(place.variables), on_line=on_line)
    return Stack(cli, spec.name)


def acting_role(spec: EnvironmentSpec, environ: Mapping[str, str]) -> str:
    """The one that deploys, whatever a shell has set; previews' own where that is asked for."""
    names, said = Names.of(spec), environ.get("SNOWFLAKE_ROLE")
    return str(names.preview_role if said == str(names.preview_role) else names.deploy_role)


def _terraform_variables(spec: EnvironmentSpec, environ: Mapping[str, str]) -> dict[str, str]:
    """The role of previews writes no lock, and what it plans changes nothing."""
    role = acting_role(spec, environ)
    variables = {"TF_VAR_snowflake_role": role}
    if role == str(Names.of(spec).preview_role):
        variables[PLAN_ARGUMENTS] = f"-lock=false {environ.get(PLAN_ARGUMENTS, '')}".strip()
    return variables


def _committed(spec: EnvironmentSpec, spec_file: Path, on_line: Callable[[str], None]) -> Stack:
    """The stack's secrets are encrypted with the bootstrap's key, or with what the settings say."""
    program = Program.committed(spec.name, spec_file, secrets_provider=secrets_provider(Environment.of(spec)))
    settings = settings_of(PROGRAM, spec.name)
    encryption = encryption_in(settings) or secrets_provider(Environment.of(spec))
    is_chosen = any(name in os.environ for name in PASSPHRASES)
    is_unsaid = encryption == "passphrase" and not is_chosen
    variables = engine_variables(passphrase="" if is_unsaid else None)
    variables["SNOWFLAKE_ROLE"] = acting_role(spec, variables)
    cli = PulumiCli(binary=find_cli(), project=program.folder, variables=variables, on_line=on_line)
    return Stack(cli, spec.name, encryption, settings)
