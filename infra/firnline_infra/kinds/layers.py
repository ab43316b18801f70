"""The components of an environment in three layers, by how often they change, each in the order in which it can be made."""

from collections.abc import Iterator

from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds import (
    ecr,
    eks,
    emr,
    iam,
    keys_and_secrets,
    network,
    observability,
    principals,
    redshift,
    storage,
    streams,
    tables,
)
from firnline_infra.kinds.resource import Component
from firnline_infra.kinds.snowflake_landing import snowflake_landing


def foundation(blueprint: Blueprint) -> Iterator[Component]:
    """Streams, ledger, bucket, secrets: what holds data, and changes hardly ever."""
    yield from streams.streams(blueprint.environment)
    yield from tables.ledger(blueprint.environment)
    yield from storage.landing_buckets(blueprint.environment)
    yield from keys_and_secrets.secrets(blueprint.environment)


def warehouse(blueprint: Blueprint) -> Iterator[Component]:
    """Volumes and everything in Snowflake."""
    volumes = tuple(storage.iceberg_volumes(blueprint.environment))
    yield from volumes
    yield snowflake_landing("landing", blueprint.landing, after=volumes)


def runtime(blueprint: Blueprint) -> Iterator[Component]:
    """Yields what the engine is, what watches it, what others find of it.

    Its configuration is not in here: renderers write it.
    """
    yield from principals.engine_roles(blueprint.environment)
    yield from redshift.rows(blueprint.environment)
    yield from principals.engine_users(blueprint.environment)
    yield from network.rows(blueprint.environment)
    yield from iam.instance_profiles(blueprint.environment)
    yield from emr.rows(blueprint.environment)
    yield from ecr.repositories(blueprint.environment)
    yield from eks.associations(blueprint.environment)
    yield from observability.rows(blueprint.environment)
