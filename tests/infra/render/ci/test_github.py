"""The workflow is one that GitHub takes, its scripts are ones that a shell takes, and what they call exists."""

import json
import os
import re
import shlex
import subprocess
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.cli.main import firnline
from firnline_infra.environment import Environment
from firnline_infra.pulumi_cli.version import Version
from firnline_infra.render.bootstrap.settings import settings
from firnline_infra.render.ci.github import workflow
from firnline_infra.render.ci.tools import TOOLS, CiTool
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.terraform.errors import OLDEST
from tests.infra.render.ci.conftest import whatever_the_tool

REPOSITORY = Path(__file__).parents[4]
RELEASE = "1.2.3"
REPORT = "markdown=$RUNNER_TEMP/drift.md"


@pytest.fixture
def text(spec: EnvironmentSpec, case: list[str]) -> str:
    blueprint, tool = blueprint_of(spec), case[1]
    return workflow(blueprint, release=RELEASE, environment=spec.name, branch="release/2", tool=tool)


@pytest.fixture
def jobs(text: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(text)["jobs"]
    return found


def ends_with(folder: Path, script: str, firnline: str) -> subprocess.CompletedProcess[str]:
    """A script as GitHub's runner runs it, with a stand-in for the command."""
    binary = folder / ".venv" / "bin" / "firnline"
    binary.parent.mkdir(parents=True, exist_ok=True)
    binary.write_text(f"#!/bin/sh\n{firnline}\n")
    binary.chmod(0o755)
    variables = {**os.environ, "RUNNER_TEMP": str(folder)}
    command = ["bash", "-e", "-c", script]
    return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)


def scripts(jobs: dict[str, dict[str, Any]]) -> list[str]:
    return [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]


def test_github_takes_it(text: str) -> None:
    vendored = files("check_jsonschema").joinpath("builtin_schemas/vendor/github-workflows.json")
    document = {str(key) if key is not True else "on": value for key, value in yaml.safe_load(text).items()}
    jsonschema.validate(document, json.loads(vendored.read_text(encoding="utf-8")))


def test_every_script_is_one_that_a_shell_takes(jobs: dict[str, dict[str, Any]]) -> None:
    assert scripts(jobs)
    for script in scripts(jobs):
        found = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
        assert (found.returncode, found.stderr) == (0, ""), script


def called(jobs: dict[str, dict[str, Any]]) -> dict[str, list[list[str]]]:
    """Returns what each job calls of ours, as words: without the shell's redirections."""
    found = {}
    for name, job in jobs.items():
        lines = [line for script in scripts({name: job}) for line in script.splitlines() if "/firnline " in line]
        found[name] = [shlex.split(re.split(r" 2>| \|", line)[0]) for line in lines]
    return found


def test_what_the_scripts_call_exists(spec: EnvironmentSpec, jobs: dict[str, dict[str, Any]]) -> None:
    for name, lines in called(jobs).items():
        assert len(lines) == (3 if name == "preview" else 2)
        for _, *words in lines:
            command: click.Command = firnline
            while isinstance(command, click.Group):
                found = command.get_command(click.Context(command), words.pop(0))
                assert found is not None
                command = found
            options = (
                "--save-plan",
                "--plan",
                "$plan",
                "--also",
                REPORT,
                "--protected",
                "markdown=$GITHUB_STEP_SUMMARY",
            )
            assert [word for word in words if word not in options and "TEMP/plan." not in word] == [spec.name]


def test_an_environment_elsewhere_is_called_by_its_path_and_watched(prod_spec: EnvironmentSpec) -> None:
    path = "the team's/prod.yaml"
    rendered = workflow(blueprint_of(prod_spec), release=RELEASE, environment=path)
    document = yaml.safe_load(rendered)
    assert {path in words for lines in called(document["jobs"]).values() for words in lines} == {True}
    assert document[True]["pull_request"]["paths"][1] == "the team's/prod.*"  # its file of keys too


