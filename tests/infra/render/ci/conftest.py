"""Environments with each tool: one with everything, a small one, and one whose names are as odd as Snowflake takes them."""

import pytest

from firnline_infra.render.ci.tools import TOOLS, CiTool
from firnline_infra.specification import EnvironmentSpec
from tests.infra.specifications import smallest

whatever_the_tool = pytest.mark.parametrize("case", ["odd pulumi"], indirect=True)
"""For a script that each tool's jobs have alike (test_github.py, test_gitlab_note.py hold them to it)."""


@pytest.fixture(params=["prod pulumi", "small terraform", "odd opentofu", "odd pulumi"])
def case(request: pytest.FixtureRequest) -> list[str]:
    return str(request.param).split()


@pytest.fixture
def spec(request: pytest.FixtureRequest, case: list[str]) -> EnvironmentSpec:
    spec: EnvironmentSpec = request.getfixturevalue(f"{case[0]}_spec")
    return spec


@pytest.fixture
def tool(case: list[str]) -> CiTool:
    return TOOLS[case[1]]


@pytest.fixture
def odd_spec() -> EnvironmentSpec:
    """With a name that is a truth value in YAML, and identifiers with every quote and expansion that a name may have."""
    warehouse = '"it\'s a #1: house; here & <there>"'
    role = '"it\'s $CI_JOB_TOKEN ${{ secrets.TOKEN }} `id` ${HOME} #1: x; here & there"'
    return smallest(name="on", snowflake={"warehouse": warehouse, "deploy_role": role})
