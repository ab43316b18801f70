"""Results of a suite of checks: its exit status, and its JSON. Each other form is a file of its own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import IntEnum
from typing import Any, Self

from firnline_ingest.checks.finding import Finding, Verdict


class ExitStatus(IntEnum):
    """The exit status of every command that observes."""

    CLEAN = 0
    INCOMPLETE = 2
    """A check could not be completed; a command that fails ends with the same."""
    DIFFERS = 3

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], *, first: Verdict = Verdict.UNKNOWN) -> Self:
        """`first` is the verdict that counts more than the other one."""
        found = set(verdicts)
        statuses = {Verdict.UNKNOWN: cls.INCOMPLETE, Verdict.WRONG: cls.DIFFERS}
        order = sorted(statuses, key=lambda verdict: verdict is not first)
        return next((statuses[verdict] for verdict in order if verdict in found), cls.CLEAN)


@dataclass(frozen=True)
class Rule:
    text: str
    """What is wrong where this rule finds something."""
    is_security: bool = False


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A command that observes."""

    name: str
    rules: Mapping[str, Rule]
    first: Verdict
    """The verdict that decides the exit status where there are several."""
    lists_good: bool
    """True if its report lists what is good too, in the order of the checks."""
    noun: str = "difference"
    """What it finds."""


@dataclass(frozen=True, kw_only=True)
class Ignored:
    """A difference that a team lives with."""

    finding: Finding
    reason: str
    until: date


@dataclass(frozen=True, kw_only=True)
class Report:
    suite: Suite
    environment: str
    findings: tuple[Finding, ...]
    ignored: tuple[Ignored, ...] = ()
    notes: tuple[str, ...] = ()
    """For a person: what the checks did beside reading, and entries that ignored nothing."""

    @property
    def differences(self) -> tuple[Finding, ...]:
        return self._with(Verdict.WRONG)

    @property
    def unseen(self) -> tuple[Finding, ...]:
        """The checks that could not be completed."""
        return self._with(Verdict.UNKNOWN)

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.of((each.verdict for each in self.findings), first=self.suite.first)

    def as_document(self) -> dict[str, Any]:
        body = self._listing() if self.suite.lists_good else self._differing()
        return {"version": 1, "environment": self.environment, **body, "exit_status": self.exit_status}

    def _with(self, verdict: Verdict) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.verdict is verdict)

    def _listing(self) -> dict[str, Any]:
        keys = ("rule", "object", "verdict", "found", "next_step", "error")
        names = {"rule": "area", "found": "result"}
        return {"findings": [{names.get(key, key): getattr(each, key) for key in keys} for each in self.findings]}

    def _differing(self) -> dict[str, Any]:
        return {
            self.suite.name: [_as_json(each) for each in self.differences],
            "ignored": [
                {**_as_json(each.finding), "reason": each.reason, "until": each.until.isoformat()}
                for each in self.ignored
            ],
            "unseen": [{"what": each.object, "why": each.found, "next_step": each.next_step} for each in self.unseen],
            "notes": list(self.notes),
        }


def _as_json(finding: Finding) -> dict[str, str]:
    return {
        "object": finding.object,
        "property": finding.path,
        "expected": finding.expected,
        "found": finding.found,
        "source": finding.rule,
        "cause": finding.cause.value,
        "next_step": finding.next_step,
    }
