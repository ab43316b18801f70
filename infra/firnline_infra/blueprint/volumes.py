"""The external volumes of an environment."""

from firnline_infra.blueprint.aws import Bucket
from firnline_infra.blueprint.landing import comment_of
from firnline_infra.blueprint.snowflake import IcebergVolume
from firnline_infra.blueprint.tags import tags
from firnline_infra.blueprint.value import Value
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import volume_names
from firnline_infra.specification.snowflake import ExternalVolume


def volumes(spec: EnvironmentSpec, key_arn: Value | None) -> tuple[IcebergVolume, ...]:
    return tuple(_volume(spec, volume, key_arn) for volume in spec.snowflake.external_volumes)


def _volume(spec: EnvironmentSpec, volume: ExternalVolume, key_arn: Value | None) -> IcebergVolume:
    names, marks = volume_names(spec, volume), tags(spec, component="volume")
    return IcebergVolume(
        name=Identifier.parse(volume.name),
        bucket=Bucket(
            name=names.bucket,
            partition=spec.aws.partition,
            key_arn=key_arn,
            durability=spec.durability,
            tags=marks,
        ),
        role_arn=Arns(spec).role(names.role),
        external_id=names.external_id,
        prefix=volume.prefix,
        permissions_boundary=spec.aws.permissions_boundary,
        comment=comment_of(spec),
        tags=marks,
    )
