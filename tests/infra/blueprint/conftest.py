from pathlib import Path

import pytest

from firnline_infra.specification import EnvironmentSpec, load_spec

LOCAL = Path(__file__).parents[3] / "stacks" / "environments" / "local.yaml"
WIDE = Path(__file__).parents[1] / "terraform" / "wide.yaml"


@pytest.fixture
def local_spec() -> EnvironmentSpec:
    return load_spec(LOCAL)


@pytest.fixture
def wide_spec() -> EnvironmentSpec:
    return load_spec(WIDE)
