"""The release's workflow is one that GitHub takes, trusts no action by a name that can move, and writes no more than it must."""

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
WORKFLOW = ROOT / ".github" / "workflows" / "release.yaml"
MAY_WRITE = {"build": {"id-token", "attestations"}, "publish": {"id-token", "contents"}}


@pytest.fixture
def workflow() -> dict[str, Any]:
    document = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    return {str(key) if key is not True else "on": value for key, value in document.items()}


def test_github_takes_it(workflow: dict[str, Any]) -> None:
    vendored = files("check_jsonschema").joinpath("builtin_schemas/vendor/github-workflows.json")
    jsonschema.validate(workflow, json.loads(vendored.read_text(encoding="utf-8")))


def test_every_action_is_named_by_its_commit_and_its_version() -> None:
    used = re.findall(r"uses: (.+)", WORKFLOW.read_text(encoding="utf-8"))
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []


def test_each_job_may_write_what_it_writes_and_nothing_else(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        granted = {right for right, how in job.get("permissions", {}).items() if how == "write"}
        assert granted == MAY_WRITE.get(name, set()), name
    assert workflow["jobs"]["publish"]["environment"] == "pypi"
    assert "secrets." not in WORKFLOW.read_text(encoding="utf-8"), "no token is stored"


def test_no_expression_of_github_is_part_of_a_script(workflow: dict[str, Any]) -> None:
    """A tag's name is somebody's text: it comes in a variable."""
    scripts = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert [script for script in scripts if "${{" in script] == []


def test_another_version_than_the_packages_is_not_built() -> None:
    refused = subprocess.run(["scripts/release", "9.9.9"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "is to be 9.9.9" in refused.stderr
    assert "Next:" in refused.stderr


@pytest.mark.parametrize("house", ["ingest", "infra", "local"])
def test_a_wheel_says_what_it_is(house: str, wheels: Mapping[str, Path]) -> None:
    with zipfile.ZipFile(wheels[house]) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(archive.read(name))
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "pip install" in str(metadata.get_payload())
