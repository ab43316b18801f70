"""Everything that must exist for an environment, as a pure function of its specification.

The Pulumi components render it, in an account and in the embedded environment alike, which applies the same program. The
bootstrap and `firnline keys` take their permissions from it, and `firnline preview` the properties that Pulumi can't read.
"""

from collections.abc import Iterator
from dataclasses import field, replace

from firnline_infra.blueprint.adopted import required_grants
from firnline_infra.blueprint.aws import EncryptionKeyDefinition
from firnline_infra.blueprint.bucket_layout import makes_bucket
from firnline_infra.blueprint.engine_config import EngineInputs, engine_inputs
from firnline_infra.blueprint.grants import RequiredGrant
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.previewing import previewers_grants
from firnline_infra.blueprint.principals import principals_policy
from firnline_infra.blueprint.redshift import RedshiftDestination, redshift_destination
from firnline_infra.blueprint.snowflake import IcebergTable, SnowflakeObjects
from firnline_infra.blueprint.snowflake_objects import snowflake_objects
from firnline_infra.blueprint.stack_outputs import StackOutputs, stack_outputs
from firnline_infra.blueprint.storage import bucket_name, key
from firnline_infra.blueprint.value import Value
from firnline_infra.environment import Environment
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names


@part
class Blueprint(Definition):
    """The parts of an environment, in an order in which they can be made. What is None, or not listed, is not made here."""

    environment: Environment = field(compare=False)
    """The kinds that yield rows make them of it."""
    names: Names
    key: EncryptionKeyDefinition | None
    """The one thing in here that the bootstrap makes, and no stack."""
    engine_policy: tuple[PolicyStatement, ...]
    """What the engine may do in AWS; empty if it brings its own credentials."""
    redshift: RedshiftDestination | None
    landing: SnowflakeObjects
    required_grants: tuple[RequiredGrant, ...]
    """What the role that deploys needs on the Snowflake objects of others."""
    outputs: EngineInputs
    """What the engine's configuration takes of the rest."""
    job_bucket: Value | None
    """The name of the bucket that the engine's configuration lies in; adopted, or the one above."""
    stack_outputs: StackOutputs

    @property
    def has_own_bucket(self) -> bool:
        """Tells whether the stack makes the bucket; else it adopts one, or has none."""
        return makes_bucket(self.environment)

    @property
    def preview_features(self) -> tuple[str, ...]:
        """Preview features that the Snowflake provider must be told to allow."""
        return tuple(sorted(set(_preview_features(self.landing))))


def blueprint_of(spec: EnvironmentSpec) -> Blueprint:
    """The same specification always gives the same blueprint."""
    environment = Environment.of(spec)
    job_bucket = bucket_name(environment)
    landing = snowflake_objects(environment)
    landing = replace(
        landing, grants=(*landing.grants, *previewers_grants(environment, landing, environment.names.preview_role))
    )
    return Blueprint(
        environment=environment,
        names=environment.names,
        key=key(environment),
        engine_policy=principals_policy(environment),
        redshift=redshift_destination(environment),
        landing=landing,
        required_grants=required_grants(environment, landing),
        outputs=engine_inputs(environment),
        job_bucket=job_bucket,
        stack_outputs=stack_outputs(environment, job_bucket),
    )


def _preview_features(landing: SnowflakeObjects) -> Iterator[str]:
    """Names of features of pulumi-snowflake 2.22: its resources that may still change in a minor release."""
    for table in landing.tables:
        yield "snowflake_iceberg_table_resource" if isinstance(table, IcebergTable) else "snowflake_table_resource"
    if landing.pipes:
        yield "snowflake_pipe_resource"
    if landing.latest:
        yield "snowflake_dynamic_table_resource"
    if landing.authentication_policy is not None:
        yield "snowflake_user_authentication_policy_attachment_resource"
