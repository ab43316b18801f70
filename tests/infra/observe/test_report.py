"""The report's forms, and the action that shows them in a pull request."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import check_jsonschema
import jsonschema
import pytest
import yaml

from firnline_infra.doctor.suite import DOCTOR
from firnline_infra.drift.ignore import Entry, IgnoreList
from firnline_infra.drift.suite import drift_report
from firnline_infra.observe.code_quality import report_code_quality
from firnline_infra.observe.sarif import report_sarif
from firnline_infra.observe.spec_lines import line_of
from firnline_infra.observe.text import report_markdown, report_table
from firnline_infra.render import ci
from firnline_ingest.checks import Finding, Report, good, unknown, wrong

ROOT = Path(__file__).parents[3]
SETUP = Path(ci.__file__).parent / "files" / "github-setup.yaml"
ACTION = ROOT / ".github" / "actions" / "drift" / "action.yml"
SCHEMAS = Path(check_jsonschema.__file__).parent / "builtin_schemas" / "vendor"


def finding(path: str = "tags.who", found: str = "me", rule: str = "stack") -> Finding:
    return Finding(
        kind="kinesis stream", name="orders", path=path, expected="nothing", found=found, rule=rule, next_step="up"
    )


@pytest.fixture
def report() -> Report:
    entry = Entry(object="kinesis stream orders", property="tags.cost", reason="the tool", until=date(2026, 12, 31))
    findings = [finding(), finding("tags.cost"), finding("resource policy", "x" * 99, "right")]
    unseen = unknown("the rights of iam role r", "iam:GetRole was refused", next_step="allow it")
    return drift_report("dev", [*findings, unseen], ignoring=IgnoreList((entry,)))


def test_the_table_tells_what_is_ignored_and_what_could_not_be_seen(report: Report) -> None:
    text = report_table(report)
    assert "kinesis stream orders  tags.who" in text
    assert "Ignored until 2026-12-31: kinesis stream orders: tags.cost is me" in text
    assert "NOT SEEN: the rights of iam role r: iam:GetRole was refused" in text
    assert text.endswith("dev: 2 differences, 1 ignored, and 1 could not be seen.")
    assert "x" * 61 not in text


def test_differences_are_grouped_by_kind_of_object_with_counts_the_largest_first() -> None:
    """Each is in its group's table, whole: its object is what an entry of the ignore list is given."""
    others = [replace(finding(f"tags.{n}"), kind="dynamodb table", name=f"ledger{n}") for n in range(3)]
    report = drift_report("dev", [finding(), *others, replace(finding(), kind="", name="odd")], ignoring=IgnoreList())
    lines = report_table(report).splitlines()
    headings = [line for line in lines if line.endswith(")") and "  " not in line]
    assert headings == ["dynamodb table (3)", "kinesis stream (1)", "other (1)"]
    assert lines[-1] == "dev: 5 differences in 3 kinds of object."
    of_tables = lines[lines.index("dynamodb table (3)") : lines.index("kinesis stream (1)")]
    assert sum(line.startswith("dynamodb table ledger") for line in of_tables) == 3
    assert [line for line in report_markdown(report).splitlines() if line.startswith("**")] == [
        "**dynamodb table (3)**",
        "**kinesis stream (1)**",
        "**other (1)**",
    ]


def test_the_preflight_is_by_cause_and_fits_a_terminal() -> None:
    step = "log in to AWS; the command can be repeated as it is."
    denied = "{} on whoever was refused: Unable to locate credentials"
    asked = {
        "accounts": "sts:GetCallerIdentity",
        "rights": "iam:SimulatePrincipalPolicy",
        "limits": "kinesis:DescribeLimits",
    }
    found = [replace(good(f"tool {n}", "is new enough"), rule="tools") for n in range(9)]
    found += [
        replace(unknown("AWS", denied.format(action), next_step=step), rule=area) for area, action in asked.items()
    ]
    hosts = (f"a-host-with-a-long-name-{n}.eu-central-1.amazonaws.com:443" for n in range(20))
    found += [replace(wrong(each, "DNS lookup failed", next_step="open it"), rule="network") for each in hosts]
    lines = report_table(Report(suite=DOCTOR, environment="dev", findings=tuple(found))).splitlines()
    assert max(map(len, lines)) <= 100
    assert sum("Next: " in line for line in lines) == 2
    assert sum("Unable to locate credentials" in line for line in lines) == 1
    assert lines[0].startswith("good     tools: tool 0 is new enough")
    assert any(line.startswith("UNKNOWN  accounts, rights, limits: AWS sts:GetCallerIdentity") for line in lines)
    assert not any(line.endswith("..") for line in lines)


