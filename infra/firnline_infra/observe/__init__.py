"""One way to observe: a `Check` yields `Finding`s, a `Report` prints them and decides the exit status.

`firnline preview`, `doctor` and `drift` are suites of checks. Nothing here writes to an account.
"""

from firnline_infra.observe.check import Check, findings_of
from firnline_infra.observe.finding import NOTHING, Cause, Finding, Verdict, good, unknown, wrong
from firnline_infra.observe.report import ExitStatus, Report, Rule, Suite

__all__ = [
    "NOTHING",
    "Cause",
    "Check",
    "ExitStatus",
    "Finding",
    "Report",
    "Rule",
    "Suite",
    "Verdict",
    "findings_of",
    "good",
    "unknown",
    "wrong",
]
