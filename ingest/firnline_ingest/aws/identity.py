"""Identity of the engine in AWS, as its configuration has it: where credentials begin, and the roles that follow.

Every client has a session of its own, which looks for itself. STS and Secrets Manager are not asked before a request has to
be signed: an identity that can't be assumed fails alone.
"""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from botocore import UNSIGNED
from botocore.config import Config
from botocore.credentials import Credentials as Key
from botocore.exceptions import BotoCoreError, ClientError
from botocore.session import Session

from firnline_ingest.aws.credentials import RenewedCredentials, TimedCredentials, signed_by
from firnline_ingest.aws.errors import AccessKeyMissing, ProfileUnusable
from firnline_ingest.aws.roles import assumed, identified
from firnline_ingest.aws.session import new_session, own_handlers
from firnline_ingest.config.access import HERE, Access, AccessKey, Credentials, Profile, Role, WebIdentity
from firnline_ingest.config.form import AwsService
from firnline_ingest.config.model import AwsConfig

PATIENCE = Config(connect_timeout=5, read_timeout=10, retries={"mode": "standard", "total_max_attempts": 3})
"""For what has to be asked before a request can be signed: a shard waits meanwhile, and asks again itself."""


def signing(
    session: Session, aws: AwsConfig, access: Access = HERE, *, clock: Callable[[], float] = time.monotonic
) -> Session:
    """The session, whose clients sign as `access` says, and as `aws` does where that says nothing; never raises."""
    return signed_by(session, _Identity(aws, clock).of(access))


@dataclass(frozen=True, slots=True)
class _Identity:
    aws: AwsConfig
    clock: Callable[[], float]

    def of(self, access: Access) -> RenewedCredentials:
        own = self.aws.credentials
        begin = self._begun(access) if access.has_beginning else self._with_roles(self._begun(own), own.roles)
        return self._with_roles(begin, access.roles)

    def _begun(self, credentials: Credentials) -> RenewedCredentials:
        if credentials.web_identity is not None:
            return self._found_by(_web_identity(self.aws, credentials.web_identity))
        if credentials.access_key is not None:
            return self._found_by(_access_key(self.aws, credentials.access_key))
        profile = credentials.profile
        begun = self._found_by(_profile(self.aws, profile) if profile is not None else lambda: _chain(self.aws))
        begun.look()
        return begun

    def _with_roles(self, begin: RenewedCredentials, roles: list[Role]) -> RenewedCredentials:
        for role in roles:
            begin = self._found_by(_role(self.aws, begin, role))
        return begin

    def _found_by(self, look: Callable[[], TimedCredentials | None]) -> RenewedCredentials:
        return RenewedCredentials(look, self.clock)


def _role(aws: AwsConfig, begin: RenewedCredentials, role: Role) -> Callable[[], TimedCredentials]:
    sts = cache(lambda: _client(aws, "sts", signed_by(new_session(), begin)))
    return lambda: assumed(role, sts)


def _web_identity(aws: AwsConfig, identity: WebIdentity) -> Callable[[], TimedCredentials]:
    sts = cache(lambda: _client(aws, "sts", new_session(), Config(signature_version=UNSIGNED)))
    return lambda: identified(identity, sts)


def _access_key(aws: AwsConfig, key: AccessKey) -> Callable[[], TimedCredentials]:
    if key.secret_arn is not None:
        arn = key.secret_arn
        secrets = cache(
            lambda: _client(aws, "secretsmanager", signed_by(new_session(), RenewedCredentials(lambda: _chain(aws))))
        )
        return lambda: _from_secret(arn, secrets())
    names = [name for name in (key.id_env, key.secret_env, key.token_env) if name is not None]
    return lambda: TimedCredentials(Key(*(_variable(name) for name in names)))


def _variable(name: str) -> str:
    if value := os.environ.get(name):
        return value
    raise AccessKeyMissing(f"the environment's variable {name}", "is not set")


def _from_secret(arn: str, client: Any) -> TimedCredentials:
    where = f"the secret {arn}"
    try:
        text = client.get_secret_value(SecretId=arn, VersionStage="AWSCURRENT").get("SecretString")
    except (ClientError, BotoCoreError) as error:
        raise AccessKeyMissing(where, f"can't be read: {error}") from error
    try:
        fields = json.loads(text or "")
        return TimedCredentials(Key(fields["access_key_id"], fields["secret_access_key"], fields.get("session_token")))
    except (ValueError, TypeError, KeyError) as error:
        raise AccessKeyMissing(where, "has no JSON text with access_key_id and secret_access_key") from error


def _profile(aws: AwsConfig, profile: Profile) -> Callable[[], TimedCredentials]:
    def look() -> TimedCredentials:
        try:
            found = _chain(aws, profile)
        except (BotoCoreError, ClientError) as error:
            raise ProfileUnusable(profile.name, str(error)) from error
        if found is None:
            raise ProfileUnusable(profile.name, "it has none")
        return found

    return look


def _chain(aws: AwsConfig, profile: Profile | None = None) -> TimedCredentials | None:
    """A session reads files and environment once, so each look has one of its own."""
    session = _ChainSession(aws, profile)
    found = session.get_credentials()
    return None if found is None else TimedCredentials(found)


class _ChainSession(Session):
    """A session whose own requests to STS go where the configuration says: those of a profile with a role, of a pod's token."""

    def __init__(self, aws: AwsConfig, profile: Profile | None) -> None:
        super().__init__(profile=profile.name if profile else None, **own_handlers())
        self._aws = aws
        if profile is not None and profile.file is not None:
            self.set_config_variable("credentials_file", str(profile.file))
        if self.get_config_variable("region") is None:
            self.set_config_variable("region", aws.region)

    def create_client(self, service_name: str, *arguments: Any, **given: Any) -> Any:
        own = {
            "verify": ca_file(self._aws),
            "endpoint_url": self._aws.endpoints.get("sts") if service_name == "sts" else None,
        }
        return super().create_client(service_name, *arguments, **{**own, **given})


def _client(aws: AwsConfig, service: AwsService, session: Session, config: Config | None = None) -> Any:
    return session.create_client(
        service,
        region_name=aws.region,
        endpoint_url=aws.endpoints.get(service),
        config=PATIENCE.merge(config) if config else PATIENCE,
        verify=ca_file(aws),
    )


def ca_file(aws: AwsConfig) -> str | None:
    """Returns None to leave the choice to botocore: its own bundle, or what AWS_CA_BUNDLE names."""
    return str(aws.ca_file) if aws.ca_file else None
