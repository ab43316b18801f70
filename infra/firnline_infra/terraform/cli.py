"""The CLI of Terraform or of OpenTofu, unattended, on the module of one environment."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firnline_infra.pulumi_cli.run import Ended, run
from firnline_infra.pulumi_cli.version import Version
from firnline_infra.terraform.errors import (
    OLDEST,
    TerraformFailed,
    TerraformMissing,
    TerraformSilent,
    TerraformTooOld,
)
from firnline_ingest.activity import waiting_for

NAMES = ("terraform", "tofu")
PROVIDED = Version(1, 10, 6)
"""The release of OpenTofu that scripts/terraform-cli provides."""
CHOSEN = "TERRAFORM_BINARY_NAME"
"""The variable that names the binary where both tools are there (it is CDKTF's)."""
UNATTENDED = {"TF_IN_AUTOMATION": "1", "TF_INPUT": "0", "CHECKPOINT_DISABLE": "1"}
ANSWERS_WITHIN_S = 60.0
CHANGES = 2
NOT_THERE = "Cannot import non-existent remote object"


def find_terraform(environment: Mapping[str, str] | None = None) -> Path:
    """The first that is new enough: `terraform`, `tofu`, the provided `tofu`; only the one of the chosen name where there is a
    choice. Raises TerraformMissing, TerraformTooOld or TerraformSilent.
    """
    environment = os.environ if environment is None else environment
    chosen, provided = environment.get(CHOSEN), provided_at(environment)
    names = (chosen,) if chosen else NAMES
    on_path = [Path(found) for name in names if (found := shutil.which(name, path=environment.get("PATH", os.defpath)))]
    for binary in on_path:
        if (version_of(binary) or Version(0, 0, 0)) >= OLDEST:
            return binary
    if provided.name in names and os.access(provided, os.X_OK):
        return provided
    if on_path:
        raise TerraformTooOld(on_path[0], version_of(on_path[0]))
    raise TerraformMissing(provided, chosen)


def provided_at(environment: Mapping[str, str]) -> Path:
    """The place where scripts/terraform-cli puts the CLI: one for all clones of a user."""
    cache = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or Path.home()) / ".cache"
    return Path(cache) / "firnline" / f"opentofu-{PROVIDED}" / "tofu"


def version_of(binary: Path) -> Version | None:
    """The version that the binary prints; None if it prints none. Raises TerraformSilent."""
    asked = [str(binary), "version", "-json"]
    around = {**os.environ, **UNATTENDED}
    try:
        with waiting_for(f"{binary} version"):
            printed = subprocess.check_output(
                asked, stderr=subprocess.DEVNULL, text=True, timeout=ANSWERS_WITHIN_S, env=around
            )
        return Version.from_text(json.loads(printed)["terraform_version"])
    except subprocess.TimeoutExpired as expired:
        raise TerraformSilent(binary, expired.timeout) from expired
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        return None


@dataclass(frozen=True)
class TerraformCli:
    binary: Path
    module: Path
    """The folder of the root module."""
    variables: Mapping[str, str]
    """Environment variables beside this process's own: credentials, and TF_VAR_…"""
    on_line: Callable[[str], None] | None = None

    def init(self) -> None:
        """Raises TerraformFailed, as the others do."""
        self._run("init")

    def validate(self) -> None:
        """Asks no account."""
        self._run("validate")

    def has_changes(self, save: Path | None = None, *, refresh: bool = True) -> bool:
        """Returns whether `apply` would change something; what, goes to `on_line`."""
        more = ([] if save is None else [f"-out={save}"]) + ([] if refresh else ["-refresh=false"])
        return self._run("plan", "-detailed-exitcode", *more, fine=(0, CHANGES)).exit_status == CHANGES

    def plan(self, file: Path) -> dict[str, Any]:
        """Returns what `has_changes` saved."""
        return self._document("show", "-json", str(file))

    def apply(self, plan: Path | None = None, *, refresh: bool = True) -> None:
        """Brings the module up; with a plan, does nothing else than the plan says."""
        more = [] if refresh or plan is not None else ["-refresh=false"]
        self._run("apply", "-auto-approve", *more, *([] if plan is None else [str(plan)]))

    def import_(self, address: str, id_: str) -> bool:
        """Takes an object into the state; False where there is none with that id."""
        try:
            self._run("import", address, id_)
        except TerraformFailed as failed:
            if any(NOT_THERE in line for line in failed.lines):
                return False
            raise
        return True

    def forget(self, address: str) -> None:
        """Takes an object out of the state. It stays in the cloud."""
        self._run("state", "rm", address)

    def destroy(self) -> None:
        self._run("destroy", "-auto-approve")

    def outputs(self) -> dict[str, Any]:
        """Empty where nothing was applied."""
        return {name: each["value"] for name, each in self._document("output", "-json").items()}

    def state(self) -> dict[str, Any]:
        """The state, as `terraform show -json` writes it."""
        return self._document("show", "-json")

    def _document(self, *arguments: str) -> dict[str, Any]:
        return dict(json.loads(self._run(*arguments, quiet=True).stdout))

    def _run(self, *arguments: str, fine: tuple[int, ...] = (0,), quiet: bool = False) -> Ended:
        ended = run(
            [str(self.binary), f"-chdir={self.module}", *arguments, "-no-color"],
            variables={**os.environ, **UNATTENDED, **self.variables},
            on_line=None if quiet else self.on_line,
            shown_as=f"{self.binary.name} -chdir={self.module} {arguments[0]}",
        )
        if ended.exit_status not in fine:
            raise TerraformFailed(ended.command, ended.exit_status, ended.lines)
        return ended
