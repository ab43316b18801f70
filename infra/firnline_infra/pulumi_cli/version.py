"""The oldest Pulumi CLI that is new enough.

3.226.1 is the first one whose exit status tells changes that were not expected from a failure.
"""

import re
from typing import NamedTuple, Self

TEXT = re.compile(r"v?(\d+)\.(\d+)\.(\d+)([-+].*)?")


class Version(NamedTuple):
    """Ordered as numbers. Pre-release and build tags (`-dev.0`, `+abc`) are ignored."""

    major: int
    minor: int
    patch: int

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """Reads what `pulumi version` prints; None if that is not a version."""
        match = TEXT.fullmatch(text.strip())
        return cls(*(int(part) for part in match.groups()[:3])) if match else None

    def __str__(self) -> str:
        return ".".join(map(str, self))


OLDEST = Version(3, 226, 1)  # the same in scripts/pulumi-cli
PROVIDED = Version(3, 250, 0)  # by scripts/pulumi-cli
