"""Our workflows are ones that GitHub takes, trust no action by a name that can move, and write no more than they must."""

import json
import re
import subprocess
import zipfile
from collections.abc import Mapping
from email import message_from_bytes
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").iterdir())
MAY_WRITE: dict[str, dict[str, set[str]]] = {
    "release": {
        "build": {"id-token", "attestations"},
        "publish": {"id-token", "contents"},
        "site": {"pages", "id-token"},
    },
    "nightly": {},
    "live": {"live": {"id-token"}},
}
WITH_SECRETS = {"live": "live"}
"""Of a job, the environment whose reviewers let it have them."""


def document(file: Path) -> dict[str, Any]:
    """YAML reads the word `on` as true."""
    found = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {str(key) if key is not True else "on": value for key, value in found.items()}


@pytest.fixture(params=WORKFLOWS, ids=lambda file: file.stem)
def workflow_file(request: pytest.FixtureRequest) -> Path:
    file: Path = request.param
    return file


@pytest.fixture
def workflow(workflow_file: Path) -> dict[str, Any]:
    return document(workflow_file)


def test_github_takes_it(workflow: dict[str, Any]) -> None:
    vendored = files("check_jsonschema").joinpath("builtin_schemas/vendor/github-workflows.json")
    jsonschema.validate(workflow, json.loads(vendored.read_text(encoding="utf-8")))


def test_every_action_is_named_by_its_commit_and_its_version(workflow_file: Path) -> None:
    used = re.findall(r"uses: (.+)", workflow_file.read_text(encoding="utf-8"))
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []


def test_each_job_may_write_what_it_writes_and_nothing_else(workflow_file: Path, workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] in ({}, {"contents": "read"})
    for name, job in workflow["jobs"].items():
        granted = {right for right, how in job.get("permissions", {}).items() if how == "write"}
        assert granted == MAY_WRITE[workflow_file.stem].get(name, set()), name


def test_no_secret_is_stored_but_for_a_job_that_reviewers_let_begin(workflow: dict[str, Any]) -> None:
    assert "secrets." not in json.dumps({**workflow, "jobs": {}})
    for name, job in workflow["jobs"].items():
        if "secrets." in json.dumps(job):
            assert job["environment"] == WITH_SECRETS[name]


def test_a_release_is_published_in_an_environment_with_reviewers_and_after_all_tests() -> None:
    (release,) = (document(file) for file in WORKFLOWS if file.stem == "release")
    assert release["jobs"]["publish"]["environment"] == "pypi"
    assert (release["jobs"]["publish"]["needs"], release["jobs"]["build"]["needs"]) == ("build", "test")
    assert ".ci/run --all" in [step.get("run") for step in release["jobs"]["test"]["steps"]]


def test_every_night_all_tests_run() -> None:
    (nightly,) = (document(file) for file in WORKFLOWS if file.stem == "nightly")
    assert re.fullmatch(r"\d+ \d+ \* \* \*", nightly["on"]["schedule"][0]["cron"])
    assert ".ci/run --all" in [step.get("run") for step in nightly["jobs"]["test"]["steps"]]
    assert "scripts/lowest" in [step.get("run") for step in nightly["jobs"]["lowest"]["steps"]]
    assert nightly["jobs"]["native"]["steps"][-1] == {"run": "scripts/native --for aarch64 --where"}
    spark = nightly["jobs"]["spark"]
    assert spark["strategy"]["matrix"]["spark"] == ["4.0.2", "4.1.1"]
    assert spark["steps"][-1] == {"run": 'scripts/other-spark "$SPARK"', "env": {"SPARK": "${{ matrix.spark }}"}}


def test_what_ci_is_given_goes_on_to_the_tests() -> None:
    """`--all` reaches pytest."""
    for script, end in ((".ci/run", 'exec scripts/test "$@"'), ("scripts/test", '"$@"')):
        last = (ROOT / script).read_text(encoding="utf-8").splitlines()[-1].partition(" #")[0]
        assert last.endswith(end), script


def test_no_expression_of_github_is_part_of_a_script(workflow: dict[str, Any]) -> None:
    """A tag's name is somebody's text: it comes in a variable."""
    scripts = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert [script for script in scripts if "${{" in script] == []


def test_a_release_has_machine_code_for_both_architectures_and_of_its_version() -> None:
    script = (ROOT / "scripts" / "release").read_text(encoding="utf-8")
    assert "for architecture in x86_64 aarch64; do" in script
    versions = {
        re.findall(r'(?m)^version = "(.+)"$', (ROOT / file).read_text(encoding="utf-8"))[0]
        for file in ("pyproject.toml", "native/Cargo.toml")
    }
    assert len(versions) == 1


def test_another_version_than_the_packages_is_not_built() -> None:
    refused = subprocess.run(["scripts/release", "9.9.9"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "is to be 9.9.9" in refused.stderr
    assert "Next:" in refused.stderr


@pytest.mark.parametrize("house", ["ingest", "infra", "local", "."])
def test_a_wheel_says_what_it_is(house: str, wheels: Mapping[str, Path]) -> None:
    with zipfile.ZipFile(wheels[house]) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(name))
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "pip install" in str(metadata.get_payload())
