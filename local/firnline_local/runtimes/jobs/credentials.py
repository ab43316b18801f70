"""Endpoints of the services that jobs speak to, and a job's credentials: sessions of its role, handed out as containers
get theirs.

A job's processes have a URL and a token (AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN); every SDK asks
there, and again before a session ends. (AWS SDKs and tools reference guide, "Container credential provider".)
"""

import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, cast

from firnline_local.aws.call import SERVICE_KEY
from firnline_local.runtimes.jobs.submission import LaunchRefused

if TYPE_CHECKING:
    from botocore.client import BaseClient


ADMINISTRATOR = ("firnline-local", "firnline-local")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEndpoints:
    """Endpoints, and the region that they are in."""

    aws: str
    kinesis: str
    region: str
    account: str

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables of a job's processes, so that an SDK without settings finds the embedded AWS.

        This is the one thing that a job here has and a job in the service does not: there, SDKs know AWS's own endpoints.
        """
        return {
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_ENDPOINT_URL": self.aws,
            "AWS_ENDPOINT_URL_KINESIS": self.kinesis,
            "AWS_EC2_METADATA_DISABLED": "true",
        }


def client(places: JobEndpoints, service: str, key: str, secret: str, token: str | None = None) -> "BaseClient":
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
    endpoint = places.kinesis if service == "kinesis" else places.aws
    return cast("BaseClient", session.client(service, endpoint_url=endpoint, config=config))


def has_role(places: JobEndpoints, arn: str) -> bool:
    """Returns whether the embedded IAM has the role."""
    iam: Any = client(places, "iam", *ADMINISTRATOR)
    try:
        found: str = iam.get_role(RoleName=arn.rpartition("/")[2])["Role"]["Arn"]
    except iam.exceptions.NoSuchEntityException:
        return False
    return found == arn


def role_of_profile(places: JobEndpoints, name: str) -> str | None:
    """The ARN of the role that an instance profile of the embedded IAM has; None where it has none, or is not there."""
    iam: Any = client(places, "iam", *ADMINISTRATOR)
    try:
        roles = iam.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]["Roles"] if name else ()
    except iam.exceptions.NoSuchEntityException:
        return None
    return str(roles[0]["Arn"]) if roles else None


RENEWED_BEFORE = timedelta(minutes=15)
PATH = "/__firnline__/credentials/"

OnSession = Callable[[str, str], None]
"""Takes the access key and the role of each new session, before it is used."""


class Assumed(Protocol):
    """A role, and the service that assumes it; a Submission is one."""

    @property
    def name(self) -> str: ...
    @property
    def role_arn(self) -> str: ...
    @property
    def service(self) -> str: ...
    @property
    def source_arn(self) -> str: ...
    @property
    def tags(self) -> Mapping[str, str]: ...


class RoleSession:
    """Credentials of one job's role. Thread-safe."""

    def __init__(self, assumed: Assumed, places: JobEndpoints, on_session: OnSession) -> None:
        self.id = assumed.name
        self.token = secrets.token_urlsafe(24)
        self._assumed_by = assumed
        self._places = places
        self._on_session = on_session
        self._lock = threading.Lock()
        self._current: Mapping[str, Any] | None = None

    def current(self) -> Mapping[str, Any]:
        """AccessKeyId, SecretAccessKey, SessionToken and Expiration. Raises LaunchRefused where the role is not given."""
        with self._lock:
            if self._current is None or self._current["Expiration"] - datetime.now(UTC) < RENEWED_BEFORE:
                self._current = self._assumed()
                self._on_session(self._current["AccessKeyId"], self._assumed_by.role_arn)
            return self._current

    def client(self, service: str) -> Any:
        """A client that may do what the job may."""
        own = self.current()
        return client(self._places, service, own["AccessKeyId"], own["SecretAccessKey"], own["SessionToken"])

    def _assumed(self) -> Mapping[str, Any]:
        from botocore.exceptions import ClientError

        role, service = self._assumed_by.role_arn, self._assumed_by.service
        sts: Any = client(self._places, "sts", f"{SERVICE_KEY}{service}", "-")
        if self._assumed_by.source_arn:
            sts.meta.events.register("before-sign.sts.AssumeRole", self._name_source)
        try:
            tags = [{"Key": key, "Value": value} for key, value in self._assumed_by.tags.items()]
            answer = sts.assume_role(RoleArn=role, RoleSessionName=self.id[:64], Tags=tags)
        except ClientError as error:
            raise LaunchRefused(
                f"Job execution role {role} can't be assumed by {service}: {error.response['Error']['Message']}"
            ) from error
        found: Mapping[str, Any] = answer["Credentials"]
        return found

    def _name_source(self, request: Any, **_: Any) -> None:
        request.headers["x-amz-source-arn"] = self._assumed_by.source_arn
        request.headers["x-amz-source-account"] = self._places.account


class JobSessions:
    """The sessions of the jobs that run."""

    def __init__(self) -> None:
        self._sessions: dict[str, RoleSession] = {}

    def add(self, session: RoleSession) -> None:
        self._sessions[session.id] = session

    def remove(self, session: RoleSession) -> None:
        self._sessions.pop(session.id, None)

    def answer(self, name: str, token: str) -> Mapping[str, str] | None:
        """Returns what an SDK reads; None for who has no such token. Raises LaunchRefused if the role is not given any more."""
        session = self._sessions.get(name)
        if session is None or not secrets.compare_digest(session.token.encode(), token.encode()):
            return None
        own = session.current()
        return handed_out(own)


def handed_out(session: Mapping[str, Any]) -> dict[str, str]:
    """A session as SDKs read one, from a container's address and from the metadata of an instance."""
    return {
        "AccessKeyId": session["AccessKeyId"],
        "SecretAccessKey": session["SecretAccessKey"],
        "Token": session["SessionToken"],
        "Expiration": session["Expiration"].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def variables(session: RoleSession, endpoint: str) -> dict[str, str]:
    """The variables of the job's processes."""
    return {
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{endpoint}{PATH}{session.id}",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN": session.token,
    }
