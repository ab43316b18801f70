"""The engine's configuration where a cluster has it: an object in S3, read with the credentials that the engine runs with."""

import os
import re
from pathlib import Path
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from firnline_ingest.aws.session import new_session
from firnline_ingest.config.load import load_config, parse_config
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import ConfigError

URI = re.compile(r"s3[an]?://([^/]+)/(.+)")
PATIENCE = Config(connect_timeout=5, read_timeout=15, retries={"mode": "standard", "total_max_attempts": 5})


def read_config(place: str) -> EngineConfig:
    """`place` is a path, or s3://bucket/key. Raises ConfigError where it can't be read, or describes no engine."""
    found = URI.fullmatch(place)
    if place.startswith("s3:") and found is None:
        raise ConfigError(place, ["is not a valid place in S3; write s3://bucket/key"])
    if found is None:
        return load_config(Path(place))
    return parse_config(_object(found[1], found[2], place), place)


def _object(bucket: str, key: str, place: str) -> bytes:
    # Where no region is set, S3 says which is the bucket's, and botocore asks again there.
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    try:
        client: Any = new_session().create_client("s3", region_name=region, config=PATIENCE)
        content: bytes = client.get_object(Bucket=bucket, Key=key)["Body"].read()
    except ClientError as error:
        said = error.response.get("Error", {})
        raise ConfigError(place, [f"can't be read: s3:GetObject: {said.get('Code')}: {said.get('Message')}"]) from error
    except BotoCoreError as error:
        raise ConfigError(place, [f"can't be read: {error}"]) from error
    return content
