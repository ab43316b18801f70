"""The client that a sink needs: as many connections as requests, and no attempts of its own, because the sink counts them."""

from typing import TYPE_CHECKING, cast

from botocore.exceptions import ProfileNotFound
from botocore.session import Session

from firnline_ingest.aws.client import aws_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.errors import UsageError, declared
from firnline_ingest.sink.options import SinkOptions

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient


@declared
class RegionUnknown(UsageError):
    why: str

    id = "FL-2407"
    message = "The stream's region is not known: {why}"
    next_step = "name it with --region, or set AWS_REGION."
    causes = "Neither `--region` nor the profile nor AWS_REGION says where the stream is"
    remedy = "name it"


def sink_client(aws: AwsConfig, options: SinkOptions) -> "KinesisClient":
    client = aws_client(
        aws, "kinesis", attempts=1, connections=options.in_flight, read_timeout_s=options.read_timeout_s
    )
    return cast("KinesisClient", client)


def region_of(profile: str | None) -> str:
    """The profile's, or AWS_REGION. Raises RegionUnknown."""
    try:
        session = Session(profile=profile)
        region = session.get_config_variable("region")
    except ProfileNotFound as error:
        raise RegionUnknown(f"{error}.") from error
    if not region:
        raise RegionUnknown("neither the profile nor the environment says it.")
    return str(region)
