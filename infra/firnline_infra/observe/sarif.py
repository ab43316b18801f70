"""A report as SARIF 2.1.0 (OASIS), which code scanning of GitHub takes.

A result lies where the specification speaks of its object: that is what a reviewer can change. Its fingerprint is object and
property, so that the same difference is one alert from run to run. What is ignored is a suppressed result, a check that could not
be completed a notification.
"""

import hashlib
import json
from importlib.metadata import version
from typing import Any

from firnline_infra.observe.spec_lines import LineOf, first_line
from firnline_ingest.checks import Finding, Ignored, Report, Rule, Suite
from firnline_ingest.errors import DOCUMENTATION

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
SECURITY_SEVERITY = "8.0"  # what GitHub sorts security alerts by
Json = dict[str, Any]


def report_sarif(report: Report, *, spec_file: str, line_of: LineOf = first_line) -> str:
    """`spec_file`: its path from the repository's root, with slashes."""
    suite = report.suite
    results = [_result(each, suite, spec_file, line_of) for each in report.differences]
    results += [_suppressed(each, suite, spec_file, line_of) for each in report.ignored]
    run = {
        "tool": {
            "driver": {
                "name": f"firnline {suite.name}",
                "version": version("firnline-infra"),
                "informationUri": DOCUMENTATION,
                "rules": [_rule(suite, id_, rule) for id_, rule in suite.rules.items()],
            }
        },
        "automationDetails": {"id": f"firnline-{suite.name}/{report.environment}"},
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


def fingerprint(finding: Finding) -> str:
    """The same from run to run, whatever is found there."""
    return hashlib.sha256("\0".join(finding.key).encode()).hexdigest()


def _rule(suite: Suite, id_: str, rule: Rule) -> Json:
    described: Json = {
        "id": f"{suite.name}/{id_}",
        "helpUri": f"{DOCUMENTATION}{suite.name}/",
        "shortDescription": {"text": rule.text},
        "defaultConfiguration": {"level": _level(rule)},
    }
    if rule.is_security:
        described["properties"] = {"security-severity": SECURITY_SEVERITY, "tags": ["security"]}
    return described


def _level(rule: Rule) -> str:
    return "error" if rule.is_security else "warning"


def _result(finding: Finding, suite: Suite, spec_file: str, line_of: LineOf) -> Json:
    return {
        "ruleId": f"{suite.name}/{finding.rule}",
        "level": _level(suite.rules[finding.rule]),
        "message": {"text": f"{finding} ({finding.why}). Next: {finding.next_step}"},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": spec_file}, "region": {"startLine": line_of(finding)}},
                "logicalLocations": [{"fullyQualifiedName": f"{finding.object}: {finding.path}"}],
            }
        ],
        "partialFingerprints": {f"firnline{suite.name.title()}/v1": fingerprint(finding)},
    }


def _suppressed(ignored: Ignored, suite: Suite, spec_file: str, line_of: LineOf) -> Json:
    reason = f"until {ignored.until}: {ignored.reason}"
    return {
        **_result(ignored.finding, suite, spec_file, line_of),
        "suppressions": [{"kind": "external", "justification": reason}],
    }


def _notification(unseen: Finding) -> Json:
    text = f"{unseen.object} could not be seen: {unseen.found} Next: {unseen.next_step}"
    return {"level": "error", "message": {"text": text}}
