"""Access to a schema registry that speaks Confluent's REST API. AWS Glue's is reached as `aws` says."""

from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from firnline_ingest.config.access import SECRET
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

URL = Form(
    r"https?://[^\s/?#@]+(/[^\s?#@]*)?",
    "http:// or https://, a host, and perhaps a path; a password has no place in it",
    "https://registry.example.com",
)
KEY = Form(
    r"arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/[A-Za-z0-9-]+",
    "the ARN of a KMS key",
    "arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
)


def _has_a_port(url: str) -> str:
    try:
        has_host = bool(urlsplit(url).hostname) and (urlsplit(url).port or 1) > 0
    except ValueError:
        has_host = False
    if not has_host:
        raise ValueError("it has no host, or a port that is none")
    return url


class RegistryLogin(Section):
    """A name and a password (HTTP basic authentication), found in one of two ways; of Confluent Cloud, an API key."""

    secret_arn: Annotated[str, SECRET] | None = None
    """A secret of Secrets Manager with the JSON text {"username": …, "password": …}. Read when the registry is first asked, and
    again when it refuses."""
    secret_key_arn: Annotated[str, KEY] | None = None
    """The key that the secret is encrypted with, where it is not AWS's own: the engine's policy then has kms:Decrypt for it."""
    username_env: str | None = None
    """The name of an environment variable that holds the name, on every executor."""
    password_env: str | None = None
    """The name of an environment variable that holds the password."""

    @model_validator(mode="after")
    def _exactly_one_way(self) -> Self:
        pair = (self.username_env, self.password_env)
        if (self.secret_arn is None) == (None in pair) or (self.secret_arn and any(pair)):
            raise ValueError("give either username_env and password_env, or secret_arn")
        if self.secret_key_arn is not None and self.secret_arn is None:
            raise ValueError("secret_key_arn belongs to secret_arn")
        return self


class ConfluentRegistry(Section):
    """A registry that answers Confluent's REST API, as others do too: Karapace, Redpanda, Apicurio by a path of its own."""

    url: Annotated[str, URL, AfterValidator(_has_a_port)]
    """Where it is; with a login, https:// unless it is on the same machine."""
    login: RegistryLogin | None = None
    """Who asks; without it the request is anonymous."""
    ca_file: Path | None = Field(default=None, strict=False)
    """A PEM file of certificate authorities to trust instead of the system's, on every executor."""
    timeout_seconds: float = Field(default=5.0, ge=0.5, le=30)
    """How long one request may take, of three. While a registry does not answer, the shards that need it wait."""

    @model_validator(mode="after")
    def _passwords_are_not_sent_in_the_open(self) -> Self:
        if self.login is not None and not self.url.startswith("https://") and not is_here(self.url):
            raise ValueError("login: the password would travel in the open; give an https:// url")
        return self


def is_here(url: str) -> bool:
    """Returns whether it is on this machine."""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")