def test_json_has_everything_in_full(report: Report) -> None:
    document = report.as_document()
    assert [each["property"] for each in document["drift"]] == ["resource policy", "tags.who"]
    assert document["drift"][0]["found"] == "x" * 99
    assert (document["ignored"][0]["reason"], document["unseen"][0]["next_step"]) == ("the tool", "allow it")
    assert document["exit_status"] == 2


def test_nobody_writes_into_a_pull_request_by_the_name_of_an_object() -> None:
    nasty = "`|\n# @admin <img src=x> [a](b)"
    markdown = report_markdown(drift_report("dev", [finding(f"tags.{nasty}", nasty)], ignoring=IgnoreList()))
    (row,) = [line for line in markdown.splitlines() if "kinesis stream" in line and line.startswith("|")]
    assert "**kinesis stream (1)**" in markdown.splitlines()
    cells = re.split(r"(?<!\\)\|", row)[1:-1]
    assert len(cells) == 5
    assert all(re.fullmatch(r" (`+).*\1 ", cell) for cell in cells)
    assert cells[3].strip().startswith("`` ")


def test_sarif_has_a_rule_a_place_and_a_lasting_fingerprint_for_each_result(report: Report) -> None:
    document = json.loads(report_sarif(report, spec_file="stacks/environments/dev.yaml"))
    (run,) = document["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert document["version"] == "2.1.0"
    assert {result["ruleId"] for result in run["results"]} <= rules
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]]
    assert set(places) == {"stacks/environments/dev.yaml"}
    assert [result.get("suppressions", []) != [] for result in run["results"]] == [False, False, True]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "could not be seen" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    later = drift_report("dev", [finding(found="you")], ignoring=IgnoreList())
    fingerprints = json.loads(report_sarif(later, spec_file="x"))["runs"][0]["results"][0]["partialFingerprints"]
    assert fingerprints == run["results"][1]["partialFingerprints"]


def test_gitlab_is_told_every_difference_and_all_that_could_not_be_seen(report: Report) -> None:
    results = json.loads(report_code_quality(report, spec_file="stacks/environments/dev.yaml"))
    assert [each["severity"] for each in results] == ["critical", "major", "blocker"]
    assert {each["location"]["path"] for each in results} == {"stacks/environments/dev.yaml"}
    assert all(
        each["location"]["lines"]["begin"] == 1 and each["check_name"] and each["description"] for each in results
    )
    assert len({each["fingerprint"] for each in results}) == len(results)
    later = drift_report("dev", [finding(found="you")], ignoring=IgnoreList())
    (result,) = json.loads(report_code_quality(later, spec_file="x"))
    assert result["fingerprint"] == results[1]["fingerprint"]


SPECIFICATION = """\
name: dev
streams:
  - {name: orders, shards: 2}
  - name: clicks
    retention_hours: 24
    tags:
      owner: web
pipelines:
  - stream: orders
    database: LAKE
    table: '"Orders"'
  - stream: clicks
    table: CLICKS
    error_logging: true
"""


@pytest.mark.parametrize(
    ("kind", "name", "path", "line"),
    [
        ("kinesis stream", "orders", "shardCount", 3),
        ("kinesis stream", "clicks", "tags.owner", 7),
        ("kinesis stream", "clicks", "retention_hours", 5),
        ("snowflake table", "LAKE.RAW.Orders", "comment", 9),
        ("snowflake table", "LAKE.RAW.CLICKS", "errorLogging", 14),
        ("iam role", "firnline-dev-engine", "tags", 1),
    ],
)
def test_a_result_lies_where_the_specification_speaks_of_it(kind: str, name: str, path: str, line: int) -> None:
    found = Finding(kind=kind, name=name, path=path, found="me", rule="stack")
    given: dict[str, Any] = {"spec_file": "dev.yaml", "line_of": line_of(SPECIFICATION)}
    report = drift_report("dev", [found], ignoring=IgnoreList())
    (result,) = json.loads(report_sarif(report, **given))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == line
    (result,) = json.loads(report_code_quality(report, **given))
    assert result["location"]["lines"]["begin"] == line


def action() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    return document


def test_the_action_is_one_as_github_takes_it() -> None:
    schema = json.loads((SCHEMAS / "github-actions.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(schema).validate(action())


def test_the_actions_that_it_uses_are_those_of_the_workflow_by_their_digest() -> None:
    used = re.findall(r"uses: (\S+ # \S+)", ACTION.read_text(encoding="utf-8"))
    workflow = SETUP.read_text(encoding="utf-8") + SETUP.parents[1].joinpath("tools.py").read_text(encoding="utf-8")
    of_workflow = re.findall(r"uses: (\S+ # [^\s\",]+)", workflow)
    assert used == [each for each in of_workflow if each.startswith(("actions/setup-python@", "pulumi/actions@"))]
    assert len(used) == 2
    assert all(re.search(r"@[0-9a-f]{40} ", each) for each in used)


def test_no_input_of_the_action_is_a_part_of_a_script() -> None:
    for step in action()["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
