"""Errors of the CLI of Terraform, or of OpenTofu.

TerraformError
├── TerraformMissing    there is none
├── TerraformTooOld     there is one, and nothing newer
├── ModuleOutdated      the module is not what the specification says
├── NotOurReadme        a README.md of its own is where the module's would go
└── TerraformFailed     a command ended with an error
"""

from collections.abc import Sequence
from pathlib import Path

from firnline_infra.accounts.expiry import says_expired, step_of_whoever_asks
from firnline_infra.pulumi_cli.version import Version
from firnline_ingest.errors import Fatal, FirnlineError, declared

OLDEST = Version(1, 10, 0)
"""Of both: the first that locks a state in S3 by itself."""
PROVIDE = "scripts/terraform-cli"
LINES_SHOWN = 30
NEXT_STEPS = (
    (
        ("Failed to query available provider packages", "Failed to install provider"),
        "see whether the registry of providers can be reached, or name a mirror in the CLI's configuration file.",
    ),
    (
        ("Unsupported state file format",),
        "a newer release wrote the state, and no older one reads it: update the CLI.",
    ),
    (
        ("S3: PutObject, https response error StatusCode: 403",),
        "log in as who deploys: the role of previews writes no state and no lock, and `plan` needs -lock=false there.",
    ),
    (
        ("Error acquiring the state lock",),
        "wait until the other run has ended; one that was killed leaves its lock: `{cli} force-unlock ID`.",
    ),
    (
        ("Backend configuration changed", "Backend configuration block has changed", "Backend initialization required"),
        "this folder was initialised with another place of the state: `{cli} init -migrate-state` takes the state along, "
        "`{cli} init -reconfigure` leaves it there and goes on with what lies in the new place.",
    ),
    (
        ("NoSuchBucket", "The referenced S3 bucket must have been previously created"),
        "the bootstrap makes the state's bucket: `firnline bootstrap`; or log in to the account that has it.",
    ),
    (
        ("Inconsistent dependency lock file", "does not match configured version constraint"),
        "`{cli} init -upgrade`, and commit .terraform.lock.hcl.",
    ),
    (
        ("prevent_destroy",),
        "it holds data: set `durability: EPHEMERAL` where it may go, rewrite the module, apply that, and then this.",
    ),
)
"""What a CLI prints, and what helps, as a template that takes how the CLI was called; the first that fits."""


class TerraformError(FirnlineError, Fatal):
    """Terraform could not do what it was asked."""

    id = "FL-7130"


@declared
class TerraformMissing(TerraformError):
    """Neither `terraform` nor `tofu` is on the PATH, and none was provided by scripts/terraform-cli."""

    provided_at: Path
    chosen: str | None = None

    id = "FL-7131"
    message = "There {named}: none on the PATH, and none at {provided_at}."
    next_step = f"install Terraform or OpenTofu {OLDEST} or newer; in a clone of the project: {PROVIDE}"
    causes = "No `terraform` and no `tofu` on the `PATH`, and none provided"
    remedy = "Install Terraform or OpenTofu; in a clone of the project, `scripts/terraform-cli`"

    @property
    def named(self) -> str:
        return (
            f"is no {self.chosen}, which TERRAFORM_BINARY_NAME names"
            if self.chosen
            else "is neither a terraform nor a tofu"
        )


@declared
class TerraformTooOld(TerraformError):
    """The CLI is older than what a module of an environment requires."""

    binary: Path
    found: Version | None

    id = "FL-7132"
    message = f"{{binary}} is of version {{version}}; {OLDEST} is the oldest that will do."
    next_step = f"update it; in a clone of the project: {PROVIDE}"
    causes = "Older ones can't lock a state in S3 without a table of their own"
    remedy = "Update it; in a clone of the project, `scripts/terraform-cli`"

    @property
    def version(self) -> str:
        return str(self.found or "that it does not print")


@declared
class TerraformSilent(TerraformError):
    """A CLI of the PATH did not answer when it was asked for its version. No other one is taken in its place unasked."""

    binary: Path
    for_s: float

    id = "FL-7135"
    message = "{binary} did not answer `{binary.name} version -json` for {for_s:.0f} s."
    next_step = (
        "run `{binary} version` and see what it waits for; if the machine was busy, the same command again. Or "
        f"take it off the PATH, or name the other tool by TERRAFORM_BINARY_NAME; in a clone of the project: {PROVIDE}"
    )
    causes = "`terraform version` did not end: a wrapper that waits, a file system that is away, a very busy machine"
    remedy = "Run it by hand, and see what it waits for; or take it off the `PATH`"


@declared
class ModuleOutdated(TerraformError):
    """The module in the repository is not what would be written of the specification. Nothing was created."""

    module: Path
    names: Sequence[str]
    specification: Path

    id = "FL-7134"
    message = "{module} is not what {specification} says: {names} would be another text."
    next_step = "firnline terraform {specification} --into {module}; review what has changed, and commit it. Nothing was created."
    causes = "The specification, its keys or Firnline's release changed, and the module was not rewritten"
    remedy = "`firnline terraform ENV --into FOLDER`, reviewed and committed"


@declared
class NotOurReadme(TerraformError):
    """A README.md that `firnline terraform` did not write stands where the module's would be written. Nothing was written."""

    file: Path

    id = "FL-7136"
    message = "{file} was not written by this command, and would be overwritten."
    next_step = "name an empty folder with --into, or move the file. Nothing was written."
    causes = "`--into` names a folder that has a README.md of its own"
    remedy = "Another folder for `--into`; or move that file, whose words belong beside the module and not into it"


@declared
class TerraformFailed(TerraformError):
    """A command of Terraform ended with an error."""

    command: str
    exit_status: int
    lines: Sequence[str]

    id = "FL-7133"
    message = "{command} ended with exit status {exit_status}{why}:\n{shown}"
    next_step = "{advice}"
    causes = "Its own message names the cause: a service refused something, a provider can't be downloaded, a state is locked"
    remedy = "Follow the message's next step; nothing is lost: what was created before the failure is in the state"

    @property
    def advice(self) -> str:
        return _next_step(self.command, self.lines)

    @property
    def shown(self) -> str:
        return "\n".join(f"  {line}" for line in self.lines[-LINES_SHOWN:] if line.strip())

    @property
    def why(self) -> str:
        return ", because the credentials have expired" if says_expired(_unwrapped(self.lines)) else ""


def _next_step(command: str, lines: Sequence[str]) -> str:
    text = _unwrapped(lines)
    if step := step_of_whoever_asks(text):
        return f"{step} What was done is in the state."
    for signs, step in NEXT_STEPS:
        if any(sign in text for sign in signs):
            return step.format(cli=command.rpartition(" ")[0])
    return "fix the reported error, and run the same command again: it goes on where it stopped."


def _unwrapped(lines: Sequence[str]) -> str:
    """The messages, which the CLI wraps and frames."""
    return " ".join(" ".join(lines).replace("│", " ").split())
