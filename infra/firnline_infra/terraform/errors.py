"""What can go wrong with the CLI of Terraform, or of OpenTofu.

TerraformError
├── TerraformMissing    there is none
├── TerraformTooOld     there is one, and nothing newer
├── ModuleOutdated      the module is not what the specification says
└── TerraformFailed     a command ended with an error
"""

from collections.abc import Sequence
from pathlib import Path

from firnline_infra.pulumi_cli.version import Version
from firnline_ingest.errors import Fatal, FirnlineError

OLDEST = Version(1, 10, 0)
"""Of both: the first that locks a state in S3 by itself."""
PROVIDE = "scripts/terraform-cli"
LINES_SHOWN = 30
NO_PROVIDER = ("Failed to query available provider packages", "Failed to install provider")
FOREIGN_LOCK = "Error acquiring the state lock"


class TerraformError(FirnlineError, Fatal):
    """Terraform could not do what it was asked."""

    id = "FL-7130"


class TerraformMissing(TerraformError):
    """Neither `terraform` nor `tofu` is on the PATH, and none was provided by scripts/terraform-cli."""

    id = "FL-7131"
    causes = "No `terraform` and no `tofu` on the `PATH`, and none provided"
    remedy = "Install Terraform or OpenTofu; in a clone of the project, `scripts/terraform-cli`"

    def __init__(self, provided_at: Path) -> None:
        super().__init__(
            f"There is neither a terraform nor a tofu: none on the PATH, and none at {provided_at}.",
            next_step=f"install Terraform or OpenTofu {OLDEST} or newer; in a clone of the project: {PROVIDE}",
        )


class TerraformTooOld(TerraformError):
    """The CLI is older than what a module of an environment requires."""

    id = "FL-7132"
    causes = "Older ones can't lock a state in S3 without a table of their own"
    remedy = "Update it; in a clone of the project, `scripts/terraform-cli`"

    def __init__(self, binary: Path, found: Version | None) -> None:
        super().__init__(
            f"{binary} is of version {found or 'that it does not print'}; {OLDEST} is the oldest that will do.",
            next_step=f"update it; in a clone of the project: {PROVIDE}",
        )


class ModuleOutdated(TerraformError):
    """The module in the repository is not what would be written of the specification. Nothing was created."""

    id = "FL-7134"
    causes = "The specification, its keys or Firnline's release changed, and the module was not rewritten"
    remedy = "`firnline terraform ENV --into FOLDER`, reviewed and committed"

    def __init__(self, module: Path, names: Sequence[str], *, specification: Path) -> None:
        super().__init__(
            f"{module} is not what {specification} says: {', '.join(names)} would be another text.",
            next_step=f"firnline terraform {specification} --into {module}; review what has changed, and commit it. Nothing "
            "was created.",
        )


class TerraformFailed(TerraformError):
    """A command of Terraform ended with an error."""

    id = "FL-7133"
    causes = "Its own message says it: a service refused something, a provider can't be downloaded, a state is locked"
    remedy = "What the message's next step says; nothing is lost: what was made before the failure is in the state"

    def __init__(self, command: str, exit_status: int, lines: Sequence[str]) -> None:
        self.lines = lines
        shown = "\n".join(f"  {line}" for line in lines[-LINES_SHOWN:] if line.strip())
        super().__init__(f"{command} ended with exit status {exit_status}:\n{shown}", next_step=_next_step(lines))


def _next_step(lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    if any(sign in text for sign in NO_PROVIDER):
        return "see whether registry.terraform.io can be reached, or name a mirror in the CLI's configuration file."
    if FOREIGN_LOCK in text:
        return "wait until the other run has ended; one that was killed leaves its lock: `terraform force-unlock ID`."
    return "correct what it says, and run the same command again: it goes on where it stopped."
