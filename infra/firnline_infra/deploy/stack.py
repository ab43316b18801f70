"""The stack of an environment: its program, its state, and the CLI that runs it where the accounts say."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firnline_infra.accounts import Accounts, PulumiPlace
from firnline_infra.deploy.program import Program
from firnline_infra.pulumi_cli import PulumiCli, engine_variables, find_cli
from firnline_infra.pulumi_cli.errors import NoSuchStack
from firnline_infra.specification.model import EnvironmentSpec

PASSPHRASES = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")


@dataclass(frozen=True)
class Stack:
    cli: PulumiCli
    name: str

    @property
    def backend(self) -> str:
        return self.cli.variables.get("PULUMI_BACKEND_URL", "the backend that Pulumi is logged in to")

    def state(self) -> dict[str, Any] | None:
        """None where there is no such stack."""
        try:
            return self.cli.export(self.name)
        except NoSuchStack:
            return None


def stack_of(spec: EnvironmentSpec, spec_file: Path, accounts: Accounts, *, on_line: Callable[[str], None]) -> Stack:
    """Raises CliMissing, CliTooOld or NoProgram."""
    place = accounts.pulumi(spec.name, spec_file) or _committed(spec.name, spec_file)
    cli = PulumiCli(binary=place.binary, project=place.project, variables=dict(place.variables), on_line=on_line)
    return Stack(cli, spec.name)


def _committed(stack: str, spec_file: Path) -> PulumiPlace:
    """No secret is in a stack, so the passphrase is empty unless somebody has chosen one."""
    program = Program.committed(stack, spec_file)
    is_chosen = any(name in os.environ for name in PASSPHRASES)
    variables = engine_variables(passphrase=None if is_chosen else "")
    return PulumiPlace(binary=find_cli(), project=program.folder, variables=variables)
