"""Each test has a namespace of its own."""

from itertools import count

import pytest

from tests.kubernetes.control_plane import ControlPlane
from tests.kubernetes.definitions import make_namespace

NUMBERS = count(1)


@pytest.fixture
def namespace(control_plane: ControlPlane) -> str:
    """Enforces Pod Security "restricted"."""
    name = f"rendered-{next(NUMBERS)}"
    make_namespace(control_plane.api("admin"), name, "restricted")
    return name
