"""Tests of what an administrator is asked to run is reviewed as code. FIRNLINE_WRITE_GOLDEN=1 writes it anew."""

import os
from pathlib import Path

import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap import settings_file, snowflake, template
from firnline_infra.render.bootstrap.ci_provider import GitHub, GitLab
from firnline_infra.render.ci.github import workflow
from firnline_infra.render.ci.gitlab import pipeline
from firnline_infra.specification import EnvironmentSpec

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(params=["prod", "small"])
def spec(request: pytest.FixtureRequest) -> EnvironmentSpec:
    spec: EnvironmentSpec = request.getfixturevalue(f"{request.param}_spec")
    return spec


def reviewed(name: str, rendered: str) -> str:
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        (GOLDEN / name).write_text(rendered)
        pytest.fail(f"{name} is written anew: review what changed")
    return (GOLDEN / name).read_text()


def test_the_template_is_the_reviewed_one(spec: EnvironmentSpec) -> None:
    made = template(blueprint_of(spec), provider=GitHub(repository="acme/data"))
    rendered = yaml.safe_dump(made, sort_keys=False, width=120)
    assert rendered == reviewed(f"{spec.name}-aws.yaml", rendered)


def test_the_statements_are_the_reviewed_ones(spec: EnvironmentSpec) -> None:
    rendered = snowflake.statements(blueprint_of(spec))
    assert rendered == reviewed(f"{spec.name}-snowflake.sql", rendered)


def test_the_settings_are_the_reviewed_ones(spec: EnvironmentSpec) -> None:
    user = str(blueprint_of(spec).names.deploy_role)
    rendered = settings_file(Environment.of(spec), user)
    assert rendered == reviewed(f"{spec.name}.env", rendered)


def test_the_workflow_is_the_reviewed_one_and_is_yaml(spec: EnvironmentSpec) -> None:
    rendered = workflow(blueprint_of(spec), release="0.1.0", environment=spec.name)
    assert rendered == reviewed(f"{spec.name}-workflow.yaml", rendered)
    assert set(yaml.safe_load(rendered)["jobs"]) == {"preview", "up", "drift"}


def test_the_pipeline_of_gitlab_is_the_reviewed_one(spec: EnvironmentSpec) -> None:
    provider = GitLab(project="acme/data")
    rendered = pipeline(blueprint_of(spec), release="0.1.0", environment=spec.name, provider=provider)
    assert rendered == reviewed(f"{spec.name}-gitlab-ci.yaml", rendered)
