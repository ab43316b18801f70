"""AWS clients as the configuration wants them: endpoint, region, credentials, trust, and how often to try again."""

from typing import TYPE_CHECKING, Any, cast

from botocore.config import Config
from botocore.session import Session

from firnline_ingest.aws.identity import ca_file, signing
from firnline_ingest.aws.request_parts import keep_parts
from firnline_ingest.aws.session import new_session
from firnline_ingest.config.access import HERE, Access
from firnline_ingest.config.form import AwsService
from firnline_ingest.config.model import AwsConfig

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 15


def dynamodb_client(
    aws: AwsConfig, *, connections: int = 10, read_timeout_s: float = READ_TIMEOUT_S
) -> "DynamoDBClient":
    client = aws_client(aws, "dynamodb", connections=connections, read_timeout_s=read_timeout_s)
    return cast("DynamoDBClient", client)


def aws_client(
    aws: AwsConfig,
    service: AwsService,
    *,
    attempts: int = 5,
    connections: int = 10,
    read_timeout_s: float = READ_TIMEOUT_S,
    session: Session | None = None,
    access: Access = HERE,
) -> Any:
    """A client of `session`, or of a new one. `access` says where a stream is that is elsewhere, and who reads it."""
    session = session or new_session()
    config = Config(
        user_agent=_user_agent(session),  # botocore would put it together twice for each request
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=read_timeout_s,
        retries={"mode": "standard", "total_max_attempts": attempts},
        max_pool_connections=connections,
        parameter_validation=False,  # our requests are built in one place each, and validation costs more than signing
    )
    region = access.stream_region or aws.region
    own_endpoint = aws.endpoints.get(service) if region == aws.region else None
    client = signing(session, aws, access).create_client(
        service,
        region_name=region,
        endpoint_url=access.endpoint or own_endpoint,
        config=config,
        verify=ca_file(aws),
    )
    keep_parts(client)
    return client


def _user_agent(session: Session) -> str:
    """Returns botocore's own, with the application id that a session may have (AWS_SDK_UA_APP_ID)."""
    app_id = session.get_config_variable("user_agent_appid")
    return f"{session.user_agent()} app/{app_id}" if app_id else str(session.user_agent())
