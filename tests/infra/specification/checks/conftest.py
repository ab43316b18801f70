from collections.abc import Callable
from typing import Any

import pytest

from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.errors import ConfigError

Problems = Callable[..., list[str]]
COLUMNS = [{"name": "ID", "type": "VARCHAR"}, {"name": "V", "type": "FLOAT"}]
"""Of an interactive table: without any it keeps nothing."""


@pytest.fixture
def problems(spec: Callable[..., EnvironmentSpec]) -> Problems:
    """What is wrong with the smallest specification that has other top-level values; nothing is an empty list."""

    def problems(**changes: Any) -> list[str]:
        try:
            spec(**changes)
        except ConfigError as error:
            return error.problems
        return []

    return problems


@pytest.fixture
def pipeline() -> Callable[..., dict[str, Any]]:
    def pipeline(stream: str = "orders", **changes: Any) -> dict[str, Any]:
        return {"stream": stream, "database": "LAKE", "schema": "RAW", **changes}

    return pipeline


@pytest.fixture
def snowflake() -> Callable[..., dict[str, Any]]:
    def snowflake(**changes: Any) -> dict[str, Any]:
        return {"account": "ORG-ACCOUNT", "warehouse": "SMALL", **changes}

    return snowflake


@pytest.fixture
def aws() -> Callable[..., dict[str, Any]]:
    def aws(**changes: Any) -> dict[str, Any]:
        return {"region": "eu-central-1", "account": "123456789012", **changes}

    return aws
