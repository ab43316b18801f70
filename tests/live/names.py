"""Names of what a run makes. Each has the second in which the run began, so that what an older run has
left is told from what another one is using, and from everything else in the account.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

IN_AWS = re.compile(r"^firnline-live-([0-9a-f]{8})(?=$|[-/])")
IN_SNOWFLAKE = re.compile(r"^FIRNLINE_LIVE_([0-9A-F]{8})(?=$|_)")
PREFIX, SNOWFLAKE_PREFIX = "firnline-live-", "FIRNLINE_LIVE_"


@dataclass(frozen=True)
class Run:
    began_s: int
    """Seconds since 1970."""

    @classmethod
    def of(cls, name: str) -> Self | None:
        """The run that made a thing of this name; None where no run of ours did. Prefixes of paths and aliases are taken off."""
        bare = name.removeprefix("alias/").removeprefix("/")
        found = IN_AWS.match(bare) or IN_SNOWFLAKE.match(bare)
        return cls(int(found.group(1), 16)) if found else None

    @property
    def environment(self) -> str:
        """Returns the environment's name. The application, and so the start of each name in AWS, is firnline-<environment>."""
        return f"live-{self.began_s:08x}"

    @property
    def aws(self) -> str:
        return f"{PREFIX}{self.began_s:08x}"

    @property
    def snowflake(self) -> str:
        return f"{SNOWFLAKE_PREFIX}{self.began_s:08X}"

    @property
    def warehouse(self) -> str:
        return f"{self.snowflake}_WH"

    @property
    def volume(self) -> str:
        return f"{self.snowflake}_LAKE"

    def placeholders(self, extra: Mapping[str, str]) -> dict[str, str]:
        """Returns what is put in the place of names before an answer is recorded; the longest first."""
        known = {self.snowflake: "<RUN>", self.aws: "<run>", **extra}
        return {name: known[name] for name in sorted(known, key=len, reverse=True) if name}
