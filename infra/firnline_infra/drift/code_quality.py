"""A report as GitLab's Code Quality takes it (GitLab documentation, "Code Quality report format"), which a merge request shows.

A result lies in the specification's file, and its fingerprint is that of SARIF. GitLab has no place for what is ignored; what
could not be seen is a result of its own, so that an empty report is never taken for a clean one.
"""

import hashlib
import json
from typing import Any

from firnline_infra.drift.finding import Finding, Source, Unseen
from firnline_infra.drift.report import Report
from firnline_infra.drift.sarif import fingerprint


def report_code_quality(report: Report, *, spec_file: str) -> str:
    """`spec_file`: its path from the repository's root, with slashes."""
    results = [_result(each, spec_file) for each in report.findings]
    results += [_blind(each, spec_file) for each in report.unseen]
    return json.dumps(results, indent=2)


def _result(finding: Finding, spec_file: str) -> dict[str, Any]:
    return {
        "description": f"{finding} ({finding.cause.value}). Next: {finding.next_step}",
        "check_name": f"drift/{finding.source.value}",
        "fingerprint": fingerprint(finding),
        "severity": "critical" if finding.source is Source.RIGHT else "major",
        "location": _place(spec_file),
    }


def _blind(unseen: Unseen, spec_file: str) -> dict[str, Any]:
    return {
        "description": f"{unseen.what} could not be seen: {unseen.why} Next: {unseen.next_step}",
        "check_name": "drift/unseen",
        "fingerprint": hashlib.sha256(f"unseen\0{unseen.what}".encode()).hexdigest(),
        "severity": "blocker",
        "location": _place(spec_file),
    }


def _place(spec_file: str) -> dict[str, Any]:
    return {"path": spec_file, "lines": {"begin": 1}}
