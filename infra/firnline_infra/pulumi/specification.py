"""What a Pulumi program reads first."""

from pathlib import Path

import pulumi

from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.ready import missing_keys
from firnline_ingest.errors import FirnlineError


def specification() -> EnvironmentSpec:
    """Of the file that the stack's configuration names (firnline:spec), seen from the program's folder.

    What is wrong with it is said without a traceback, all at once, before anything is made. A preview shows what would be
    made before there are keys too, and warns.
    """
    path = Path(pulumi.Config("firnline").require("spec"))
    try:
        spec = load_spec(path)
    except FirnlineError as error:
        raise pulumi.RunError(str(error)) from None
    if (missing := missing_keys(spec)) is not None:
        if not pulumi.runtime.is_dry_run():
            raise pulumi.RunError(str(missing))
        pulumi.warn(f"`up` will be refused. {missing}")
    return spec
