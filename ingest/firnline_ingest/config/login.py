"""Identity of the engine in Snowflake: a service user, its one role, where its private key is found, and whom it trusts there."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section


class SnowflakeOptions(Section):
    """Options of Snowflake's side that a specification and an engine's configuration share."""

    ca_file: Path | None = Field(default=None, strict=False)
    """A PEM file of certificate authorities that the engine trusts instead of the system's, on the driver and on every
    executor."""


class KeyPlace(Section):
    """The one place on the engine's machines that holds a private key (PKCS#8 PEM, unencrypted)."""

    file: Path | None = Field(default=None, strict=False)
    """A PEM file, on the driver and on every executor; read again when the user's key changes."""
    env: str | None = None
    """The name of an environment variable that holds the PEM text, on the driver and on every executor."""

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        places = type(self).model_fields
        if sum(getattr(self, place) is not None for place in places) != 1:
            raise ValueError(f"give exactly one of {', '.join(places)}")
        return self

    @model_validator(mode="after")
    def _no_key_itself(self) -> Self:
        """A place is told in errors, logs and plans."""
        for place in type(self).model_fields:
            if "PRIVATE KEY-----" in str(getattr(self, place)):
                raise ValueError(
                    f"{place} says where the key is found, and has the key itself; take it out, and rotate it"
                )
        return self


class PrivateKey(KeyPlace):
    """The place of the Snowflake user's private key: on the engine's machines, or in Secrets Manager."""

    secret_arn: str | None = None
    """A Secrets Manager secret whose text is the PEM."""


class ServiceLogin(Section):
    """A service user that writes, and the one role it has."""

    user: str
    """A service user with the public key of `private_key`."""
    role: str
    """The role that it writes with; the user needs no other."""
    private_key: PrivateKey
    """Of the user; read again when the user's key changes."""
