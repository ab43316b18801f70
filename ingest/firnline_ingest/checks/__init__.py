"""One way to check: a `Check` yields `Finding`s, a `Report` prints them and decides the exit status.

`firnline validate`, `doctor`, `preview` and `drift` are suites of checks. Nothing here writes to an account.
"""

from firnline_ingest.checks.check import Check, findings_of
from firnline_ingest.checks.finding import NOTHING, Cause, Finding, Verdict, good, unknown, wrong
from firnline_ingest.checks.report import ExitStatus, Ignored, Report, Rule, Suite

__all__ = [
    "NOTHING",
    "Cause",
    "Check",
    "ExitStatus",
    "Finding",
    "Ignored",
    "Report",
    "Rule",
    "Suite",
    "Verdict",
    "findings_of",
    "good",
    "unknown",
    "wrong",
]
