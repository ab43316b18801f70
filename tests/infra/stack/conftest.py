from pathlib import Path

import pytest

from firnline_local.running import RunningEnvironment
from tests.infra.observe.conftest import spec_file
from tests.infra.stack.deployments import World, world_of

__all__ = ["spec_file"]


@pytest.fixture
def world(spec_file: Path, local_environment: RunningEnvironment) -> World:
    return world_of(spec_file, local_environment)