def test_what_the_scripts_install_is_the_release_that_rendered_them(
    jobs: dict[str, dict[str, Any]], tool: CiTool
) -> None:
    project = tomllib.loads((REPOSITORY / "infra" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, job in jobs.items():
        lines = [line for script in scripts({name: job}) for line in script.splitlines()]
        assert [line for line in lines if "pip install" in line] == ['.venv/bin/pip install "$@"']
        (install,) = [line for line in lines if "set -- " in line]
        by_hash, _, otherwise = install.partition("; else ")
        assert by_hash == "if [ -f firnline.txt ]; then set -- --require-hashes -r firnline.txt"
        words = shlex.split(otherwise.removesuffix("; fi"))
        package, extra, release = re.fullmatch(r"([\w-]+)\[(\w+)\]==(\S+)", words[-1]).groups()
        assert (package, extra, release) == (project["name"], tool.extra, RELEASE)
        assert extra in project["optional-dependencies"]
        assert not re.search(r"-e |\./", install)  # nothing of a clone


def test_a_preview_that_finds_a_difference_is_no_failure_and_any_other_status_is(
    jobs: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    (script,) = [each for each in scripts({"preview": jobs["preview"]}) if "firnline preview" in each]
    for status, expected in ((0, 0), (3, 0), (2, 2), (1, 1)):
        ran = ends_with(tmp_path, script, f"echo '+ stream'; echo 'refused' >&2; exit {status}")
        assert (ran.returncode != 0) == (expected != 0), (status, ran)
        assert (tmp_path / "preview.txt").read_text() == ran.stdout == "+ stream\nrefused\n"


@whatever_the_tool
def test_the_runs_summary_has_the_preview(jobs: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    (tmp_path / "preview.txt").write_text("+ stream\n")
    summary = tmp_path / "summary.md"
    variables = {**os.environ, "RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
    subprocess.run(["bash", "-e", "-c", scripts(jobs)[3]], env=variables, check=True)
    assert summary.read_text() == "\n    + stream\n\n"


@whatever_the_tool
def test_nothing_that_a_preview_prints_is_markup_in_the_summary(jobs: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "preview.txt").write_bytes(b"```\n# Approved\r# by security\n<img src=x>\n")
    summary = tmp_path / "summary.md"
    variables = {**os.environ, "RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
    subprocess.run(["bash", "-e", "-c", scripts(jobs)[3]], env=variables, check=True)
    begun, *lines = summary.read_bytes().decode().replace("\r", "\n").split("\n")
    assert begun == "", "a block of code begins behind an empty line"
    assert [each.strip() for each in lines if each] == ["```", "# Approved", "# by security", "<img src=x>"]
    assert all(each.startswith("    ") for each in lines if each)


def as_github_reads(value: str) -> str:
    """With its expressions evaluated; only literals are known here, so that a context's value would fail."""
    return re.sub(r"\$\{\{ '(\$\{\{)' \}\}|\$\{\{.*", lambda found: found[1], value)


def test_names_and_settings_arrive_as_they_are(
    spec: EnvironmentSpec, jobs: dict[str, dict[str, Any]], tool: CiTool
) -> None:
    environments = {name: job.get("environment") for name, job in jobs.items()}
    assert environments == {"preview": f"{spec.name}-preview", "up": spec.name, "drift": None}
    for job in jobs.values():
        env = {name: as_github_reads(value) for name, value in job["env"].items()}
        name, value = tool.variable
        given = {**settings(Environment.of(spec), env["SNOWFLAKE_USER"]), name: value(Environment.of(spec))}
        if name != "PULUMI_BACKEND_URL":
            assert "PULUMI_BACKEND_URL" not in env
            del given["PULUMI_BACKEND_URL"]
        assert {name: env[name] for name in given} == given
    users = {as_github_reads(job["env"]["SNOWFLAKE_USER"]) for job in jobs.values()}
    names = blueprint_of(spec).names
    assert users == {str(names.preview_role), str(names.deploy_role)}


def test_a_preview_never_takes_the_place_of_an_up_that_waits(text: str, jobs: dict[str, dict[str, Any]]) -> None:
    assert "concurrency" not in yaml.safe_load(text)  # one group for both
    groups = {name: job["concurrency"]["group"] for name, job in jobs.items()}
    assert groups["preview"] != groups["up"]
    assert jobs["up"]["concurrency"]["cancel-in-progress"] is False


def test_only_up_may_change_anything_and_neither_keeps_a_token(jobs: dict[str, dict[str, Any]]) -> None:
    for name, job in jobs.items():
        assert job["permissions"] == {"contents": "read", "id-token": "write"}
        assert job["steps"][0]["with"] == {"persist-credentials": False}
        before = ["spec", "policy"] if name == "preview" else ["spec"]
        assert [words[1] for words in called(jobs)[name]] == [*before, name]
    assert jobs["up"]["if"].startswith("github.event_name == 'push' && ")


@whatever_the_tool
@pytest.mark.parametrize("status", [0, 1, 2, 3])
def test_each_day_the_drift_is_looked_for_and_what_could_not_be_seen_is_no_success(
    text: str, jobs: dict[str, dict[str, Any]], tmp_path: Path, status: int
) -> None:
    """In the role that reads: nobody approves a run, so it may change nothing."""
    assert len(yaml.safe_load(text)[True]["schedule"][0]["cron"].split()) == 5
    drift, preview = jobs["drift"], jobs["preview"]
    assert drift["if"] == "github.event_name == 'schedule'"
    assert "github.event_name" not in preview["if"] or "schedule" not in preview["if"]
    assert drift["env"] == preview["env"]
    roles = [
        step["with"]["role-to-assume"] for job in (drift, preview) for step in job["steps"] if "role-to" in str(step)
    ]
    assert roles[0] == roles[1]
    (script,) = [each for each in scripts({"drift": drift}) if "firnline drift" in each]
    assert ends_with(tmp_path, script, f"exit {status}").returncode == status


def test_up_does_nothing_but_what_the_preview_before_it_said(jobs: dict[str, dict[str, Any]], tool: CiTool) -> None:
    plan = f"$RUNNER_TEMP/{tool.plan}"
    assert jobs["up"]["needs"] == "preview"
    merged = jobs["up"]["if"]
    assert jobs["preview"]["if"].startswith(f"{merged} || ")
    (kept,) = [step for step in jobs["preview"]["steps"] if "upload-artifact" in step.get("uses", "")]
    (fetched,) = [step for step in jobs["up"]["steps"] if "download-artifact" in step.get("uses", "")]
    assert kept["with"]["name"] == fetched["with"]["name"]
    assert kept["with"]["path"] == f"{fetched['with']['path']}/{tool.plan}" == f"${{{{ runner.temp }}}}/{tool.plan}"
    (saves,), (obeys,) = [[words for words in called(jobs)[name] if words[1] == name] for name in ("preview", "up")]
    assert saves[-2:] == ["--save-plan", "$plan"]
    assert any(f'plan="{plan}"' in script for script in scripts({"preview": jobs["preview"]}))
    assert obeys[-2:] == ["--plan", plan]


def test_what_tells_of_a_preview_and_of_drift_is_the_same_whatever_the_tool(odd_spec: EnvironmentSpec) -> None:
    blueprint, said = blueprint_of(odd_spec), set()
    for tool in TOOLS:
        text = workflow(blueprint, release=RELEASE, environment=odd_spec.name, tool=tool, comment=True)
        found = yaml.safe_load(text)["jobs"]
        said.add((scripts(found)[3], *(scripts({name: found[name]})[-1] for name in ("drift", "comment"))))
    assert len(said) == 1


def test_actions_are_named_by_commit_with_their_release_beside_it(text: str) -> None:
    uses = [line.partition("uses: ")[2] for line in text.splitlines() if "uses: " in line]
    assert len(uses) > 4
    for each in uses:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each), each


def test_one_tool_is_provided_and_it_is_new_enough(jobs: dict[str, dict[str, Any]], case: list[str]) -> None:
    """Terraform's wrapper would hide exit statuses and the plan's own text."""
    for job in jobs.values():
        (step,) = [each for each in job["steps"] if re.match("pulumi/|hashicorp/|opentofu/", each.get("uses", ""))]
        if case[1] == "pulumi":
            assert "with" not in step
            continue
        cli = {"terraform": "terraform", "opentofu": "tofu"}[case[1]]
        assert step["with"][f"{cli}_wrapper"] is False
        assert Version.from_text(step["with"][f"{cli}_version"]) >= OLDEST
        assert job["env"]["TERRAFORM_BINARY_NAME"] == cli


def test_an_environment_that_is_protected_is_held_to_it(
    small_spec: EnvironmentSpec, prod_spec: EnvironmentSpec
) -> None:
    for spec, expected in ((small_spec, False), (prod_spec, True)):
        rendered = workflow(blueprint_of(spec), release=RELEASE, environment=spec.name)
        (line,) = [line for line in rendered.splitlines() if "firnline policy" in line]
        assert ("--protected" in line) is expected
