"""Outputs of a stack, for people and for the programs that run an engine, and those that are published as parameters."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import Environment
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import ROLELESS, Trust
from firnline_infra.specification.runtimes.emr_ec2 import EmrEc2
from firnline_infra.specification.runtimes.emr_serverless import EmrServerless
from firnline_infra.specification.runtimes.spark_operator import Kubernetes


@part
class StackOutputs(Definition):
    """Nothing secret. To add a field is fine; to remove or rename one breaks who reads it."""

    engine_config: Value
    """The document that the engine reads."""
    engine_config_hash: Value
    """Changes with the document, and only with it."""
    engine_config_url: Value | None
    """s3://bucket/configuration/HASH.json"""
    stream_arns: Mapping[str, Value]
    """By stream."""
    consumer_arns: Mapping[str, Value]
    """By stream/consumer."""
    ledger_table: Value
    bucket: Value | None
    secret_arns: Mapping[str, Value]
    """Of the private keys of the Snowflake users: ingest, reader, and the streams of pipelines with a user of their own."""
    engine_role_arn: Value | None
    engine_policy: Value | None
    """JSON: what the owner of an adopted role lets it do."""
    engine_trust: Value | None
    """JSON: its trust policy."""
    engine_user: Value | None
    engine_place: Value | None
    """Where the engine's jobs run, as their service calls it: the id of an application or of a cluster."""
    volume_iam_user_arns: Mapping[str, Value]
    """By external volume: what Snowflake is in AWS."""

    def given(self) -> dict[str, Any]:
        """The outputs by name, without those that this environment does not have."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None and value != {}}


def stack_outputs(environment: Environment, bucket: Value | None) -> StackOutputs:
    """`bucket` is the name of the one for jobs."""
    trust = environment.aws.runtime.trust
    volumes, adopted_role = (
        [Identifier.parse(volume.name).name for volume in environment.made_volumes],
        environment.aws.runtime.role_arn,
    )
    consumers = [f"{stream.name}/{consumer}" for stream in environment.streams for consumer in stream.consumers]
    return StackOutputs(
        engine_config=Reference("engine", "document"),
        engine_config_hash=Reference("engine", "hash"),
        engine_config_url=None if environment.aws.bucket.origin is Origin.SKIP else Reference("engine", "url"),
        stream_arns={stream.name: Reference(f"stream/{stream.name}") for stream in environment.streams},
        consumer_arns={consumer: Reference(f"consumer/{consumer}") for consumer in consumers},
        ledger_table=environment.names.ledger_table,
        bucket=bucket,
        secret_arns={each.key: Reference(f"secret/{each.key}") for each in environment.users if each.has_secret},
        engine_role_arn=None if trust in ROLELESS else adopted_role or Reference("role"),
        engine_policy=Reference("adopted-role", "policy") if adopted_role else None,
        engine_trust=Reference("adopted-role", "trust") if adopted_role else None,
        engine_place=_place(environment),
        engine_user=environment.names.engine_user if trust is Trust.STATIC_KEYS else None,
        volume_iam_user_arns={volume: Reference(f"volume/{volume}", "iam_user_arn") for volume in volumes},
    )


def _place(environment: Environment) -> Value | None:
    """Returns where the job runs, as `EngineJob.place` wants it; None on Kubernetes, and where the engine is started by hand."""
    match environment.aws.runtime.job:
        case None | Kubernetes():
            return None
        case EmrServerless() as section:
            return section.application_id or Reference("runtime/application")
        case EmrEc2() as section:
            return section.cluster_id or Reference("runtime/cluster")
        case section:
            return section.virtual_cluster_id or Reference("runtime/virtual-cluster")


def published(environment: Environment) -> Iterator[tuple[str, Value, str]]:
    """Yields name, value and description of each output that is published. The configuration itself can be too long for a
    parameter: its place is published."""
    if environment.aws.bucket.origin is not Origin.SKIP:
        yield "engine-config", Reference("engine", "url"), "Where the engine's configuration lies."
    yield (
        "engine-config-hash",
        Reference("engine", "hash"),
        "Changes with the engine's configuration, and only with it.",
    )
    yield "ledger-table", environment.names.ledger_table, "Fences shards and remembers where they are."
    if environment.aws.runtime.trust not in ROLELESS:
        yield "engine-role", environment.aws.runtime.role_arn or Reference("role"), "What the engine's job runs as."
