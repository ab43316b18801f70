"""The preview as a comment of the pull request: opt-in, by a job that can comment and do nothing else, and one however often."""

import json
import os
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.render.ci.github import workflow
from firnline_infra.specification import EnvironmentSpec
from tests.infra.render.ci.conftest import whatever_the_tool

GH = """#!/bin/sh
printf '%s\\n' "$*" >> "$GH_LOG"
case "$*" in *--jq*) cat "$GH_FOUND" ;; esac
"""
"""Stands in for GitHub's CLI: notes what it is asked, and answers the ids that there are."""


@pytest.fixture
def text(spec: EnvironmentSpec, case: list[str]) -> str:
    return workflow(
        blueprint_of(spec), release="1.2.3", environment=spec.name, branch="main", tool=case[1], comment=True
    )


@pytest.fixture
def jobs(text: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text)["jobs"]
    return found


def test_github_takes_it(text: str) -> None:
    vendored = files("check_jsonschema").joinpath("builtin_schemas/vendor/github-workflows.json")
    document = {str(key) if key is not True else "on": value for key, value in yaml.safe_load(text).items()}
    jsonschema.validate(document, json.loads(vendored.read_text(encoding="utf-8")))


def test_without_the_option_no_job_may_write_to_a_pull_request(spec: EnvironmentSpec, case: list[str]) -> None:
    found = workflow(blueprint_of(spec), release="1.2.3", environment=spec.name, branch="main", tool=case[1])
    assert "pull-requests" not in found
    assert "gh api" not in found


def test_the_job_that_comments_meets_no_cloud_and_runs_nothing_of_the_pull_request(jobs: dict[str, Any]) -> None:
    comment = jobs["comment"]
    assert comment["permissions"] == {"pull-requests": "write"}
    assert "environment" not in comment
    assert [step["uses"].partition("@")[0] for step in comment["steps"] if "uses" in step] == [
        "actions/download-artifact"
    ]
    assert comment["if"].startswith("github.event_name == 'pull_request' && ")
    assert "pull-requests" not in jobs["preview"]["permissions"]


def test_what_it_shows_is_what_the_preview_kept(jobs: dict[str, Any]) -> None:
    (kept,) = (step for step in jobs["preview"]["steps"] if step.get("with", {}).get("name") == "preview")
    assert kept["with"]["path"].endswith("/preview.txt")
    assert kept["if"].startswith("always() && github.event_name == 'pull_request'")


@pytest.mark.parametrize(
    ("found", "asked"),
    [
        ("", "--method POST repos/acme/data/issues/7/comments "),
        ("41\n42\n", "--method PATCH repos/acme/data/issues/comments/41 "),
    ],
    ids=["the first preview", "a later one"],
)
@whatever_the_tool
def test_a_pull_request_has_one_comment_however_often_it_is_previewed(
    spec: EnvironmentSpec, jobs: dict[str, Any], tmp_path: Path, found: str, asked: str
) -> None:
    comment = commented(jobs, tmp_path, b"+ stream\n``` @everybody\n" + b"x" * 100_000, found=found)
    listed, written = (tmp_path / "log").read_text().splitlines()
    mark = f"<!-- firnline preview of {spec.name} -->"
    assert mark in listed
    assert asked in f"{written} "
    assert comment.startswith(f"{mark}\n")
    assert len(comment) < 65_536


def commented(jobs: dict[str, Any], folder: Path, preview: bytes, *, found: str = "") -> str:
    (folder / "gh").write_text(GH)
    (folder / "gh").chmod(0o755)
    (folder / "found").write_text(found)
    (folder / "preview.txt").write_bytes(preview)
    given = {"RUNNER_TEMP": str(folder), "GH_LOG": str(folder / "log"), "GH_FOUND": str(folder / "found")}
    variables = {**os.environ, **given, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    variables |= {"REPOSITORY": "acme/data", "NUMBER": "7", "RUN": "https://x", "RESULT": "success"}
    (script,) = (step["run"] for step in jobs["comment"]["steps"] if "run" in step)
    subprocess.run(["bash", "-e", "-c", script], env=variables, check=True)
    return (folder / "comment.md").read_bytes().decode()


@whatever_the_tool
def test_a_short_preview_is_shown_whole_and_as_text(jobs: dict[str, Any], tmp_path: Path) -> None:
    comment = commented(jobs, tmp_path, b"+ stream\n``` @everybody <b>\n")
    assert "    + stream\n    ``` @everybody <b>\n" in comment


@pytest.mark.parametrize(
    "preview",
    [b"# a heading\r# another\rand <img>\n", b"@everybody <img> " * 10_000, b"@everybody\n" * 20_000],
    ids=["returns", "a line that is cut", "lines that are cut"],
)
@whatever_the_tool
def test_nothing_that_a_preview_prints_is_markup(jobs: dict[str, Any], tmp_path: Path, preview: bytes) -> None:
    """A carriage return ends a line of Markdown, too (CommonMark, 2.1)."""
    comment = commented(jobs, tmp_path, preview).replace("\r", "\n")
    shown = comment.partition("</summary>")[2].rpartition("</details>")[0]
    assert shown.startswith("\n\n    ")
    assert all(line.startswith("    ") for line in shown.split("\n") if line)
    assert len(comment) < 65_536
