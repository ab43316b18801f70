"""The real Terraform or OpenTofu, with providers over the embedded environment."""

import os
from pathlib import Path

import pytest

from firnline_infra.terraform.cli import CHOSEN, NAMES, find_terraform
from firnline_infra.terraform.errors import TerraformError


@pytest.fixture(scope="session")
def terraform_binary() -> Path:
    """The one that commands take."""
    try:
        return find_terraform()
    except TerraformError as none:
        pytest.skip(str(none))


@pytest.fixture(scope="session", params=NAMES)
def each_binary(request: pytest.FixtureRequest) -> Path:
    """Both, one after the other."""
    try:
        return find_terraform({**os.environ, CHOSEN: request.param})
    except TerraformError as none:
        pytest.skip(str(none))
