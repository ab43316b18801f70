"""The stack of an environment: its program, its state, and the engine that knows the right providers.

With the embedded environment, all three are in its folder: the Pulumi home with its plugins, the backend, a copy of the
program. The engine gets the token of that very environment, so that it can't meet another cloud.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.deploy.program import Program
from firnline_infra.pulumi_cli import PulumiCli, engine_variables, find_cli
from firnline_infra.pulumi_cli.errors import NoSuchStack
from firnline_infra.specification.model import EnvironmentSpec
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.embedded_keys import with_embedded_keys
from firnline_local.running import RunningEnvironment

PASSPHRASES = ("PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE")
WHOLE_OR_NOT_AT_ALL = "metadata=skip"
"""For a backend of files. Else each state has a file of attributes beside it, which is not replaced but written over: an
engine that is killed there leaves it empty, and no command reads that state again (`failed to load checkpoint: EOF`)."""


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
    if isinstance(accounts, EmbeddedAccounts):
        return _embedded(spec, spec_file, accounts.environment, on_line)
    program = Program.committed(spec.name, spec_file)
    return Stack(
        PulumiCli(binary=find_cli(), project=program.folder, variables=_variables(), on_line=on_line), program.stack
    )


def _variables() -> dict[str, str]:
    """No secret is in a stack, so the passphrase is empty unless somebody has chosen one."""
    is_chosen = any(name in os.environ for name in PASSPHRASES)
    return engine_variables(passphrase=None if is_chosen else "")


def _embedded(
    spec: EnvironmentSpec, spec_file: Path, environment: RunningEnvironment, on_line: Callable[[str], None]
) -> Stack:
    from firnline_local.pulumi.admission import variables
    from firnline_local.pulumi.home import PulumiHome

    folder = environment.folder.engine / "pulumi"
    backend = folder / "state"
    backend.mkdir(parents=True, exist_ok=True)
    home = PulumiHome.write(folder / "home")
    program = Program.copied(spec.name, with_embedded_keys(spec_file, environment), folder / "program")
    own = home.variables(backend=f"file://{backend}?{WHOLE_OR_NOT_AT_ALL}", passphrase="")
    cli = PulumiCli(
        binary=home.cli(find_cli()),
        project=program.folder,
        variables={**own, **variables(environment)},
        on_line=on_line,
    )
    return Stack(cli, program.stack)
