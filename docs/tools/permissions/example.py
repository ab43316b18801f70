"""The example of docs/permissions.md: an environment with everything, in the ways that exclude each other.

One runs with a role on EMR Serverless, has a key of its own and is PROTECTED; the other is a user with access keys, has
adopted its key, keeps its dead letters on a stream, asks schema registries, and goes with everything in it. The others show
what each runtime needs.
"""

from collections.abc import Iterable
from dataclasses import replace

from firnline_infra.blueprint.environment import blueprint_of
from firnline_infra.blueprint.iam.engine import EngineAccess
from firnline_infra.blueprint.iam.statement import PolicyStatement
from firnline_infra.specification import EnvironmentSpec, parse_spec

ACCOUNT, REGION = "111122223333", "eu-west-1"
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab"
LOGIN = f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:registry-AbCdEf"
BUCKET = f"arn:aws:s3:::orders-prod-{ACCOUNT}-{REGION}"
ENGINE = EngineAccess(
    region=REGION,
    streams={"orders": f"arn:aws:kinesis:{REGION}:{ACCOUNT}:stream/orders"},
    stream_keys=(KEY,),
    ledger_table=f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/orders-prod",
    ledger_name="orders-prod",
    ledger_key=KEY,
    secrets=(f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:orders-prod/snowflake/ingest-AbCdEf",),
    secret_key=KEY,
    bucket=BUCKET,
    checkpoint_folder="checkpoint/",
    job_folders=("artefacts/", "configuration/"),
    letters_folder="dead-letters/",
    log_folder="logs/",
    letters_stream=f"arn:aws:kinesis:{REGION}:{ACCOUNT}:stream/orders-letters",
    letters_stream_key=KEY,
    bucket_key=KEY,
)
ROLE = parse_spec(
    f"""
    version: 1
    name: prod
    application: orders-prod
    aws:
      region: {REGION}
      account: "{ACCOUNT}"
      runtime:
        emr_serverless:
          subnets: [subnet-0a1b2c3d4e5f60718, subnet-1a1b2c3d4e5f60718]
          security_group: {{vpc: vpc-0a1b2c3d4e5f60718}}
          log_group: orders-prod
    snowflake:
      account: ORG-ACCOUNT
      warehouse: REPORTING
      key_pair_only: true
      allowed_networks: [192.0.2.0/24]
      external_volumes: [{{name: LAKE}}]
      interactive_warehouse: {{name: FAST}}
    streams: [{{name: orders, consumers: [fraud]}}, {{name: clicks, origin: adopt}}, {{name: prices, origin: adopt}}]
    pipelines:
      - {{stream: orders, database: LAKE, schema: RAW}}
      - {{stream: clicks, database: LAKE, schema: RAW, table_kind: iceberg, external_volume: LAKE}}
      - {{stream: prices, database: LAKE, schema: RAW, table_kind: interactive, cluster_by: [ID],
         columns: [{{name: ID, type: VARCHAR}}, {{name: V, type: FLOAT}}]}}
    network:
      vpc_endpoints:
        vpc: vpc-0a1b2c3d4e5f60718
        route_tables: [rtb-0a1b2c3d4e5f60718]
        subnets: [subnet-0a1b2c3d4e5f60718, subnet-1a1b2c3d4e5f60718]
        clients: [10.0.0.0/16]
    alarms: {{topics: ["arn:aws:sns:{REGION}:{ACCOUNT}:oncall"], notify: [on-call@example.com]}}
    metrics: {{dashboard: true}}
    publication: {{ssm_prefix: /orders/prod}}
    """,
    "prod.yaml",
)
USER = parse_spec(
    f"""
    version: 1
    name: prod
    application: orders-prod
    durability: EPHEMERAL
    aws:
      region: {REGION}
      account: "{ACCOUNT}"
      key: {{origin: adopt, arn: "{KEY}"}}
      runtime: {{trust: static-keys}}
    snowflake: {{account: ORG-ACCOUNT}}
    streams: [{{name: orders}}, {{name: clicks}}, {{name: letters}}]
    dead_letters: {{stream: letters}}
    pipelines:
      - {{stream: orders, database: LAKE, schema: RAW, format: {{type: avro, framing: glue}}}}
      - stream: clicks
        database: LAKE
        schema: RAW
        format:
          type: avro
          framing: confluent
          registry: {{url: "https://registry.acme.com", login: {{secret_arn: "{LOGIN}", secret_key_arn: "{KEY}"}}}}
    """,
    "prod.yaml",
)
ADOPTING = parse_spec(
    f"""
    version: 1
    name: prod
    application: orders-prod
    aws:
      region: {REGION}
      account: "{ACCOUNT}"
      key: {{origin: skip}}
      bucket: {{origin: adopt, name: everybodys-bucket}}
      runtime: {{role_arn: "arn:aws:iam::{ACCOUNT}:role/engines"}}
    snowflake: {{account: ORG-ACCOUNT}}
    streams: [{{name: orders}}]
    pipelines: [{{stream: orders, database: LAKE, schema: RAW}}]
    """,
    "prod.yaml",
)
RUNTIMES = {
    "emr-ec2": "{trust: emr-ec2, emr_ec2: {origin: adopt, cluster_id: j-2AXXXXXXGAPLF}}",
    "emr-ec2, made": "{trust: emr-ec2, emr_ec2: {subnet: subnet-0a1b2c3d4e5f60718}}",
    "emr-eks": f"{{trust: emr-eks, oidc_provider: oidc.eks.{REGION}.amazonaws.com/id/1A2B3C, cluster: platform, "
    "namespace: ingest, emr_eks: {origin: adopt, virtual_cluster_id: 0123456789abcdefghijklmno}}",
    "kubernetes, its repository made": "{trust: pod-identity, cluster: platform, namespace: ingest, "
    "service_account: engine, kubernetes: {}}",
    "emr-eks, made": "{trust: pod-identity, cluster: platform, namespace: ingest, emr_eks: {}}",
}
"""Where else an engine runs: what the roles of CI need for that."""


def _key(runtime: str) -> str:
    """Returns the environment's key; a repository of images has one."""
    return "create" if "kubernetes: {}" in runtime else "skip"


def _on(runtime: str) -> EnvironmentSpec:
    return parse_spec(
        f"""
        version: 1
        name: prod
        application: orders-prod
        aws: {{region: {REGION}, account: "{ACCOUNT}", key: {{origin: {_key(runtime)}}}, runtime: {runtime}}}
        snowflake: {{account: ORG-ACCOUNT, warehouse: REPORTING}}
        streams: [{{name: orders}}]
        pipelines: [{{stream: orders, database: LAKE, schema: RAW}}]
        """,
        "prod.yaml",
    )


BLUEPRINTS = tuple(map(blueprint_of, (ROLE, USER, ADOPTING, *(_on(each) for each in RUNTIMES.values()))))


def together(policies: Iterable[Iterable[PolicyStatement]]) -> tuple[PolicyStatement, ...]:
    """Each statement once: as the first policy has it, with the actions that only others ask for."""
    found: dict[str, PolicyStatement] = {}
    for statement in (each for policy in policies for each in policy):
        known = found.setdefault(statement.sid, statement)
        actions = tuple(dict.fromkeys((*known.actions, *statement.actions)))
        reasons = {**known.reasons, **statement.reasons}
        found[statement.sid] = replace(known, actions=actions, reasons=reasons)
    return tuple(found.values())
