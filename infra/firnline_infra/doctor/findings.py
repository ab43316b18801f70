"""What was examined, and what came of it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum

GOOD_STATUS, UNKNOWN_STATUS, WRONG_STATUS = 0, 2, 3


class Verdict(StrEnum):
    GOOD = "good"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    """It could not be asked, or not from here."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    about: str
    """The object: host kinesis.eu-central-1.amazonaws.com, quota shards."""
    verdict: Verdict
    said: str
    next_step: str = ""


@dataclass(frozen=True, kw_only=True)
class Check:
    area: str
    run: Callable[[], Iterable[Finding]]
    """Raises a FirnlineError where it can't be asked at all."""


@dataclass(frozen=True, kw_only=True)
class Examination:
    environment: str
    findings: tuple[tuple[str, Finding], ...]
    """With the area of each."""

    @property
    def exit_status(self) -> int:
        """What is wrong counts more than what is unknown: it is to be mended first."""
        verdicts = {finding.verdict for _, finding in self.findings}
        if Verdict.WRONG in verdicts:
            return WRONG_STATUS
        return UNKNOWN_STATUS if Verdict.UNKNOWN in verdicts else GOOD_STATUS

    def to_json(self) -> str:
        findings = [{"area": area, **asdict(finding)} for area, finding in self.findings]
        document = {"version": 1, "environment": self.environment, "findings": findings}
        return json.dumps({**document, "exit_status": self.exit_status}, indent=2)


def good(about: str, said: str) -> Finding:
    return Finding(about=about, verdict=Verdict.GOOD, said=said)


def wrong(about: str, said: str, *, next_step: str) -> Finding:
    return Finding(about=about, verdict=Verdict.WRONG, said=said, next_step=next_step)


def unknown(about: str, said: str, *, next_step: str) -> Finding:
    return Finding(about=about, verdict=Verdict.UNKNOWN, said=said, next_step=next_step)
