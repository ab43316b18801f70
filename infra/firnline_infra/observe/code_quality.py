"""A report as GitLab's Code Quality takes it (GitLab documentation, "Code Quality report format"), which a merge request shows.

A result lies in the specification's file, and its fingerprint is that of SARIF. GitLab has no place for what is ignored. A check
that could not be completed is a result of its own, so that an empty report is never taken for a clean one.
"""

import hashlib
import json
from typing import Any

from firnline_infra.observe.sarif import fingerprint
from firnline_infra.observe.spec_lines import LineOf, first_line
from firnline_ingest.checks import Finding, Report, Suite


def report_code_quality(report: Report, *, spec_file: str, line_of: LineOf = first_line) -> str:
    """`spec_file`: its path from the repository's root, with slashes."""
    told = [(each, _difference(each, report.suite)) for each in report.differences]
    told += [(each, _unseen(each, report.suite)) for each in report.unseen]
    return json.dumps(
        [{**result, "location": {"path": spec_file, "lines": {"begin": line_of(each)}}} for each, result in told],
        indent=2,
    )


def _difference(finding: Finding, suite: Suite) -> dict[str, Any]:
    return {
        "description": f"{finding} ({finding.why}). Next: {finding.next_step}",
        "check_name": f"{suite.name}/{finding.rule}",
        "fingerprint": fingerprint(finding),
        "severity": "critical" if suite.rules[finding.rule].is_security else "major",
    }


def _unseen(unseen: Finding, suite: Suite) -> dict[str, Any]:
    return {
        "description": f"{unseen.object} could not be seen: {unseen.found} Next: {unseen.next_step}",
        "check_name": f"{suite.name}/unseen",
        "fingerprint": hashlib.sha256(f"unseen\0{unseen.object}".encode()).hexdigest(),
        "severity": "blocker",
    }
