"""Results of drift and audit: those of this folder and those that CI kept, the newest of each, and nothing else."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from firnline_infra.drift.suite import DRIFT
from firnline_infra.status.checks import ci_run, embedded_at, findings_of_report, last_checks, remember_check
from firnline_infra.status.model import CheckFinding
from firnline_infra.status.text import status_text
from firnline_ingest.checks import Finding, Report, unknown
from tests.infra.status import sample

APPLICATION = "firnline-dev"


def kept(folder: Path, *, name: str = "drift", application: str = APPLICATION, **others: object) -> Path:
    """A result of an hour ago, as CI keeps it."""
    at = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    document = {"application": application, "name": name, "at": at, "exit_status": 0, "summary": "no differences"}
    file = folder / f"{APPLICATION}.{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**document, **others}))
    return file


def test_what_a_command_remembers_is_its_last_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert last_checks(APPLICATION, [tmp_path / "absent"]) == []
    monkeypatch.setenv("CI_JOB_URL", "https://gitlab.example/job/7")
    monkeypatch.delenv("GITHUB_RUN_ID", raising=False)
    finding = CheckFinding(what="table LAKE.RAW.ORDERS: is not there", next_step="firnline up")
    remember_check(APPLICATION, "drift", 3, "1 differences", findings=[finding] * 30, folder=tmp_path)
    (found,) = last_checks(APPLICATION, [tmp_path])
    assert (found.name, found.exit_status, found.ran_in) == ("drift", 3, "https://gitlab.example/job/7")
    assert found.findings == (finding,) * 20
    assert last_checks("another", [tmp_path]) == []
    (tmp_path / "file").write_text("no folder")
    remember_check(APPLICATION, "drift", 0, "none", folder=tmp_path / "file")


def test_a_check_that_is_remembered_replaces_the_last_one_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A status that is asked meanwhile, or after a kill, reads the old one."""
    remember_check(APPLICATION, "drift", 0, "the old one", folder=tmp_path)

    def killed(draft: Path, target: Path) -> Path:
        assert [each.summary for each in last_checks(APPLICATION, [tmp_path])] == ["the old one"]
        assert "the new one" in draft.read_text()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        remember_check(APPLICATION, "drift", 3, "the new one", folder=tmp_path)
    assert [each.summary for each in last_checks(APPLICATION, [tmp_path])] == ["the old one"]


def test_the_newest_of_all_folders_counts_as_archives_are_unpacked(tmp_path: Path) -> None:
    here, ci = tmp_path / "here", tmp_path / "ci"
    remember_check(APPLICATION, "drift", 3, "here", folder=here)
    kept(ci / "checks" / ".firnline" / "checks")
    kept(ci / "run 2", name="audit", summary="PROVEN: 7 records")
    assert [each.summary for each in last_checks(APPLICATION, [here, ci])] == ["here", "PROVEN: 7 records"]
    later = (datetime.now(UTC) + timedelta(minutes=5)).isoformat()
    kept(ci / "checks" / ".firnline" / "checks", at=later)
    assert [each.summary for each in last_checks(APPLICATION, [here, ci])] == ["no differences", "PROVEN: 7 records"]


@pytest.mark.parametrize(
    "others",
    [
        {"application": "firnline-prod"},
        {"at": "2126-01-01T00:00:00Z"},
        {"at": "2026-01-01T00:00:00"},
        {"at": "0001-01-01T00:00:00+14:00"},
        {"at": 7},
        {"exit_status": "0"},
        {"summary": None},
        {"findings": "none"},
        {"name": "doctor"},
        {"more": "x" * (1 << 20)},
    ],
    ids=str,
)
def test_what_is_no_result_of_this_application_is_none(tmp_path: Path, others: dict[str, object]) -> None:
    if "application" in others:  # its file's name is not evidence
        kept(tmp_path)
        assert len(last_checks(APPLICATION, [tmp_path])) == 1
    kept(tmp_path, **others)
    assert last_checks(APPLICATION, [tmp_path]) == []


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"name": "drift", "colour": "red"}', "\xff"])
def test_a_file_that_is_something_else_is_none(tmp_path: Path, text: str) -> None:
    kept(tmp_path).write_bytes(text.encode("latin-1"))
    (tmp_path / f"{APPLICATION}.audit.json").mkdir()
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / f"{APPLICATION}.audit.json")  # reading it would wait for ever
    assert last_checks(APPLICATION, [tmp_path]) == []


