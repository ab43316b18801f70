"""Requests of a blueprint to AWS, in the words of in_aws.py."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.value import Reference
from firnline_infra.kinds import Kind
from firnline_infra.kinds.buckets import BUCKET, BUCKET_POLICY, ENCRYPTION, LIFECYCLE, OWNERSHIP_CONTROLS
from firnline_infra.kinds.ecr import REPOSITORY
from firnline_infra.kinds.eks import ASSOCIATION
from firnline_infra.kinds.emr import CLUSTER, SERVERLESS, VIRTUAL_CLUSTER
from firnline_infra.kinds.iam import INSTANCE_PROFILE, ROLE, ROLE_POLICY
from firnline_infra.kinds.keys_and_secrets import SECRET
from firnline_infra.kinds.kind import camel, own_name
from firnline_infra.kinds.network import SECURITY_GROUP
from firnline_infra.kinds.observability import (
    ALARM,
    DASHBOARD,
    LOG_GROUP,
    PARAMETER,
    SUBSCRIPTION,
    TOPIC,
)
from firnline_infra.kinds.streams import CONSUMER, STREAM, stream_of
from firnline_infra.kinds.tables import TABLE

from .in_aws import Client, Facts

Resolve = Callable[[Any], Any]
Asked = Iterator[tuple[str, dict[str, Any]]]


def asked_of_aws(blueprint: Blueprint, resolve: Resolve) -> Facts:
    """`resolve` says what was made for a reference."""
    parts = (_streams, _ledgers, _buckets, _roles, _secrets, _alarms, _topics, _dashboards, _parameters, _runtime)
    return dict(asked for part in parts for asked in part(blueprint, resolve))


def resolver(blueprint: Blueprint, client: Client, outputs: Mapping[str, Any]) -> Resolve:
    """Each ARN as its own service tells it; what only the program makes, as the stack gives it out."""

    def of(reference: Reference) -> Any:
        kind, _, name = reference.of.partition("/")
        match kind:
            case "stream":
                told = client("kinesis").describe_stream_summary(StreamName=name)
                return told["StreamDescriptionSummary"]["StreamARN"]
            case "secret":
                secret = SECRET.all_rows(blueprint)[("ingest", "reader").index(name)]
                return client("secretsmanager").describe_secret(SecretId=own_name(secret))["ARN"]
            case "volume":
                return outputs["volume_iam_user_arns"][name]
            case "role":
                return client("iam").get_role(RoleName=blueprint.names.engine_role)["Role"]["Arn"]
            case "bucket":
                return blueprint.names.bucket
            case _:
                return outputs[f"engine_config_{reference.attribute}"]

    return lambda value: of(value) if isinstance(value, Reference) else value


def _streams(blueprint: Blueprint, resolve: Resolve) -> Asked:
    for each in _rows(STREAM, blueprint):
        consumers = [row for row in CONSUMER.instances(blueprint) if stream_of(row) == each["name"]]
        told = {
            "mode": each["stream_mode_details"]["stream_mode"],
            "shards": each["shard_count"],
            "retention_hours": each["retention_period"],
            "encryption": each["encryption_type"],
            "key": resolve(each["kms_key_id"]),
            "metrics": sorted(each["shard_level_metrics"]),
            "consumers": sorted(map(own_name, consumers)),
            "tags": each["tags"],
        }
        yield f"stream {each['name']}", told


def _ledgers(blueprint: Blueprint, resolve: Resolve) -> Asked:
    for asked in _rows(TABLE, blueprint):
        told = {
            "keys": {asked["hash_key"]: "HASH", asked["range_key"]: "RANGE"},
            "billing": asked["billing_mode"],
            "restorable": asked["point_in_time_recovery"]["enabled"],
            "protected": asked["deletion_protection_enabled"],
            "key": resolve((asked["server_side_encryption"] or {}).get("kms_key_arn")),
            "tags": asked["tags"],
        }
        yield f"ledger {asked['name']}", told


def _buckets(blueprint: Blueprint, resolve: Resolve) -> Asked:
    documents = [f"configuration/{resolve(Reference('engine', 'hash'))}.json"]
    settings = {}
    for kind in (OWNERSHIP_CONTROLS, BUCKET_POLICY, ENCRYPTION, LIFECYCLE):
        settings[kind] = {own_name(each["bucket"].resource): each for each in _rows(kind, blueprint)}
    for each in _rows(BUCKET, blueprint):
        name = each["bucket"]
        (encryption,), (old,) = settings[ENCRYPTION][name]["rule"], settings[LIFECYCLE][name]["rule"]
        by_default = encryption["apply_server_side_encryption_by_default"]
        told = {
            "versioning": "Enabled",
            "encryption": by_default["sse_algorithm"],
            "key": resolve(by_default["kms_master_key_id"]),
            "closed": {True},
            "ownership": settings[OWNERSHIP_CONTROLS][name]["rule"]["object_ownership"],
            "policy": policy_document(settings[BUCKET_POLICY][name]["policy"].statements, resolve),
            "old_versions_days": old["noncurrent_version_expiration"]["noncurrent_days"],
            "uploads_days": old["abort_incomplete_multipart_upload"]["days_after_initiation"],
            "objects": documents if name == blueprint.names.bucket else [],
            "tags": each["tags"],
        }
        yield f"bucket {name}", told


def _roles(blueprint: Blueprint, resolve: Resolve) -> Asked:
    policies = {own_name(each["role"].resource): each for each in _rows(ROLE_POLICY, blueprint)}
    for asked in _rows(ROLE, blueprint):
        policy = policies[asked["name"]]
        told = {
            "trust": policy_document(asked["assume_role_policy"].statements, resolve),
            "policies": {policy["name"]: policy_document(policy["policy"].statements, resolve)},
            "description": asked["description"],
            "tags": dict(asked["tags"]),
        }
        yield f"role {asked['name']}", told


def _secrets(blueprint: Blueprint, resolve: Resolve) -> Asked:
    for each in (row.arguments for row in SECRET.all_rows(blueprint)):
        told = {"description": each["description"], "key": resolve(each["kms_key_id"]), "tags": each["tags"]}
        yield f"secret {each['name']}", told


def _rows(kind: Kind, blueprint: Blueprint) -> list[Mapping[str, Any]]:
    return [each.arguments for each in kind.instances(blueprint)]


def _alarms(blueprint: Blueprint, resolve: Resolve) -> Asked:
    for each in _rows(ALARM, blueprint):
        rings = ("comparison_operator", "threshold", "period", "evaluation_periods")
        yield (
            f"alarm {each['alarm_name']}",
            {
                "description": each["alarm_description"],
                "metric": f"{each['namespace']}/{each['metric_name']} {each['statistic']}",
                "dimensions": dict(each["dimensions"]),
                "rings": [each[name] for name in rings],
                "silence": each["treat_missing_data"],
                "topics": [each["alarm_actions"], each["ok_actions"]],
            },
        )


def _topics(blueprint: Blueprint, resolve: Resolve) -> Asked:
    notified = sorted((each["protocol"], each["endpoint"]) for each in _rows(SUBSCRIPTION, blueprint))
    for each in _rows(TOPIC, blueprint):
        statements = each["policy"].statements
        policy = policy_document(statements, resolve)
        yield f"topic {statements[0].resources[0]}", {"policy": policy, "notifies": notified}


def _dashboards(blueprint: Blueprint, _: Resolve) -> Asked:
    for each in _rows(DASHBOARD, blueprint):
        yield f"dashboard {each['dashboard_name']}", {"body": json.loads(each["dashboard_body"])}


def _parameters(blueprint: Blueprint, resolve: Resolve) -> Asked:
    for each in _rows(PARAMETER, blueprint):
        yield f"parameter {each['name']}", {"value": resolve(each["insecure_value"]), "type": each["type"]}


def _runtime(blueprint: Blueprint, resolve: Resolve) -> Asked:
    for logs in _rows(LOG_GROUP, blueprint):
        yield f"log group {logs['name']}", {"days": logs["retention_in_days"], "tags": logs["tags"]}
    for images in _rows(REPOSITORY, blueprint):
        (encryption,) = images["encryption_configuration"] or [{"kms_key": None}]
        told = {"tags stay": True, "scans": True, "key": encryption["kms_key"], "tags": images["tags"]}
        yield f"image repository {images['name']}", told
    for group in [each for each in _rows(SECURITY_GROUP, blueprint) if "egress" in each]:
        told = {
            "vpc": group["vpc_id"],
            "description": group["description"],
            "in from itself": [each["self"] for each in group["ingress"]],
            "out": [block for each in group["egress"] for block in each["cidr_blocks"]],
            "tags": group["tags"],
        }
        yield f"security group {group['name']}", told
    for profile in _rows(INSTANCE_PROFILE, blueprint):
        yield f"instance profile {profile['name']}", {"roles": [profile["name"]], "tags": profile["tags"]}
    for made in _rows(SERVERLESS, blueprint):
        stops, network, runs = (made[f"{each}_configuration"] for each in ("auto_stop", "network", "scheduler"))
        told = {
            "release": made["release_label"],
            "architecture": made["architecture"],
            "capacity": made["maximum_capacity"],
            "stops after": {"enabled": True, "idleTimeoutMinutes": stops["idle_timeout_minutes"]},
            "subnets": sorted(network["subnet_ids"]),
            "groups": len(network["security_group_ids"]),
            "runs": {camel(name): each for name, each in runs.items()},
            "tags": made["tags"],
        }
        yield f"application {made['name']}", told
    for cluster in _rows(VIRTUAL_CLUSTER, blueprint):
        where = cluster["container_provider"]
        place = {"cluster": where["id"], "namespace": where["info"]["eks_info"]["namespace"]}
        yield f"virtual cluster {cluster['name']}", {**place, "tags": cluster["tags"]}
    for pods in _rows(ASSOCIATION, blueprint):
        told = {"role": resolve(pods["role_arn"]), "tags": pods["tags"]}
        yield f"pods {pods['namespace']}/{pods['service_account']}", told
    for machines in _rows(CLUSTER, blueprint):
        core = machines["core_instance_group"]
        told = {
            "release": machines["release_label"],
            "machines": (core["instance_type"], core["instance_count"]),
            "profile": blueprint.names.engine_role,
            "steps": machines["step_concurrency_level"],
            "tags": machines["tags"],
        }
        yield f"cluster {machines['name']}", told
