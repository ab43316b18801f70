"""Snowflake objects that a specification names and that belong to somebody else."""

from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.snowflake import ExternalVolume

PUBLIC = "PUBLIC"
"""The schema that Snowflake makes with every database."""


def adopted_databases(spec: EnvironmentSpec) -> frozenset[Identifier]:
    return frozenset(
        Identifier.parse(database.name)
        for database in spec.snowflake.databases
        if database.origin is ObjectOrigin.ADOPT
    )


def adopted_schemas(spec: EnvironmentSpec) -> frozenset[QualifiedName]:
    return frozenset(
        QualifiedName.of(database.name, schema.name)
        for database in spec.snowflake.databases
        for schema in database.schemas
        if schema.origin is ObjectOrigin.ADOPT
    )


def made_volumes(spec: EnvironmentSpec) -> tuple[ExternalVolume, ...]:
    return tuple(each for each in spec.snowflake.external_volumes if each.origin is ObjectOrigin.CREATE)
