"""What an administrator is asked to run is reviewed as code.

To write it anew: firnline bootstrap … --into tests/infra/blueprint/bootstrap/golden --force, for the specification
of conftest.py.
"""

from pathlib import Path

import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.bootstrap import settings_file, snowflake, template, workflow
from firnline_infra.specification import EnvironmentSpec

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(params=["prod", "small"])
def spec(request: pytest.FixtureRequest) -> EnvironmentSpec:
    spec: EnvironmentSpec = request.getfixturevalue(f"{request.param}_spec")
    return spec


def test_the_template_is_the_reviewed_one(spec: EnvironmentSpec) -> None:
    rendered = template(spec, blueprint_of(spec), repository="acme/data")
    assert yaml.safe_dump(rendered, sort_keys=False, width=120) == (GOLDEN / f"{spec.name}-aws.yaml").read_text()


def test_the_statements_are_the_reviewed_ones(spec: EnvironmentSpec) -> None:
    assert snowflake.statements(spec, blueprint_of(spec)) == (GOLDEN / f"{spec.name}-snowflake.sql").read_text()


def test_the_settings_are_the_reviewed_ones(spec: EnvironmentSpec) -> None:
    user = str(blueprint_of(spec).names.deploy_role)
    assert settings_file(spec, user) == (GOLDEN / f"{spec.name}.env").read_text()


def test_the_workflow_is_the_reviewed_one_and_is_yaml(spec: EnvironmentSpec) -> None:
    rendered = workflow(spec, blueprint_of(spec), release="0.1.0", environment=spec.name)
    assert rendered == (GOLDEN / f"{spec.name}-workflow.yaml").read_text()
    assert set(yaml.safe_load(rendered)["jobs"]) == {"preview", "up"}
