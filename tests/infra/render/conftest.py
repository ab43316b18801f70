from typing import Any

import pytest

from firnline_infra.blueprint.iam import PolicyStatement, policy_document
from firnline_infra.blueprint.value import Reference
from firnline_infra.specification import EnvironmentSpec, parse_spec
from tests.infra.specifications import smallest


@pytest.fixture
def prod_spec() -> EnvironmentSpec:
    """With every kind of object that an environment can have, but for a user with static keys."""
    return parse_spec(
        """
        version: 1
        name: prod
        aws:
          region: eu-central-1
          account: "123456789012"
          runtime:
            emr_serverless:
              subnets: [subnet-0a1b2c3d4e5f60718, subnet-1a1b2c3d4e5f60718]
              security_group: {vpc: vpc-0a1b2c3d4e5f60718}
              log_group: firnline-prod
        snowflake:
          account: ORG-ACCOUNT
          warehouse: REPORTING
          key_pair_only: true
          allowed_networks: [192.0.2.0/24]
          external_volumes: [{name: LAKE}]
          interactive_warehouse: {name: FAST}
        streams: [{name: orders, shards: 4, consumers: [fraud]}, {name: clicks, origin: adopt}, {name: views}]
        pipelines:
          - {stream: orders, database: LAKE, schema: RAW}
          - {stream: clicks, database: LAKE, schema: RAW, table_kind: iceberg, external_volume: LAKE}
          - {stream: views, database: LAKE, schema: RAW, table_kind: interactive, cluster_by: [ID],
     columns: [{name: ID, type: VARCHAR}, {name: V, type: FLOAT}]}
        ledger: {migration: true}
        alarms: {topics: ["arn:aws:sns:eu-central-1:123456789012:oncall"]}
        metrics: {dashboard: true}
        publication: {ssm_prefix: /firnline/prod}
        tags: {team: data}
        """,
        "prod.yaml",
    )


@pytest.fixture
def small_spec() -> EnvironmentSpec:
    """The least: keys of AWS, static keys, nothing protected."""
    aws = {
        "key": {"origin": "skip"},
        "runtime": {"trust": "static-keys"},
        "permissions_boundary": "arn:aws:iam::123456789012:policy/everybody",
    }
    snowflake = {"warehouse": None, "key_pair_only": False}
    return smallest(name="small", durability="EPHEMERAL", aws=aws, snowflake=snowflake)


@pytest.fixture
def adopting_spec() -> EnvironmentSpec:
    """With everything of somebody else that can be."""
    return parse_spec(
        """
        version: 1
        name: adopting
        application: shop
        aws:
          region: eu-central-1
          account: "123456789012"
          key: {origin: adopt, arn: "arn:aws:kms:eu-central-1:123456789012:key/k"}
          bucket: {origin: adopt, name: everybodys-bucket}
          runtime: {role_arn: "arn:aws:iam::123456789012:role/team/engines"}
        snowflake:
          account: ORG-ACCOUNT
          warehouse: REPORTING
          databases: [{name: LAKE, origin: adopt, schemas: [{name: RAW, origin: adopt}, {name: PUBLIC, origin: adopt}]}]
          network_policy: {origin: adopt, name: CORPORATE}
          external_volumes: [{name: VOLUME, origin: adopt}]
          interactive_warehouse: {name: FAST, origin: adopt}
        streams: [{name: orders, origin: adopt}, {name: clicks, origin: adopt}, {name: views, origin: adopt}]
        pipelines:
          - {stream: orders, database: LAKE, schema: RAW, table_origin: adopt, pipe: {name: P, origin: adopt}}
          - {stream: clicks, database: LAKE, schema: PUBLIC, table_kind: iceberg, external_volume: VOLUME}
          - {stream: views, database: LAKE, schema: LIVE, table_kind: interactive, cluster_by: [ID],
     columns: [{name: ID, type: VARCHAR}, {name: V, type: FLOAT}]}
        """,
        "adopting.yaml",
    )


ENDPOINTS = {
    "vpc": "vpc-0a1b2c3d4e5f60718",
    "route_tables": ["rtb-0a1b2c3d4e5f60718"],
    "subnets": ["subnet-0a1b2c3d4e5f60718"],
    "clients": ["10.0.0.0/16"],
}
RUNTIMES: dict[str, dict[str, Any]] = {
    "emr-ec2": {"trust": "emr-ec2", "emr_ec2": {"origin": "adopt", "cluster_id": "j-2AXXXXXXGAPLF"}},
    "emr-ec2, made": {"trust": "emr-ec2", "emr_ec2": {"subnet": "subnet-0a1b2c3d4e5f60718"}},
    "emr-eks": {
        "trust": "emr-eks",
        "oidc_provider": "oidc.eks.eu-central-1.amazonaws.com/id/1A",
        "cluster": "platform",
        "namespace": "ingest",
        "emr_eks": {"origin": "adopt", "virtual_cluster_id": "0123456789abcdefghijklmno"},
    },
    "endpoints": {"network": {"vpc_endpoints": ENDPOINTS}},
    "kubernetes, its repository made": {
        "trust": "pod-identity",
        "cluster": "platform",
        "namespace": "ingest",
        "service_account": "engine",
        "kubernetes": {},
        "key": {"origin": "create"},
    },
    "people notified": {"alarms": {"notify": ["on-call@example.com"]}},
    "emr-eks, made": {"trust": "pod-identity", "cluster": "platform", "namespace": "ingest", "emr_eks": {}},
}
"""What the runtimes have that one environment can't have together."""


def running_on(runtime: dict[str, Any]) -> EnvironmentSpec:
    """With `network`, `key` and `alarms` for the specification's sections of that name."""
    engine = {name: each for name, each in runtime.items() if name not in ("network", "key", "alarms")}
    key = runtime.get("key", {"origin": "skip"})
    return smallest(
        name="on",
        network=runtime.get("network", {}),
        alarms=runtime.get("alarms", {}),
        aws={"key": key, "runtime": engine},
    )


@pytest.fixture
def every_spec(
    prod_spec: EnvironmentSpec, small_spec: EnvironmentSpec, adopting_spec: EnvironmentSpec
) -> tuple[EnvironmentSpec, ...]:
    """In which each statement of a deployer is needed by at least one."""
    return (prod_spec, small_spec, adopting_spec, *map(running_on, RUNTIMES.values()))


STATE_KEY = "arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555"


def rendered(statements: tuple[PolicyStatement, ...]) -> list[dict[str, Any]]:
    resolve = lambda value: STATE_KEY if isinstance(value, Reference) else str(value)  # noqa: E731
    found: list[dict[str, Any]] = policy_document(statements, resolve)["Statement"]
    return found
