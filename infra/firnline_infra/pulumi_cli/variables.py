"""The environment variables of an engine that nobody watches: it asks nothing, downloads nothing, looks for no update."""

import os
import sys
from collections.abc import Mapping

UNATTENDED = {
    "PULUMI_SKIP_UPDATE_CHECK": "true",
    "NO_COLOR": "1",
}


def engine_variables(
    environment: Mapping[str, str] | None = None, *, backend: str | None = None, passphrase: str | None = None
) -> dict[str, str]:
    """`environment` (this process's own where absent), and what an engine needs beside it.

    A program that names no virtual environment runs with this interpreter, where the packages are that it imports.

    `backend` is the URL of where states are kept, `passphrase` what their secrets are encrypted with; both as
    `environment` has them where absent.
    """
    around = os.environ if environment is None else environment
    variables = {"PULUMI_PYTHON_CMD": sys.executable, **around, **UNATTENDED}
    if backend is not None:
        variables["PULUMI_BACKEND_URL"] = backend
    if passphrase is not None:
        variables["PULUMI_CONFIG_PASSPHRASE"] = passphrase
        variables.pop("PULUMI_CONFIG_PASSPHRASE_FILE", None)
    return variables
