"""AWS clients as the configuration wants them: endpoint, region, profile, and how often to try again.

A shard's reader handles throttling in its own loop, so its client does not retry; the ledger's does.
"""

from typing import TYPE_CHECKING, Any, cast

from botocore.config import Config

from firnline_ingest.config.model import Aws, AwsService
from firnline_ingest.kinesis.page import kinesis_session

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_kinesis import KinesisClient

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 15


def kinesis_client(aws: Aws, *, connections: int = 10) -> "KinesisClient":
    """GetRecords answers with typed records (kinesis/page.py); nothing is retried here."""
    return cast("KinesisClient", aws_client(aws, "kinesis", attempts=1, connections=connections))


def dynamodb_client(aws: Aws, *, connections: int = 10) -> "DynamoDBClient":
    return cast("DynamoDBClient", aws_client(aws, "dynamodb", connections=connections))


def aws_client(aws: Aws, service: AwsService, *, attempts: int = 5, connections: int = 10) -> Any:
    session = kinesis_session(aws.profile)
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=READ_TIMEOUT_S,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=connections,
        parameter_validation=False,  # our requests are built in one place each, and validation costs more than signing
    )
    return session.create_client(
        service, region_name=aws.region, endpoint_url=aws.endpoints.get(service), config=config
    )