def test_of_a_huge_result_the_beginning_is_shown_and_its_time_as_browsers_read_it(tmp_path: Path) -> None:
    finding = {"what": "w" * 5000, "next_step": "n" * 5000}
    kept(tmp_path, at="2026-W01-1T00:00:00+00:00:30", findings=[finding] * 50, summary="s" * 5000, ran_in="r" * 5000)
    (found,) = last_checks(APPLICATION, [tmp_path])
    assert found.at == "2025-12-28T23:59:30+00:00"
    assert len(json.dumps([found.summary, found.ran_in, [each.what for each in found.findings]])) < 12_000


def test_an_old_one_says_so_and_where_it_ran() -> None:
    found = sample.good()
    check = replace(found.checks[0], at="2026-11-01T14:05:12+00:00", ran_in="https://ci.example/7", summary="a\nb")
    text = status_text(replace(found, checks=(check,)))
    assert "Last drift, 2026-11-01T14:05:12+00:00, in https://ci.example/7: a\\nb. This was 22 days ago." in text
    assert "ago." not in status_text(found).splitlines()[-1]


def test_differences_come_before_what_was_not_seen() -> None:
    table = Finding(name="LAKE.RAW.ORDERS", path="comment", expected="a", found="b", repair="ALTER TABLE …")
    report = Report(
        suite=DRIFT, environment="dev", findings=(unknown("grants", "FL-5501", next_step="look as the deployer"), table)
    )
    assert list(findings_of_report(report)) == [
        CheckFinding(what="LAKE.RAW.ORDERS: comment is b, expected a", next_step="ALTER TABLE …"),
        CheckFinding(what="not seen: grants: FL-5501", next_step="look as the deployer"),
    ]


def test_a_run_of_ci_has_an_address() -> None:
    github = {"GITHUB_RUN_ID": "7", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "team/data"}
    assert ci_run(github) == "https://github.com/team/data/actions/runs/7"
    assert ci_run({}) == ""


def test_what_was_proven_in_an_embedded_environment_is_proven_in_no_other_place(tmp_path: Path) -> None:
    first, second = "http://127.0.0.1:4001", "http://127.0.0.1:4002"
    remember_check(APPLICATION, "audit", 0, "PROVEN: 10 records", embedded_at=first, folder=tmp_path)
    assert last_checks(APPLICATION, [tmp_path]) == []
    assert last_checks(APPLICATION, [tmp_path], embedded_at=second) == []
    assert [each.summary for each in last_checks(APPLICATION, [tmp_path], embedded_at=first)] == ["PROVEN: 10 records"]


@pytest.mark.parametrize(
    ("endpoints", "variables", "found"),
    [
        ({"kinesis": "http://127.0.0.1:4001"}, {}, "http://127.0.0.1:4001"),
        ({}, {"AWS_ENDPOINT_URL_KINESIS": "http://127.0.0.1:4001"}, "http://127.0.0.1:4001"),
        ({"kinesis": "https://vpce-1.kinesis.eu-west-1.vpce.amazonaws.com"}, {}, ""),
        ({}, {}, ""),
    ],
)
def test_only_an_endpoint_on_loopback_is_an_embedded_environment(
    endpoints: dict[str, str], variables: dict[str, str], found: str
) -> None:
    assert embedded_at(endpoints, variables) == found
