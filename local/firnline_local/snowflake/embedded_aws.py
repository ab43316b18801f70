"""Asks the embedded AWS whether Snowflake could use a storage location: the only thing that Snowflake wants from AWS here."""

from functools import cache
from typing import TYPE_CHECKING, Any, cast

from firnline_local.aws.volume_access import Volume, can_use

if TYPE_CHECKING:
    from firnline_local.snowflake.catalog import StorageLocation

ACCESS_KEY = "embedded-snowflake"  # no principal has it, so it may ask everything
TIMEOUT_S = 5.0


class EmbeddedAws:
    """A VolumeAccess of the catalog."""

    def __init__(self, *, endpoint: str, region: str) -> None:
        self._endpoint = endpoint
        self._region = region
        self._client = cache(self._make_client)

    def __call__(self, location: "StorageLocation", principal_arn: str, /) -> list[str]:
        """An AWS that can't be asked stands in the way, too."""
        from botocore.exceptions import BotoCoreError, ClientError

        volume = Volume(
            role_arn=location.role_arn,
            external_id=location.external_id,
            principal_arn=principal_arn,
            bucket=location.bucket,
            prefix=location.prefix,
            kms_key_arn=self._key_arn(location),
        )
        try:
            return can_use(volume, self._client)
        except (BotoCoreError, ClientError) as error:
            return [f"The embedded AWS can't be asked: {error}"]

    def _key_arn(self, location: "StorageLocation") -> str | None:
        """A volume may name its key by id alone; it is then one of the role's account."""
        key = location.kms_key
        if key is None or key.startswith("arn:"):
            return key
        return f"arn:aws:kms:{self._region}:{location.role_arn.split(':')[4]}:key/{key}"

    def _make_client(self, service: str) -> Any:
        import boto3
        from botocore.config import Config

        from firnline_ingest.aws.session import new_session

        session = boto3.Session(
            botocore_session=new_session(),
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=ACCESS_KEY,
            region_name=self._region,
        )
        config = Config(
            proxies={}, connect_timeout=TIMEOUT_S, read_timeout=TIMEOUT_S, retries={"total_max_attempts": 2}
        )
        return cast("Any", session).client(service, endpoint_url=self._endpoint, config=config)
