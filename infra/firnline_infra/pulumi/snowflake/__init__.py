"""Components of Snowflake resources. Each can be used alone; its arguments are the blueprint's definition."""

from firnline_infra.pulumi.snowflake.iceberg_volume import IcebergVolume, IcebergVolumeArgs
from firnline_infra.pulumi.snowflake.landing import SnowflakeLanding, SnowflakeLandingArgs

__all__ = ["IcebergVolume", "IcebergVolumeArgs", "SnowflakeLanding", "SnowflakeLandingArgs"]
