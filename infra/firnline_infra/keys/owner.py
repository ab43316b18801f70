"""The Snowflake user whose key a command is about, with its reviewed file and its secret."""

from dataclasses import dataclass
from pathlib import Path

from firnline_infra.blueprint.aws import SecretDefinition
from firnline_infra.blueprint.storage import secrets
from firnline_infra.keys.errors import NoSecretHere
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.specification.keys_file import USERS
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, Principal


@dataclass(frozen=True, kw_only=True)
class KeyOwner:
    spec: EnvironmentSpec
    environment: str
    """The environment as the user typed it, for the commands that are suggested next."""
    user: str
    """ingest or reader"""
    file: ReviewedFile

    @classmethod
    def of(cls, spec: EnvironmentSpec, spec_file: Path, user: str, *, environment: str | None = None) -> "KeyOwner":
        """`environment` defaults to the file's path, which commands take as well."""
        return cls(spec=spec, environment=environment or str(spec_file), user=user, file=ReviewedFile.beside(spec_file))

    @property
    def secret(self) -> SecretDefinition:
        """Raises NoSecretHere."""
        found = secrets(self.spec, Names.of(self.spec))
        if not found:
            raise NoSecretHere(self.spec.name)
        return found[USERS.index(self.user)]

    @property
    def principal(self) -> Principal:
        names = Names.of(self.spec)
        return names.ingest if self.user == "ingest" else names.reader
