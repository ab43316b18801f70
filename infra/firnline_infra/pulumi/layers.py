"""An environment in three layers, by how often they change: where data is kept, where it lands, what runs.

Each function renders its part of the blueprint, decides nothing, and returns what it made. One stack may hold all three, or
each one: the resources have the same names either way, so that they can be moved.
"""

from dataclasses import replace
from typing import Any

import pulumi

from firnline_infra.blueprint import Blueprint, EngineInputs, blueprint_of, engine_config
from firnline_infra.blueprint.bucket_layout import CONFIGURATION_FOLDER, folder
from firnline_infra.blueprint.stack_outputs import SECRETS, StackOutputs
from firnline_infra.blueprint.value import Reference
from firnline_infra.pulumi import aws, snowflake
from firnline_infra.pulumi.engine_runtime import place_of_jobs
from firnline_infra.pulumi.references import Lookup, Made, as_input, either, policy_json, resolved
from firnline_infra.specification.model import EnvironmentSpec


def foundation(blueprint: Blueprint, opts: pulumi.ResourceOptions) -> Made:
    """Streams, ledger, bucket, secrets: what holds data, and changes hardly ever."""
    made: Made = {}
    known = made.__getitem__
    for stream in blueprint.streams:
        component = aws.EventStream(f"stream-{stream.name}", resolved(stream, known), opts)
        made[Reference(f"stream/{stream.name}")] = component.arn
        for consumer, arn in component.consumer_arns.items():
            made[Reference(f"consumer/{stream.name}/{consumer}")] = arn
    aws.CheckpointTable("ledger", resolved(blueprint.ledger, known), opts)
    if blueprint.bucket is not None:
        made[Reference("bucket", "name")] = aws.LandingBucket("bucket", resolved(blueprint.bucket, known), opts).name
    for whose, secret in zip(SECRETS, blueprint.secrets, strict=False):
        made[Reference(f"secret/{whose}")] = aws.Secret(f"secret-{whose}", resolved(secret, known), opts).arn
    return made


def warehouse(blueprint: Blueprint, known: Lookup, opts: pulumi.ResourceOptions) -> Made:
    """Volumes and everything in Snowflake."""
    volumes = {
        volume.name.name: snowflake.IcebergVolume(f"volume-{volume.name}", resolved(volume, known), opts)
        for volume in blueprint.volumes
    }
    after = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(volumes.values())))
    snowflake.SnowflakeLanding("landing", resolved(blueprint.landing, known), after)
    return {Reference(f"volume/{name}", "iam_user_arn"): volume.iam_user_arn for name, volume in volumes.items()}


def runtime(spec: EnvironmentSpec, blueprint: Blueprint, known: Lookup, opts: pulumi.ResourceOptions) -> Made:
    """What the engine is and reads, what watches it, what others find of it."""
    made: Made = {}
    if blueprint.role is not None:
        role = aws.RuntimeRole("engine-role", resolved(blueprint.role, known), opts)
        made |= {Reference("role"): role.arn, Reference("role", "name"): role.name}
    if blueprint.adopted_role is not None:
        adopted = resolved(blueprint.adopted_role, known)
        made[Reference("adopted-role", "policy")] = policy_json(adopted.statements)
        made[Reference("adopted-role", "trust")] = policy_json(adopted.trust)
    if blueprint.user is not None:
        aws.RuntimeUser("engine-user", resolved(blueprint.user, known), opts)
    args = aws.EngineConfigurationArgs(
        document=_document(spec, resolved(blueprint.outputs, known)),
        bucket=blueprint.job_bucket,
        folder=folder(spec, CONFIGURATION_FOLDER),
    )
    engine = aws.EngineConfiguration("engine-config", resolved(args, known), opts)
    made |= {Reference("engine", "document"): engine.document, Reference("engine", "hash"): engine.hash}
    if engine.url is not None:
        made[Reference("engine", "url")] = engine.url
    if blueprint.endpoints is not None:
        aws.VpcEndpoints("endpoints", blueprint.endpoints, opts)
    made |= place_of_jobs(blueprint.runtime, either(made, known), opts)
    if blueprint.alarms:
        aws.IngestAlarms("alarms", aws.IngestAlarmsArgs(alarms=blueprint.alarms), opts)
    if blueprint.dashboard is not None:
        aws.OperationsDashboard("dashboard", blueprint.dashboard, opts)
    if blueprint.publication:
        published = aws.PublishedOutputsArgs(parameters=blueprint.publication)
        aws.PublishedOutputs("published", resolved(published, either(made, known)), opts)
    return made


def _document(spec: EnvironmentSpec, inputs: EngineInputs) -> pulumi.Output[dict[str, Any]]:
    """The private key's place may have to be identified by the secret that was made, the dead letters' key and consumers too."""

    def document(told: list[dict[str, Any]]) -> dict[str, Any]:
        private_key, dead_letters, consumers = told
        return engine_config(
            spec, replace(inputs, private_key=private_key, dead_letters=dead_letters, consumers=consumers)
        )

    places = [
        {name: as_input(value) for name, value in each.items()}
        for each in (inputs.private_key, inputs.dead_letters, inputs.consumers)
    ]
    return pulumi.Output.all(*places).apply(document)


def environment(spec: EnvironmentSpec, opts: pulumi.ResourceOptions) -> StackOutputs:
    """Everything that the specification asks for. `opts` names the two providers (`providers`)."""
    blueprint = blueprint_of(spec)
    made: Made = foundation(blueprint, opts)
    made |= warehouse(blueprint, made.__getitem__, opts)
    made |= runtime(spec, blueprint, made.__getitem__, opts)
    return resolved(blueprint.stack_outputs, made.__getitem__)
