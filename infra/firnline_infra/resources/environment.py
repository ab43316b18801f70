"""The components of an environment in three layers, by how often they change, each in the order in which it can be made."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.redshift import REDSHIFT_ROLE, REFRESH_ROLE, RedshiftDestination
from firnline_infra.blueprint.value import Reference
from firnline_infra.kinds import buckets, ecr, eks, emr, iam, keys_and_secrets, network, observability, streams, tables
from firnline_infra.kinds.resource import Component, PolicyText
from firnline_infra.resources import aws_runtime
from firnline_infra.resources.aws_redshift import redshift_cluster, redshift_serverless, refresh_schedules
from firnline_infra.resources.snowflake_landing import snowflake_landing
from firnline_infra.resources.snowflake_volume import iceberg_volume


def foundation(blueprint: Blueprint) -> Iterator[Component]:
    """Streams, ledger, bucket, secrets: what holds data, and changes hardly ever."""
    yield from streams.streams(blueprint.environment)
    yield from tables.ledger(blueprint.environment)
    yield from buckets.landing_buckets(blueprint.environment)
    yield from keys_and_secrets.secrets(blueprint.environment)


def warehouse(blueprint: Blueprint) -> Iterator[Component]:
    """Volumes and everything in Snowflake."""
    volumes = tuple(iceberg_volume(f"volume-{volume.name}", volume) for volume in blueprint.volumes)
    yield from volumes
    yield snowflake_landing("landing", blueprint.landing, after=volumes)


def runtime(blueprint: Blueprint) -> Iterator[Component]:
    """Yields what the engine is, what watches it, what others find of it.

    Its configuration is not in here: renderers write it.
    """
    if blueprint.role is not None:
        made = aws_runtime.runtime_role("engine-role", blueprint.role)
        given = {Reference("role"): made.outputs["arn"], Reference("role", "name"): made.outputs["name"]}
        yield replace(made, gives=given)
    if blueprint.redshift is not None:
        yield from _redshift(blueprint.redshift)
    if blueprint.user is not None:
        yield aws_runtime.runtime_user("engine-user", blueprint.user)
    yield from network.rows(blueprint.environment)
    yield from iam.instance_profiles(blueprint.environment)
    yield from emr.rows(blueprint.environment)
    yield from ecr.repositories(blueprint.environment)
    yield from eks.associations(blueprint.environment)
    yield from observability.rows(blueprint.environment)


def adopted_policies(blueprint: Blueprint) -> dict[Reference, Any]:
    """Returns what the owner of an adopted role gives it; nothing is made of it."""
    adopted = blueprint.adopted_role
    if adopted is None:
        return {}
    return {
        Reference("adopted-role", "policy"): PolicyText(adopted.statements),
        Reference("adopted-role", "trust"): PolicyText(adopted.trust),
    }


def _redshift(destination: RedshiftDestination) -> Iterator[Component]:
    """Its views are not resources (redshift/)."""
    made = aws_runtime.runtime_role("redshift-role", destination.role)
    yield replace(made, gives={REDSHIFT_ROLE: made.outputs["arn"]})
    if destination.workgroup is not None:
        yield redshift_serverless("redshift", destination.workgroup)
    if destination.made_cluster is not None:
        yield redshift_cluster("redshift", destination.made_cluster)
    if destination.refreshes is not None:
        refreshes = aws_runtime.runtime_role("redshift-refresh-role", destination.refreshes.role)
        yield replace(refreshes, gives={REFRESH_ROLE: refreshes.outputs["arn"]})
        yield refresh_schedules("redshift-refresh", destination.refreshes)
