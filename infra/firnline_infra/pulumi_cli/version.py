"""Which Pulumi CLI is new enough.

3.226.1 is the first one whose exit status tells changes that were not expected from a failure.
"""

import re
from typing import NamedTuple, Self

TEXT = re.compile(r"v?(\d+)\.(\d+)\.(\d+)([-+].*)?")


class Version(NamedTuple):
    """Ordered as numbers. What follows them (`-dev.0`, `+abc`) is not part of it: a build on the way to a version has
    what the version has."""

    major: int
    minor: int
    patch: int

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """What `pulumi version` prints; None where that is no version."""
        match = TEXT.fullmatch(text.strip())
        return cls(*(int(part) for part in match.groups()[:3])) if match else None

    def __str__(self) -> str:
        return ".".join(map(str, self))


OLDEST = Version(3, 226, 1)  # the same in scripts/pulumi-cli
PROVIDED = Version(3, 250, 0)  # by scripts/pulumi-cli
