from pathlib import Path

import pytest

SPEC = """
version: 1
name: dev
durability: EPHEMERAL
aws: {region: eu-central-1, account: "111122223333", key: {origin: skip}}
snowflake: {account: ACME-DEV, warehouse: COMPUTE_WH}
streams: [{name: orders, shards: 1}]
pipelines: [{stream: orders, database: SHOP, schema: RAW, table: ORDERS}]
"""


@pytest.fixture
def spec_file(tmp_path: Path) -> Path:
    path = tmp_path / "dev.yaml"
    path.write_text(SPEC)
    return path
