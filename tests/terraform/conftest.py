"""The real Terraform or OpenTofu, with providers over the embedded environment."""

from pathlib import Path

import pytest

from firnline_infra.terraform.cli import find_terraform
from firnline_infra.terraform.errors import TerraformError


@pytest.fixture(scope="session")
def terraform_binary() -> Path:
    try:
        return find_terraform()
    except TerraformError as none:
        pytest.skip(str(none))
