"""Components of Snowflake resources. Each can be used alone; its arguments are the blueprint's definition."""

from firnline_infra.pulumi.snowflake.landing import (
    IcebergVolume,
    IcebergVolumeArgs,
    SnowflakeLanding,
    SnowflakeLandingArgs,
)

__all__ = ["IcebergVolume", "IcebergVolumeArgs", "SnowflakeLanding", "SnowflakeLandingArgs"]
