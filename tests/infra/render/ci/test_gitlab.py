"""The pipeline is one that GitLab takes, its scripts are ones that a shell takes, and only its own jobs are let in."""

import json
import os
import re
import shlex
import subprocess
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
from firnline_infra.pulumi_cli.version import OLDEST, Version
from firnline_infra.render.bootstrap import template
from firnline_infra.render.bootstrap.ci_provider import SUBJECT_OF_GITLAB, GitLab, tier_of
from firnline_infra.render.bootstrap.settings import settings
from firnline_infra.render.ci.gitlab import pipeline
from firnline_infra.render.ci.tools import CiTool
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.terraform.errors import OLDEST as OLDEST_TERRAFORM
from firnline_local.aws.policy import hold

FORGE = GitLab(project="acme/data", branch="release/2", host="gitlab.acme.com")
PLANS = {"plan.json", "plan.tfplan"}
OPTIONS = {
    *PLANS,
    "--protected",
    "--save-plan",
    "--plan",
    "--also",
    "markdown=drift.md",
    "codequality=drift.codequality.json",
}


@pytest.fixture
def jobs(spec: EnvironmentSpec, case: list[str]) -> dict[str, dict[str, Any]]:
    blueprint, tool = blueprint_of(spec), case[1]
    text = pipeline(blueprint, release="1.2.3", environment=spec.name, provider=FORGE, tool=tool)
    found: dict[str, dict[str, Any]] = yaml.safe_load(text)
    return found


def script(job: dict[str, Any]) -> str:
    """Returns the script as the runner joins it: one shell."""
    return "\n".join([*job["before_script"], *job["script"]])


def named(spec: EnvironmentSpec, what: str) -> str:
    return f"firnline-{spec.name}{what}"


