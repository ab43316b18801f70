"""Compares the installed Pulumi packages with the ones that the program was tested with. The CLI is checked by pulumi_cli.

A provider's plugin has its package's version, so an old package is an old provider: it is refused. A newer one within the
declared range is taken, and named: what a provider replaces or defaults can change between versions.
"""

import re
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from firnline_infra.stack.errors import PackagesTooOld

REQUIREMENT = re.compile(r"^(?P<name>pulumi[a-z-]*)\s*(?P<pins>[<>=!~].*?)?\s*;\s*extra == ['\"]pulumi['\"]$")


TESTED = {"pulumi": "3.272.0", "pulumi-aws": "7.51.1", "pulumi-snowflake": "2.22.0"}
"""The versions that this release's tests ran with, as in uv.lock."""


def untested_packages(installed: Callable[[str], str] = version) -> list[str]:
    """Returns a sentence for each installed package that is newer than the version that this release was tested with."""
    return [
        f"{name} {found} is newer than {tested}, which this release was tested with: read the preview with care."
        for name, tested in TESTED.items()
        if _numbers(found := installed(name)) > _numbers(tested)
    ]


def check_packages(installed: Callable[[str], str] = version) -> None:
    """Raises PackagesTooOld, naming every one."""
    if problems := list(_problems(installed)):
        raise PackagesTooOld(problems)


def _problems(installed: Callable[[str], str]) -> Iterator[str]:
    for name, wanted in _pins().items():
        try:
            found = installed(name)
        except PackageNotFoundError:
            yield f"{name} is missing, and {wanted} is wanted"
            continue
        if _numbers(found) < _numbers(wanted):
            yield f"{name} is {found}, and {wanted} is the oldest that will do"


def _pins() -> dict[str, str]:
    """The least version of each package of our extra `pulumi`."""
    found = {}
    for text in requires("firnline-infra") or ():
        requirement = REQUIREMENT.match(text)
        least = re.search(r"[=>]=\s*([\d.]+)", requirement["pins"] or "") if requirement else None
        if requirement and least:
            found[requirement["name"]] = least[1]
    return found


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])
