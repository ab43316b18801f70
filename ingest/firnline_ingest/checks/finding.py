"""Findings of a check. Pure values; each form of a report reads them."""

from dataclasses import dataclass
from enum import StrEnum

NOTHING = "nothing"


class Verdict(StrEnum):
    GOOD = "good"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    """The check could not be completed, or not from here."""


class Cause(StrEnum):
    CHANGED = "changed"
    """It was changed behind the stack's back."""
    NOT_APPLIED = "not applied"
    """The specification, or the program, has changed since the last `up`."""
    RULE = "rule"
    """It is against the rule that found it."""


@dataclass(frozen=True, order=True, kw_only=True)
class Finding:
    """One object or property: what was expected, what is there, and what to do next."""

    kind: str = ""
    """The kind of the object: `kinesis stream`, `snowflake table`. Empty where the name says it all."""
    name: str
    path: str = ""
    """The property, as its provider calls it; with those that it is inside of: `tags.owner`. Empty for the whole object."""
    expected: str = ""
    found: str
    """What is there; why the check could not be completed, where the verdict is UNKNOWN."""
    error: str = ""
    """The id of the error that says so: `firnline explain FL-3011`."""
    rule: str = ""
    """Which rule of the suite found it; the check that ran says so."""
    verdict: Verdict = Verdict.WRONG
    cause: Cause = Cause.CHANGED
    next_step: str = ""
    repair: str = ""
    """The statement that sets the property back; empty if none does."""
    afterwards: str = ""
    """What a person looks at once that is done."""

    @property
    def object(self) -> str:
        return f"{self.kind} {self.name}".lstrip()

    @property
    def key(self) -> tuple[str, str]:
        return self.object, self.path

    @property
    def why(self) -> str:
        return self.rule if self.cause is Cause.RULE else self.cause.value

    def __str__(self) -> str:
        if not self.path:
            return f"{self.object}: {self.found}"
        return f"{self.object}: {self.path} is {self.found}, expected {self.expected}"


def good(name: str, found: str) -> Finding:
    return Finding(name=name, found=found, verdict=Verdict.GOOD)


def wrong(name: str, found: str, *, next_step: str) -> Finding:
    return Finding(name=name, found=found, next_step=next_step)


def unknown(name: str, found: str, *, next_step: str) -> Finding:
    return Finding(name=name, found=found, verdict=Verdict.UNKNOWN, next_step=next_step)
