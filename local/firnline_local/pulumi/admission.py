"""Admission of a provider to an environment: which one it serves, and that it serves none but that.

The program that starts the engine puts `variables` into its environment. A provider without them, or with those of an environment
that has ended, refuses to start, so that no stack takes it for the real cloud.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from firnline_local.errors import LocalError
from firnline_local.pulumi.errors import NotAdmitted

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

FOLDER, TOKEN = "FIRNLINE_LOCAL_FOLDER", "FIRNLINE_LOCAL_TOKEN"


def variables(environment: "RunningEnvironment") -> dict[str, str]:
    """Returns the environment variables by which the engine's providers find the embedded one."""
    return {FOLDER: str(environment.folder.path), TOKEN: environment.state.token}


def admit(package: str, environ: Mapping[str, str]) -> "RunningEnvironment":
    """The environment that `variables` named. Raises NotAdmitted."""
    from firnline_local.running import RunningEnvironment

    if not environ.get(FOLDER) or not environ.get(TOKEN):
        raise NotAdmitted(package, f"{FOLDER} and {TOKEN} are not set")
    folder = Path(environ[FOLDER])
    try:
        environment = RunningEnvironment.attach(folder)
    except LocalError as error:
        raise NotAdmitted(package, error.what.rstrip("."), folder=folder) from error
    if environment.state.token != environ[TOKEN]:
        raise NotAdmitted(package, f"the one in {folder} was started anew since {TOKEN} was set", folder=folder)
    return environment
