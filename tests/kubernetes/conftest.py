"""Each test has a namespace of its own."""

import pytest

from tests.kubernetes.control_plane import ControlPlane
from tests.kubernetes.definitions import make_namespace, name_of_own


@pytest.fixture
def namespace(control_plane: ControlPlane) -> str:
    """Enforces Pod Security "restricted"."""
    name = name_of_own("rendered")
    make_namespace(control_plane.api("admin"), name, "restricted")
    return name