def run(job: dict[str, Any], folder: Path, *, status: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
    """With stand-ins that note what they are told; as GitLab's runner runs it: bash, with errexit and pipefail."""
    binary = folder / ".venv" / "bin"
    binary.mkdir(parents=True, exist_ok=True)
    told = folder / "told"
    ends_with = {"python3": 0, "curl": 0, "sha256sum": 0, "chmod": 0, "pip": 0, "firnline": status}
    for name, ends in ends_with.items():
        place = binary / name if name in ("pip", "firnline") else folder / name
        passes = 'case "$1" in spec | policy) exit 0 ;; esac'
        checks = "cat > /dev/null" if name == "sha256sum" else passes
        place.write_text(f"#!/bin/sh\n{checks}\nenv > {told}.{name}\necho out; echo err >&2\nexit {ends}\n")
        place.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "AWS_ID_TOKEN": "ey.token", **variables}
    command = ["bash", "-e", "-o", "pipefail", "-c", script(job)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_gitlab_takes_it(jobs: dict[str, dict[str, Any]]) -> None:
    vendored = files("check_jsonschema").joinpath("builtin_schemas/vendor/gitlab-ci.json")
    jsonschema.Draft7Validator(json.loads(vendored.read_text(encoding="utf-8"))).validate(jobs)


def test_what_the_scripts_call_exists(spec: EnvironmentSpec, jobs: dict[str, dict[str, Any]]) -> None:
    for name, job in jobs.items():
        lines = [line for line in script(job).splitlines() if "bin/firnline " in line]
        assert len(lines) == (3 if name.endswith("-preview") else 2)
        for line in lines:
            words = shlex.split(re.split(r" > | 2>| \|\|", line)[0])[1:]
            command: click.Command = firnline
            while isinstance(command, click.Group):
                found = command.get_command(click.Context(command), words.pop(0))
                assert found is not None
                command = found
            assert [word for word in words if word not in OPTIONS] == [spec.name]


@pytest.mark.parametrize(("status", "ends"), [(0, 0), (3, 0), (2, 1), (1, 1)])
def test_a_preview_that_finds_a_difference_is_no_failure_and_is_shown_either_way(
    prod_spec: EnvironmentSpec, tmp_path: Path, status: int, ends: int
) -> None:
    jobs = yaml.safe_load(pipeline(blueprint_of(prod_spec), release="1", environment="prod", provider=FORGE))
    ran = run(jobs["firnline-prod-preview"], tmp_path, status=status)
    assert (ran.returncode != 0) == (ends != 0), ran
    assert (tmp_path / "preview.txt").read_text() == "out\nerr\n"
    assert ran.stdout.endswith("out\nerr\n")


@pytest.mark.parametrize("status", [0, 1, 2, 3])
@pytest.mark.parametrize("what", ["", "-drift"])
def test_up_and_the_comparison_end_as_their_commands_do(
    prod_spec: EnvironmentSpec, tmp_path: Path, what: str, status: int
) -> None:
    jobs = yaml.safe_load(pipeline(blueprint_of(prod_spec), release="1", environment="prod", provider=FORGE))
    assert run(jobs[f"firnline-prod{what}"], tmp_path, status=status).returncode == status


def test_what_a_job_is_told_arrives_as_it_is_whatever_else_somebody_gives_the_pipeline(
    spec: EnvironmentSpec, jobs: dict[str, dict[str, Any]], tmp_path: Path, tool: CiTool
) -> None:
    names = blueprint_of(spec).names
    whom = {"-preview": names.preview_role, "": names.deploy_role, "-drift": names.preview_role}
    for what, role in whom.items():
        given = {"AWS_ROLE_ARN": "arn:aws:iam::1:role/mine", "SNOWFLAKE_ROLE": "R", "PULUMI_BACKEND_URL": "s3://mine"}
        assert run(jobs[named(spec, what)], tmp_path, **given).returncode == 0
        told = (tmp_path / "told.firnline").read_text().splitlines()
        variable, its = tool.variable
        environment = Environment.of(spec)
        for name, value in {**settings(environment, str(role)), variable: its(environment)}.items():
            assert f"{name}={value}" in told or name == "PULUMI_BACKEND_URL" != variable
        kind = "deploy" if what == "" else "preview"
        assert f"AWS_ROLE_ARN=arn:aws:iam::123456789012:role/{kind}-firnline-{spec.name}" in told
        (place,) = [line.partition("=")[2] for line in told if line.startswith("AWS_WEB_IDENTITY_TOKEN_FILE=")]
        assert Path(place).read_text() == "ey.token"
        assert Path(place).stat().st_mode & 0o077 == 0
        Path(place).unlink()
        assert "AWS_ID_TOKEN" not in (tmp_path / "told.pip").read_text()


def test_a_merge_request_is_previewed_by_hand_and_never_one_of_a_fork(
    spec: EnvironmentSpec, jobs: dict[str, dict[str, Any]]
) -> None:
    merged, asked = jobs[named(spec, "-preview")]["rules"]
    assert asked["when"] == "manual"
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_PATH == $CI_PROJECT_PATH" in asked["if"]
    assert merged["if"] == '$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == "release/2"'
    (up,) = jobs[named(spec, "")]["rules"]
    assert (up["if"], up["when"], up["allow_failure"]) == (merged["if"], "manual", False)
    (drift,) = jobs[named(spec, "-drift")]["rules"]
    assert drift["if"].startswith('$CI_PIPELINE_SOURCE == "schedule" && $CI_COMMIT_BRANCH == "release/2"')


def test_up_does_nothing_but_what_the_preview_before_it_said(
    spec: EnvironmentSpec, jobs: dict[str, dict[str, Any]], tool: CiTool
) -> None:
    preview, up = jobs[named(spec, "-preview")], jobs[named(spec, "")]
    assert up["needs"] == [{"job": named(spec, "-preview"), "artifacts": True}]
    assert tool.plan in preview["artifacts"]["paths"]
    assert f"--save-plan {tool.plan}" in script(preview)
    assert f"--plan {tool.plan}" in script(up)
    assert up["resource_group"] == named(spec, "")
    assert up["interruptible"] is False


def test_the_tool_is_new_enough_and_an_archive_is_taken_by_its_hash(
    jobs: dict[str, dict[str, Any]], case: list[str]
) -> None:
    for job in jobs.values():
        if case[1] == "pulumi":
            found, oldest = Version.from_text(job["image"]["name"].partition(":")[2]), OLDEST
        else:
            (url,) = re.findall(r"https://\S+_amd64\S+", script(job))
            archive = url.rpartition("/")[2]
            assert re.search(rf"echo '[0-9a-f]{{64}}  {re.escape(archive)}' \| sha256sum --check", script(job))
            found, oldest = Version.from_text(archive.split("_")[1]), OLDEST_TERRAFORM
        assert found is not None
        assert found >= oldest


def subject(spec: EnvironmentSpec, **changes: str) -> str:
    """Returns the subject as GitLab writes it once its components are set: name:value of each, joined by colons."""
    token = {
        "project_path": "acme/data",
        "ref_type": "branch",
        "ref": "release/2",
        "environment_protected": "true",
        "deployment_tier": tier_of(Environment.of(spec)),
        **changes,
    }
    return ":".join(f"{name}:{token[name]}" for name in SUBJECT_OF_GITLAB)


def conditions(spec: EnvironmentSpec, role: str, subject: str, audience: str = "sts.amazonaws.com") -> bool:
    made = template(blueprint_of(spec), provider=FORGE)["Resources"]
    (trust,) = made[f"{role}Role"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Federated": "arn:aws:iam::123456789012:oidc-provider/gitlab.acme.com"}
    return hold(trust["Condition"], {"gitlab.acme.com:aud": audience, "gitlab.acme.com:sub": subject})


def test_the_role_that_deploys_is_opened_by_a_protected_environment_of_its_tier_from_its_branch(
    prod_spec: EnvironmentSpec,
) -> None:
    assert conditions(prod_spec, "Deploy", subject(prod_spec))
    for changes in (
        {"ref": "feature"},
        {"ref_type": "tag"},
        {"project_path": "acme/data2"},
        {"project_path": "mallory/data"},
        {"environment_protected": "false"},
        {"deployment_tier": "other"},
        {"deployment_tier": "development"},
    ):
        assert not conditions(prod_spec, "Deploy", subject(prod_spec, **changes)), changes
    assert not conditions(prod_spec, "Deploy", subject(prod_spec), audience="https://vault")
    assert not conditions(
        prod_spec, "Deploy", "project_path:acme/data:ref_type:branch:ref:release/2"
    )  # GitLab's default


def test_the_role_that_reads_is_opened_from_any_branch_by_the_protected_environment_for_previews(
    prod_spec: EnvironmentSpec,
) -> None:
    previews = {"deployment_tier": "other"}
    assert conditions(prod_spec, "Preview", subject(prod_spec, **previews))
    assert conditions(prod_spec, "Preview", subject(prod_spec, ref="feature/x", **previews))
    for changes in ({"environment_protected": "false"}, {"ref_type": "tag"}, {"project_path": "mallory/data"}):
        assert not conditions(prod_spec, "Preview", subject(prod_spec, **{**previews, **changes})), changes
    assert not conditions(prod_spec, "Preview", "project_path:acme/data:ref_type:branch:ref:feature")


@pytest.mark.parametrize("name", ["prod", "live", "other", "eu", "dev", "staging", "preprod", "qa"])
def test_no_environment_has_the_tier_of_previews(prod_spec: EnvironmentSpec, name: str) -> None:
    assert tier_of(Environment.of(prod_spec.model_copy(update={"name": name}))) != "other"
