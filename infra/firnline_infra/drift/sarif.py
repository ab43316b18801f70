"""A report as SARIF 2.1.0 (OASIS), which code scanning of GitHub takes.

A result lies in the specification's file: that is what a reviewer can change. Its fingerprint is object and property, so that
the same difference is one alert from run to run. What is ignored is a suppressed result, what could not be seen a notification.
"""

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from firnline_infra.drift.finding import Finding, Source, Unseen
from firnline_infra.drift.ignore import Ignored
from firnline_infra.drift.report import Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULES: Mapping[Source, str] = {
    Source.STACK: "A resource is not as the program says.",
    Source.TABLE: "A property of a table is not as the specification says.",
    Source.USER: "A property of a user or policy is not as the specification says.",
    Source.RIGHT: "Somebody has a right that the specification does not give.",
    Source.ENGINE: "What runs is not what should run.",
}
SEVERITY = {Source.RIGHT: "8.0"}  # what GitHub sorts security alerts by
Json = dict[str, Any]


def report_sarif(report: Report, *, spec_file: str) -> str:
    """`spec_file`: its path from the repository's root, with slashes."""
    results = [_result(each, spec_file) for each in report.findings]
    results += [_suppressed(each, spec_file) for each in report.ignored]
    run = {
        "tool": {
            "driver": {
                "name": "firnline drift",
                "version": version("firnline-infra"),
                "rules": [_rule(source, text) for source, text in RULES.items()],
            }
        },
        "automationDetails": {"id": f"firnline-drift/{report.environment}"},
        "invocations": [
            {
                "executionSuccessful": not report.unseen,
                "exitCode": report.exit_status,
                "toolExecutionNotifications": [_notification(each) for each in report.unseen],
            }
        ],
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(source: Source, text: str) -> Json:
    rule: Json = {
        "id": f"drift/{source.value}",
        "shortDescription": {"text": text},
        "defaultConfiguration": {"level": _level(source)},
    }
    if source in SEVERITY:
        rule["properties"] = {"security-severity": SEVERITY[source], "tags": ["security"]}
    return rule


def _level(source: Source) -> str:
    return "error" if source is Source.RIGHT else "warning"


def _result(finding: Finding, spec_file: str) -> Json:
    return {
        "ruleId": f"drift/{finding.source.value}",
        "level": _level(finding.source),
        "message": {"text": f"{finding} ({finding.cause.value}). Next: {finding.next_step}"},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": spec_file}, "region": {"startLine": 1}},
                "logicalLocations": [{"fullyQualifiedName": f"{finding.object}: {finding.path}"}],
            }
        ],
        "partialFingerprints": {"firnlineDrift/v1": fingerprint(finding)},
    }


def _suppressed(ignored: Ignored, spec_file: str) -> Json:
    reason = f"until {ignored.entry.until}: {ignored.entry.reason}"
    return {**_result(ignored.finding, spec_file), "suppressions": [{"kind": "external", "justification": reason}]}


def _notification(unseen: Unseen) -> Json:
    text = f"{unseen.what} could not be seen: {unseen.why} Next: {unseen.next_step}"
    return {"level": "error", "message": {"text": text}}


def fingerprint(finding: Finding) -> str:
    return hashlib.sha256("\0".join(finding.key).encode()).hexdigest()
