"""Endpoints of the embedded services, and clients for them.

Proxies of the machine are not asked: everything here is on loopback.
"""

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.error import HTTPError
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

from firnline_ingest.errors import nearest
from firnline_local.errors import ControlRefused
from firnline_local.faults import CONTROL_PREFIX, InvalidFault

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from snowflake.connector import SnowflakeConnection

Server = Literal["kinesis", "aws", "runtimes", "snowflake"]
SERVERS: tuple[Server, ...] = ("kinesis", "aws", "runtimes", "snowflake")
AWS_SERVICES = (
    "cloudwatch",
    "dynamodb",
    "ec2",
    "ecr",
    "events",
    "glue",
    "iam",
    "kms",
    "logs",
    "redshift",
    "s3",
    "scheduler",
    "secretsmanager",
    "sns",
    "ssm",
    "sts",
)
"""Of the `aws` server."""
RUNTIMES = ("emr-serverless", "elasticmapreduce", "emr-containers", "eks", "redshift-serverless", "redshift-data")
SERVER_OF: dict[str, Server] = {
    "kinesis": "kinesis",
    "snowflake": "snowflake",
    **dict.fromkeys(RUNTIMES, "runtimes"),
    **dict.fromkeys(AWS_SERVICES, "aws"),
}
CALLED = {"elasticmapreduce": "emr"}
"""As boto3 calls a service, where that is another name than the one in its credentials."""
SIGNED_AS = {called: signed for signed, called in CALLED.items()}
ADMIN_USER, ADMIN_ROLE = "FIRNLINE_ADMIN", "ACCOUNTADMIN"  # what the embedded Snowflake begins with
TIMEOUT_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """One URL per server; `ca_file` is what a client of the Snowflake one has to trust."""

    region: str
    aws_account: str
    kinesis: str
    aws: str
    runtimes: str
    """EMR Serverless, EMR on EC2, virtual clusters of EMR on EKS, associations of EKS, the part of a Kubernetes API that the
    Spark operators' resources need; workgroups of Redshift Serverless, and Redshift's Data API."""
    snowflake: str
    snowflake_account: str
    ca_file: Path

    def of_service(self, service: str) -> str:
        server = SERVER_OF.get(SIGNED_AS.get(service, service), "aws")
        return self.kinesis if server == "kinesis" else self.runtimes if server == "runtimes" else self.aws

    @property
    def aws_variables(self) -> dict[str, str]:
        """Environment variables by which a program finds the AWS side: an SDK finds nothing of the machine's own."""
        return {
            "AWS_ACCESS_KEY_ID": "firnline-local",
            "AWS_SECRET_ACCESS_KEY": "firnline-local",
            "AWS_DEFAULT_REGION": self.region,
            "AWS_ENDPOINT_URL": self.aws,
            **{
                f"AWS_ENDPOINT_URL_{CALLED.get(service, service).upper().replace('-', '_')}": self.of_service(service)
                for service in ("kinesis", *RUNTIMES)
            },
        }


@dataclass(frozen=True, kw_only=True)
class Login:
    """A Snowflake user of the environment; the key itself stays in its file."""

    user: str
    role: str
    private_key_file: Path


def aws_client(endpoints: Endpoints, service: str, *, attempts: int | None = None) -> "BaseClient":
    """Returns a boto3 client with credentials that are worth nothing elsewhere.

    `attempts` is what a request gets in all; as many as botocore's default has by default.
    """
    import boto3
    from botocore.config import Config

    from firnline_ingest.aws.session import new_session

    variables = endpoints.aws_variables
    session = boto3.Session(
        botocore_session=new_session(),
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
        region_name=endpoints.region,
    )
    config = Config(
        proxies={},
        connect_timeout=TIMEOUT_S,
        read_timeout=TIMEOUT_S,
        max_pool_connections=16,
        retries=None if attempts is None else {"mode": "standard", "total_max_attempts": attempts},
    )
    # The stubs know each service by a literal of its own; here the name is data.
    factory = cast("Any", session)
    return cast("BaseClient", factory.client(service, endpoint_url=endpoints.of_service(service), config=config))


def sql_session(endpoints: Endpoints, login: Login) -> "SnowflakeConnection":
    """Raises KeyRefused, SessionRefused or SnowflakeUnavailable."""
    from firnline_ingest.snowflake.connection import connect
    from firnline_ingest.snowflake.key import SigningKey

    return connect(
        account=endpoints.snowflake_account,
        user=login.user,
        role=login.role,
        url=endpoints.snowflake,
        key=SigningKey(login.private_key_file.read_text(), f"file {login.private_key_file}"),
        ca_file=endpoints.ca_file,
    )


def servers_of(endpoint: str) -> tuple[Server, ...]:
    """The servers that a fault is for: all of them if its pattern matches over services, such as *:*.

    Raises InvalidFault for a service that is not embedded.
    """
    service, _, operation = endpoint.partition(":")
    if any(wild in service for wild in "*?["):
        return SERVERS
    if service not in SERVER_OF or not operation:
        near = nearest(service, SERVER_OF)
        hint = f"did you mean {near}:{operation or '*'}?" if near else f"services: {', '.join(SERVER_OF)}"
        raise InvalidFault(f"{endpoint!r} is not service:Operation of an embedded service; {hint}")
    return (SERVER_OF[service],)


def control(endpoints: Endpoints, server: Server, path: str, body: object = None) -> Any:
    """Asks a server's control routes; posts `body` where there is one. Raises ControlRefused."""
    url = f"{getattr(endpoints, server)}{CONTROL_PREFIX}{path}"
    request = Request(  # noqa: S310 (our own http and https endpoints)
        url, data=None if body is None else json.dumps(body).encode(), headers={"Content-Type": "application/json"}
    )
    context = ssl.create_default_context(cafile=str(endpoints.ca_file)) if url.startswith("https") else None
    try:
        with build_opener(ProxyHandler({}), HTTPSHandler(context=context)).open(request, timeout=TIMEOUT_S) as answer:
            return json.loads(answer.read())
    except HTTPError as error:
        raise ControlRefused(url=url, answer=_said(error.read())) from error
    except (OSError, ValueError) as error:
        raise ControlRefused(url=url, answer=str(error)) from error


def _said(body: bytes) -> str:
    try:
        document = json.loads(body)
    except ValueError:
        return body.decode(errors="replace")
    return str(document.get("error", document)) if isinstance(document, Mapping) else str(document)
