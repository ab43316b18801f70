from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
import yaml

from firnline_infra.specification import EnvironmentSpec, parse_spec

MINIMAL: dict[str, Any] = {
    "version": 1,
    "name": "dev",
    "aws": {"region": "eu-central-1", "account": "123456789012"},
    "snowflake": {"account": "ORG-ACCOUNT", "warehouse": "SMALL"},
    "streams": [{"name": "orders"}],
    "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
}


@pytest.fixture
def minimal() -> dict[str, Any]:
    """Each test may change its own."""
    return deepcopy(MINIMAL)


@pytest.fixture
def spec() -> Callable[..., EnvironmentSpec]:
    """The smallest specification, with other top-level values."""

    def spec(**changes: Any) -> EnvironmentSpec:
        return parse_spec(yaml.safe_dump({**MINIMAL, **changes}), "dev.yaml")

    return spec
