from pathlib import Path

import pytest

from firnline_infra.specification import EnvironmentSpec, load_spec, parse_spec

LOCAL = Path(__file__).parents[3] / "stacks" / "environments" / "local.yaml"


@pytest.fixture
def local_spec() -> EnvironmentSpec:
    return load_spec(LOCAL)


@pytest.fixture
def wide_spec() -> EnvironmentSpec:
    """Two streams into two tables of one schema, with everything named and every switch off."""
    return parse_spec(
        """
        version: 1
        name: prod
        application: lake
        aws: {region: eu-central-1, account: "123456789012"}
        snowflake:
          account: ORG-ACCOUNT
          ingest: {user: loader, role: '"Loader role"'}
          reader: {user: auditor}
        streams: [{name: clicks, shards: 2, retention_hours: 168}, {name: order-lines}]
        pipelines:
          - {stream: clicks, database: lake, schema: '"raw"', table: '"Clicks"', schema_evolution: false,
             error_logging: false, row_timestamp: false, metadata: {column: meta}}
          - {stream: order-lines, database: lake, schema: '"raw"', tolerance: all}
        ledger: {table: lake-ledger}
        tags: {team: data}
        """,
        "prod.yaml",
    )
