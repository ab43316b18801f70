"""Where the services are that a job and its runtime speak to, and clients for the runtime itself."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from botocore.client import BaseClient

ADMINISTRATOR = ("firnline-local", "firnline-local")


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Endpoints, and the region that they are in."""

    aws: str
    kinesis: str
    region: str
    account: str

    @property
    def variables(self) -> dict[str, str]:
        """What a job's processes have to know, so that an SDK that was told nothing finds the embedded AWS.

        This is the one thing that a job here has and a job in the service does not: there, SDKs know AWS's own endpoints.
        """
        return {
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_ENDPOINT_URL": self.aws,
            "AWS_ENDPOINT_URL_KINESIS": self.kinesis,
            "AWS_EC2_METADATA_DISABLED": "true",
        }


def client(places: Places, service: str, key: str, secret: str, token: str | None = None) -> "BaseClient":
    """A boto3 client of the embedded AWS."""
    import boto3
    from botocore.config import Config

    from firnline_ingest.aws.session import new_session

    session: Any = boto3.Session(
        botocore_session=new_session(),
        aws_access_key_id=key,
        aws_secret_access_key=secret,
        aws_session_token=token,
        region_name=places.region,
    )
    config = Config(proxies={}, s3={"addressing_style": "path"}, retries={"total_max_attempts": 3})
    return cast("BaseClient", session.client(service, endpoint_url=places.aws, config=config))


def has_role(places: Places, arn: str) -> bool:
    """Whether the embedded IAM has the role."""
    iam: Any = client(places, "iam", *ADMINISTRATOR)
    try:
        found: str = iam.get_role(RoleName=arn.rpartition("/")[2])["Role"]["Arn"]
    except iam.exceptions.NoSuchEntityException:
        return False
    return found == arn
