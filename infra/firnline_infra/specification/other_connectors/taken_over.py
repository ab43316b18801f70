"""The parts of a specification that were read out of another connector's configuration, and what is left."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.secret_names import CONFIDENTIAL

SECRET = re.compile(
    rf"{CONFIDENTIAL}|pwd|user[.-]info|credentials$|jaas|authorization|"
    r".* = (.*(password|secret|authorization)|\w+://[^/\s]*@)",
    re.IGNORECASE,
)
"""Of an option's name, or of its value behind ` = `: the value is shown nowhere. A registry's login is `basic.auth.user.info`."""


@dataclass(frozen=True, slots=True)
class Left:
    """An option without counterpart."""

    option: str
    value: str
    reason: str

    def __str__(self) -> str:
        """Returns it on one line, whatever the file had: it becomes a comment, and YAML takes no control characters there."""
        said = f" = {self.value}"
        shown = "" if not self.value or SECRET.search(self.option) or SECRET.match(f"{self.option}{said}") else said
        plain = " ".join(f"{self.option}{shown}: {self.reason}".split())
        return "".join(each if each.isprintable() else f"\\x{ord(each):02x}" for each in plain)


@dataclass(slots=True)
class TakenOver:
    """Parts of a specification in the form of its document. Mutable while a configuration is read."""

    connector: str
    answers: dict[str, Any] = field(default_factory=dict)
    """What `firnline init` need not ask for any more, as Answers calls it."""
    application: str | None = None
    streams: list[dict[str, Any]] = field(default_factory=list)
    regions: dict[str, str] = field(default_factory=dict)
    """Of streams that are not in the environment's own region, by their names."""
    placed: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    """The region and the ARN of each stream, by its name, as far as its table says them."""
    pipelines: list[dict[str, Any]] = field(default_factory=list)
    snowflake: dict[str, Any] = field(default_factory=dict)
    sections: dict[str, Any] = field(default_factory=dict)
    """Others, by their names: polling, retries, ledger."""
    taken: list[tuple[str, str]] = field(default_factory=list)
    """Options, each with the path where it is now."""
    left: list[Left] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """The reason why it can't be taken over at all."""

    def take(self, option: str, path: str) -> None:
        self.taken.append((option, path))

    def leave(self, option: str, value: object, reason: str) -> None:
        self.left.append(Left(option, "" if value is None else str(value), reason.removeprefix("nothing: ")))

    def put(self, option: str, path: str, value: object) -> None:
        """Puts a value into `sections`. A second table that says something else leaves it as it is."""
        place, parts = self.sections, path.split(".")
        for part in parts[:-1]:
            place = place.setdefault(part, {})
        if place.setdefault(parts[-1], value) != value:
            self.leave(option, value, f"{path} is one for all streams, and another table says {place[parts[-1]]}")
            return
        self.take(option, path)


def text_of(options: Mapping[str, Any], name: str) -> str:
    """The value as text; empty where the option is absent or empty."""
    value = options.get(name)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value).strip()
