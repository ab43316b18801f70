"""Whether the Python packages of the program are the ones that it was made for; the CLI is pulumi_cli's affair.

A provider's plugin has its package's version, so an old package is an old provider.
"""

import re
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from firnline_infra.stack.errors import PackagesTooOld

REQUIREMENT = re.compile(r"^(?P<name>pulumi[a-z-]*)\s*(?P<pins>[<>=!~].*?)?\s*;\s*extra == ['\"]pulumi['\"]$")


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
