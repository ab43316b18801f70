"""What a look finds, and what it could not see. Pure values; each form of the report reads them."""

import re
from dataclasses import dataclass
from enum import StrEnum

NOTHING = "nothing"


class Source(StrEnum):
    """Which look found it; the rule's id in SARIF."""

    STACK = "stack"
    """Pulumi's own comparison, after a refresh."""
    TABLE = "table"
    """Properties of tables that no provider reads."""
    USER = "user"
    """Properties of users and policies that no provider reads."""
    RIGHT = "right"
    """A right that the specification does not give."""
    ENGINE = "engine"
    """What runs."""


class Cause(StrEnum):
    CHANGED = "changed"
    """Somebody changed it behind the stack's back."""
    NOT_APPLIED = "not applied"
    """The specification, or the program, has changed since the last `up`."""


@dataclass(frozen=True, order=True, kw_only=True)
class Finding:
    kind: str
    """Whose object of which kind: `kinesis stream`, `snowflake table` (`kind_of`)."""
    name: str
    path: str
    """The property, as its provider calls it; with those that it is inside of: `tags.owner`."""
    expected: str
    found: str
    source: Source
    cause: Cause = Cause.CHANGED
    next_step: str = ""

    @property
    def object(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def key(self) -> tuple[str, str]:
        return self.object, self.path

    def as_json(self) -> dict[str, str]:
        return {
            "object": self.object,
            "property": self.path,
            "expected": self.expected,
            "found": self.found,
            "source": self.source.value,
            "cause": self.cause.value,
            "next_step": self.next_step,
        }

    def __str__(self) -> str:
        return f"{self.object}: {self.path} is {self.found}, expected {self.expected}"


@dataclass(frozen=True, order=True, kw_only=True)
class Unseen:
    """Something that was to be compared and could not be read."""

    what: str
    why: str
    next_step: str


def kind_of(type_: str) -> str:
    """The kind of a resource by its Pulumi type: aws:iam/role:Role is `iam role`."""
    package, module, kind = type_.split(":")
    where = package if package == "snowflake" else module.partition("/")[0]
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", kind).lower()
    return f"{where} {words}"
