"""Finds the Pulumi CLI: the user's own where it is new enough, else the one that scripts/pulumi-cli provided."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from firnline_infra.pulumi_cli.errors import CliMissing, CliSilent, CliTooOld
from firnline_infra.pulumi_cli.version import OLDEST, PROVIDED, Version
from firnline_ingest.activity import waiting_for

ANSWERS_WITHIN_S = 30.0


def find_cli(environment: Mapping[str, str] | None = None) -> Path:
    """The path of a CLI that is new enough. `environment` defaults to this process's own.

    Raises CliMissing if there is none, CliTooOld if that of the PATH is too old and none was provided, CliSilent if that of the
    PATH does not say what it is.
    """
    environment = os.environ if environment is None else environment
    on_path = shutil.which("pulumi", path=environment.get("PATH", os.defpath))
    provided = provided_at(environment)
    is_provided = os.access(provided, os.X_OK)
    try:
        found = version_of(Path(on_path)) if on_path else None
    except subprocess.TimeoutExpired as expired:
        raise CliSilent(Path(expired.cmd[0]), expired.timeout, provided if is_provided else None) from expired
    if on_path and found and found >= OLDEST:
        return Path(on_path)
    if is_provided:
        return provided
    if on_path:
        raise CliTooOld(Path(on_path), found)
    raise CliMissing(provided)


def provided_at(environment: Mapping[str, str]) -> Path:
    """The place where scripts/pulumi-cli puts the CLI: one for all clones of a user."""
    cache = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or Path.home()) / ".cache"
    return Path(cache) / "firnline" / f"pulumi-{PROVIDED}" / "pulumi"


def version_of(binary: Path) -> Version | None:
    """The version that the binary prints; None if it prints none. Raises subprocess.TimeoutExpired."""
    try:
        with waiting_for(f"{binary} version"):
            said = subprocess.run(
                [binary, "version"],
                env={**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true"},
                capture_output=True,
                text=True,
                timeout=ANSWERS_WITHIN_S,
                check=False,
            )
    except OSError:
        return None
    return Version.from_text(said.stdout) if said.returncode == 0 else None
