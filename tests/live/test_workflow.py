"""The workflow that runs scripts/live: by hand alone, with its rights; tests/test_release.py has what all keep to."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.live.plan import PARTS

WORKFLOW = Path(__file__).parents[2] / ".github" / "workflows" / "live.yaml"
TEXT = WORKFLOW.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def workflow() -> dict[Any, Any]:
    document: dict[Any, Any] = yaml.safe_load(TEXT)
    return document


def test_nothing_but_a_person_starts_it_and_reviewers_let_it_begin(workflow: dict[Any, Any]) -> None:
    assert set(workflow[True]) == {"workflow_dispatch"}  # YAML 1.1 reads `on` as true
    (job,) = workflow["jobs"].values()
    assert job["environment"] == "live"
    assert workflow["concurrency"] == {"group": "live", "cancel-in-progress": False}


def test_it_may_read_the_repository_and_ask_for_a_token_and_nothing_else(workflow: dict[Any, Any]) -> None:
    (job,) = workflow["jobs"].values()
    assert workflow["permissions"] == {}
    assert job["permissions"] == {"contents": "read", "id-token": "write"}
    assert re.findall(r"secrets\.(\w+)", TEXT) == ["LIVE_SNOWFLAKE_PRIVATE_KEY"]
    (checkout,) = (step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@"))
    assert checkout["with"] == {"persist-credentials": False}


def test_the_parts_that_it_names_are_those_that_there_are(workflow: dict[Any, Any]) -> None:
    said = workflow[True]["workflow_dispatch"]["inputs"]["only"]["description"]
    assert set(re.findall(r"\w+", said.partition(":")[2])) - {"or"} == set(PARTS)
