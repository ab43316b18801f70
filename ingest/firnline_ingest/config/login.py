"""Who the engine is in Snowflake: a service user, its one role, and where its private key is found."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section


class PrivateKey(Section):
    """Where the Snowflake user's private key (PKCS#8 PEM, unencrypted) is found: exactly one place."""

    file: Path | None = Field(default=None, strict=False)
    """A PEM file, on the driver and on every executor."""
    env: str | None = None
    """The name of an environment variable that holds the PEM text."""
    secret_arn: str | None = None
    """A Secrets Manager secret whose text is the PEM."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if sum(place is not None for place in (self.file, self.env, self.secret_arn)) != 1:
            raise ValueError("give exactly one of file, env, secret_arn")
        return self


class ServiceLogin(Section):
    """A service user that writes, and the one role it has."""

    user: str
    """A service user with the public key of `private_key`."""
    role: str
    """The role that it writes with; the user needs no other."""
    private_key: PrivateKey
    """Of the user; read again when the user's key changes."""
