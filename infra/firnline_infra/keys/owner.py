"""The Snowflake user whose key a command is about, with its reviewed file and its secret."""

from dataclasses import dataclass
from pathlib import Path

from firnline_infra.blueprint.aws import SecretDefinition
from firnline_infra.blueprint.storage import secret_definitions
from firnline_infra.environment import Environment
from firnline_infra.keys.errors import NoSecretHere, UnknownUser
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Principal
from firnline_infra.specification.service_users import NamedUser, service_users


@dataclass(frozen=True, kw_only=True)
class KeyOwner:
    spec: EnvironmentSpec
    environment: str
    """The environment as the user typed it, for the commands that are suggested next."""
    user: str
    """What it is called in the file of keys: ingest, reader, or the stream of a pipeline with a user of its own."""
    file: ReviewedFile

    @classmethod
    def of(cls, spec: EnvironmentSpec, spec_file: Path, user: str, *, environment: str | None = None) -> "KeyOwner":
        """`environment` defaults to the file's path, which commands take as well."""
        return cls(spec=spec, environment=environment or str(spec_file), user=user, file=ReviewedFile.beside(spec_file))

    @property
    def secret(self) -> SecretDefinition:
        """Raises NoSecretHere."""
        found = next(
            (secret for secret in secret_definitions(Environment.of(self.spec)) if secret.user == self.user), None
        )
        if found is None:
            raise NoSecretHere(self.spec.name, path=self.named.path)
        return found

    @property
    def named(self) -> NamedUser:
        """Raises UnknownUser."""
        known = {each.key: each for each in service_users(self.spec)}
        if self.user not in known:
            raise UnknownUser(self.user, tuple(known), environment=self.environment)
        return known[self.user]

    @property
    def principal(self) -> Principal:
        return self.named.principal
