"""What a Pulumi program reads first."""

from pathlib import Path

import pulumi

from firnline_infra.spec import EnvironmentSpec, load_spec
from firnline_infra.spec.ready import check_ready
from firnline_ingest.errors import FirnlineError


def specification() -> EnvironmentSpec:
    """Of the file that the stack's configuration names (firnline:spec), seen from the program's folder.

    What is wrong with it is said without a traceback, all at once, before anything is made.
    """
    path = Path(pulumi.Config("firnline").require("spec"))
    try:
        spec = load_spec(path)
        check_ready(spec)
    except FirnlineError as error:
        raise pulumi.RunError(str(error)) from None
    return spec
