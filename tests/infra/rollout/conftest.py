import pytest

from tests.infra.rollout.world import OLD, World
from tests.infra.runtimes.services.conftest import aws, job

__all__ = ["aws", "job"]


@pytest.fixture
def deployed() -> World:
    """The old job runs."""
    world = World()
    world.roll_out().deploy(OLD)
    world.calls = 0
    return world
