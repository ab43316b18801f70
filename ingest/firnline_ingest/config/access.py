"""Identity of the engine in AWS, and the way to a stream that is not where the engine is.

No key is ever in a document: it says which variable of the environment, or which secret, holds one.
"""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section
from firnline_ingest.config.form import EXTERNAL_ID, ROLE, STREAM_ARN, Form

SESSION_NAME = Form(r"[\w+=,.@-]{2,64}", "2 to 64 letters, digits and _ + = , . @ -", "firnline-dev")
SECRET = Form(
    r"arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[A-Za-z0-9_/+=.@-]+",
    "the ARN of a secret",
    "arn:aws:secretsmanager:eu-west-1:111122223333:secret:partner-key-AbCdEf",
)
URL = Form(r"https?://[^\s/]+/?", "http:// or https://, and a host", "https://kinesis.eu-west-1.amazonaws.com")
REGION = Form(r"[a-z]{2}(-[a-z]+)+-\d", "an AWS region", "eu-central-1")
DEFAULT_SESSION_NAME = "firnline"
LONGEST_CHAINED_S = 3600
"""Of a role that is assumed with another role's credentials ("Roles terms and concepts", role chaining)."""


class Role(Section):
    """A role that is assumed (sts:AssumeRole)."""

    arn: Annotated[str, ROLE]
    """The role's."""
    external_id: Annotated[str, EXTERNAL_ID] | None = None
    """What the role's trust asks for (sts:ExternalId) where it belongs to another account; no secret."""
    session_name: Annotated[str, SESSION_NAME] = DEFAULT_SESSION_NAME
    """What CloudTrail calls the engine there."""
    duration_seconds: int = Field(default=3600, ge=900, le=43_200)
    """How long one session lasts; the engine asks for the next one in time. An hour is what every role allows, and the most
    that a role allows which is assumed with another role's credentials."""


class WebIdentity(Section):
    """A role that is assumed with a token from a file (sts:AssumeRoleWithWebIdentity), as pods have one."""

    token_file: Path = Field(strict=False)
    """Read again for every session: the issuer of the tokens replaces it."""
    role_arn: Annotated[str, ROLE]
    """The role that the token's issuer is trusted by."""
    session_name: Annotated[str, SESSION_NAME] = DEFAULT_SESSION_NAME
    """What CloudTrail calls the engine."""
    duration_seconds: int = Field(default=3600, ge=900, le=43_200)
    """How long one session lasts."""


class Profile(Section):
    """A named profile of the machine's AWS configuration."""

    name: str = Field(min_length=1)
    """As it stands between the brackets of the file."""
    file: Path | None = Field(default=None, strict=False)
    """The file of credentials that has it; ~/.aws/credentials, or what the environment says by default."""


class AccessKey(Section):
    """A user's access key, which never expires: only where no role can be had. It is found in one of two ways."""

    id_env: str | None = None
    """The name of an environment variable that holds the key's id, on the driver and on every executor."""
    secret_env: str | None = None
    """The name of an environment variable that holds its secret."""
    token_env: str | None = None
    """The name of an environment variable that holds a session's token, where the key is a session's."""
    secret_arn: Annotated[str, SECRET] | None = None
    """A secret of Secrets Manager with the JSON text {"access_key_id": …, "secret_access_key": …}; it is read with the default
    chain's credentials."""

    @model_validator(mode="after")
    def _exactly_one_way(self) -> Self:
        pair = (self.id_env, self.secret_env)
        if (self.secret_arn is None) == (None in pair) or (self.secret_arn and (any(pair) or self.token_env)):
            raise ValueError("give either id_env and secret_env, or secret_arn")
        return self


class Credentials(Section):
    """Credentials that the engine signs with: where they begin, and the roles that it assumes from there."""

    profile: Profile | None = None
    """A named profile of the machine's AWS configuration."""
    access_key: AccessKey | None = None
    """A user's access key, which never expires: only where no role can be had."""
    web_identity: WebIdentity | None = None
    """A role that is assumed with a token from a file, as pods have one."""
    roles: list[Role] = Field(default=[])
    """Assumed one after the other, each with the credentials of the one before."""

    @model_validator(mode="after")
    def _begins_somewhere(self) -> Self:
        if sum(begin is not None for begin in (self.profile, self.access_key, self.web_identity)) > 1:
            raise ValueError("give at most one of profile, access_key, web_identity")
        chained = self.roles if self.web_identity else self.roles[1:]
        if any(role.duration_seconds > LONGEST_CHAINED_S for role in chained):
            raise ValueError("roles: one that is assumed with another role's credentials lasts 3,600 seconds at most")
        return self

    @property
    def has_beginning(self) -> bool:
        return not (self.profile is None and self.access_key is None and self.web_identity is None)


class AwsOptions(Section):
    """The engine's identity towards AWS and the certificates it trusts: shared by a specification and an engine's
    configuration."""

    credentials: Credentials = Credentials.default()
    """The default chain (environment, profile, web identity, container, instance) where nothing is given."""
    ca_file: Path | None = Field(default=None, strict=False)
    """A PEM file of certificate authorities to trust instead of those that come with botocore; on the driver and on every
    executor. Nothing makes the engine trust every certificate."""


class StreamAccess(Credentials):
    """The way to a stream where it differs from `aws`. Its `roles` begin at the engine's own credentials, unless a profile,
    an access key or a web identity is given."""

    endpoint: Annotated[str, URL] | None = None
    """A URL of Kinesis in the stream's region; by default, `aws.endpoints.kinesis` in the engine's own region, and the public
    endpoint in another one."""


class Access(StreamAccess):
    """The way to a stream, and its region."""

    region: Annotated[str, REGION] | None = None
    """The stream's region; that of `arn`, or else `aws.region` by default."""
    arn: Annotated[str, STREAM_ARN] | None = None
    """The ARN of a stream of another account whose own policy lets the engine read it: each request has it in place of the name,
    which is of the account that asks. Not where a role of that account reads it."""

    @model_validator(mode="after")
    def _its_arn_is_of_its_region(self) -> Self:
        if self.arn is not None and self.region not in (None, region_of(self.arn)):
            raise ValueError(f"arn: is of region {region_of(self.arn)}; expected {self.region}, as in region")
        return self

    @property
    def stream_region(self) -> str | None:
        """The stream's region; None where it is the engine's."""
        return self.region or (region_of(self.arn) if self.arn else None)


def region_of(arn: str) -> str:
    return arn.split(":")[3]


HERE = Access.default()
"""Where the engine is, with its own credentials."""
