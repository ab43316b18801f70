"""The tools on this machine: Python, the Pulumi CLI, and the packages whose plugins it starts."""

import sys
from collections.abc import Iterator

from firnline_infra.pulumi_cli import find_cli
from firnline_infra.stack.versions import check_packages
from firnline_ingest.checks import Finding, good


def python() -> Iterator[Finding]:
    """The release of ours that runs has refused any other while it was installed."""
    yield good("Python", sys.version.partition(" ")[0])


def packages() -> Iterator[Finding]:
    """Raises PackagesTooOld."""
    check_packages()
    yield good("Pulumi's packages", "as pinned")


def pulumi() -> Iterator[Finding]:
    """Raises CliMissing or CliTooOld."""
    yield good("Pulumi CLI", str(find_cli()))
