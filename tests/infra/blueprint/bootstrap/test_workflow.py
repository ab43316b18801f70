"""The workflow is one that GitHub takes, its scripts are ones that a shell takes, and what they call exists."""

import json
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
from firnline_infra.blueprint.bootstrap.settings import settings
from firnline_infra.blueprint.bootstrap.workflow import workflow
from firnline_infra.cli.main import firnline
from firnline_infra.specification import EnvironmentSpec, parse_spec

REPOSITORY = Path(__file__).parents[4]


@pytest.fixture(params=["prod", "small", "odd"])
def spec(request: pytest.FixtureRequest) -> EnvironmentSpec:
    spec: EnvironmentSpec = request.getfixturevalue(f"{request.param}_spec")
    return spec


@pytest.fixture
def odd_spec() -> EnvironmentSpec:
    """With a name that is a truth value in YAML, and an identifier with every kind of quote."""
    return parse_spec(
        """
        version: 1
        name: "on"
        aws: {region: eu-central-1, account: "123456789012"}
        snowflake: {account: ORG-ACCOUNT, reader_warehouse: '"it''s a #1: ""house"" here"'}
        streams: [{name: orders}]
        pipelines: [{stream: orders, database: LAKE, schema: RAW}]
        """,
        "on.yaml",
    )


@pytest.fixture
def text(spec: EnvironmentSpec) -> str:
    return workflow(spec, blueprint_of(spec), branch="release/2")


@pytest.fixture
def jobs(text: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(text)["jobs"]
    return found


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


def test_what_the_scripts_call_exists(spec: EnvironmentSpec, jobs: dict[str, dict[str, Any]]) -> None:
    said = [line for script in scripts(jobs) for line in script.splitlines() if "/firnline " in line]
    assert len(said) == len(jobs)
    for line in said:
        command: click.Command = firnline
        _, *words = shlex.split(line)
        while isinstance(command, click.Group):
            found = command.get_command(click.Context(command), words.pop(0))
            assert found is not None
            command = found
        assert words == [f"stacks/environments/{spec.name}.yaml"]


def test_what_the_scripts_install_is_in_the_repository(jobs: dict[str, dict[str, Any]]) -> None:
    for script in scripts(jobs):
        for folder, extra in re.findall(r"-e '?\./(\w+)(?:\[(\w+)\])?", script):
            project = (REPOSITORY / folder / "pyproject.toml").read_text(encoding="utf-8")
            assert not extra or f"\n{extra} = [" in project
        if "requirements.txt" in script:
            assert (REPOSITORY / "requirements.txt").exists()


def test_names_and_settings_arrive_as_they_are(spec: EnvironmentSpec, jobs: dict[str, dict[str, Any]]) -> None:
    assert [job["environment"] for job in jobs.values()] == [f"{spec.name}-preview", spec.name]
    for job in jobs.values():
        given = settings(spec, job["env"]["SNOWFLAKE_USER"])
        assert {name: job["env"][name] for name in given} == given
        assert job["steps"][-1]["with"]["stack-name"] == spec.name


def test_a_preview_never_takes_the_place_of_an_up_that_waits(text: str, jobs: dict[str, dict[str, Any]]) -> None:
    assert "concurrency" not in yaml.safe_load(text)  # one group for both
    groups = {name: job["concurrency"]["group"] for name, job in jobs.items()}
    assert groups["preview"] != groups["up"]
    assert jobs["up"]["concurrency"]["cancel-in-progress"] is False


def test_only_up_may_change_anything_and_neither_keeps_a_token(jobs: dict[str, dict[str, Any]]) -> None:
    for name, job in jobs.items():
        assert job["permissions"].get("contents") == "read"
        assert job["steps"][0]["with"] == {"persist-credentials": False}
        assert job["steps"][-1]["with"]["command"] == name
        assert job["steps"][-1]["with"]["refresh"] is True
    assert jobs["up"]["if"].startswith("github.event_name == 'push' && ")
