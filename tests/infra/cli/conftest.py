from typing import Any

import pytest


@pytest.fixture
def engine_document() -> dict[str, Any]:
    """The least that an engine's configuration says."""
    return {
        "version": 1,
        "application": "demo",
        "aws": {"region": "us-east-1"},
        "ledger": {"table": "demo"},
        "snowflake": {"account": "acme", "user": "U", "role": "R", "private_key": {"env": "KEY"}},
        "pipelines": [{"stream": "orders", "database": "DB", "schema": "RAW"}],
        "dead_letters": {"folder": "/nowhere"},
        "spark": {"checkpoint": "/nowhere"},
    }
