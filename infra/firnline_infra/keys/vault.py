"""One secret of Secrets Manager, whose versions are private keys.

Versions are distinguished by their stages: AWSPENDING is a key that waits for its registration, AWSCURRENT the one that the
engine reads, AWSPREVIOUS the one before. A stage is moved, never a value overwritten.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.blueprint.aws import SecretDefinition
from firnline_infra.blueprint.storage import secret_version
from firnline_infra.keys.errors import SecretDeleted, SecretForeign, SecretUnusable
from firnline_infra.keys.pair import KeyPair, pair_of

PENDING, CURRENT, PREVIOUS = "AWSPENDING", "AWSCURRENT", "AWSPREVIOUS"
OWN_TAGS = ("firnline:environment", "firnline:application")


@dataclass(frozen=True)
class StoredSecret:
    """A secret that exists: its ARN, and which version has which stage."""

    arn: str
    versions: dict[str, str]
    """Stage to version id."""


@dataclass(frozen=True)
class Vault:
    client: Any
    definition: SecretDefinition

    def look(self) -> StoredSecret | None:
        """Returns None if there is no secret. Raises SecretDeleted or SecretForeign."""
        name = self.definition.existing_arn or self.definition.name
        on, ask = f"secret {self.definition.name}", self.client.describe_secret
        found: Any = if_there("secretsmanager:DescribeSecret", on, ask, SecretId=name)
        if found is None:
            return None
        if found.get("DeletedDate"):
            raise SecretDeleted(self.definition.name)
        self._refuse_foreign({tag["Key"]: tag["Value"] for tag in found.get("Tags", ())})
        stages = found.get("VersionIdsToStages") or {}
        return StoredSecret(found["ARN"], {stage: id_ for id_, its in stages.items() for stage in its})

    def create(self) -> StoredSecret:
        """Creates the secret without a value, so that every value is a version that was staged."""
        definition = self.definition
        key = {"KmsKeyId": definition.key_arn} if isinstance(definition.key_arn, str) else {}
        tags = [{"Key": name, "Value": value} for name, value in definition.tags.items()]
        with self._call("CreateSecret"):
            made = self.client.create_secret(Name=definition.name, Description=definition.description, Tags=tags, **key)
        return StoredSecret(made["ARN"], {})

    def stage(self, found: StoredSecret, pair: KeyPair) -> None:
        """Stores the private half as AWSPENDING. AWS makes the first version of a secret the current one as well."""
        self.put(found, pair.private_pem, version=secret_version(pair.public_key), stage=PENDING)

    def put(self, found: StoredSecret, text: str, *, version: str, stage: str = CURRENT) -> None:
        request = {"SecretId": found.arn, "SecretString": text, "VersionStages": [stage]}
        with self._call("PutSecretValue"):
            self.client.put_secret_value(**request, ClientRequestToken=version)

    def pair(self, found: StoredSecret, stage: str) -> KeyPair | None:
        """The key with that stage; None where no version has it. Raises SecretUnusable."""
        if stage not in found.versions:
            return None
        with self._call("GetSecretValue"):
            value = self.client.get_secret_value(SecretId=found.arn, VersionId=found.versions[stage])
        try:
            return pair_of(value.get("SecretString") or "")
        except ValueError as error:
            raise SecretUnusable(self.definition.name, stage, str(error)) from None

    def promote(self, found: StoredSecret) -> None:
        """Makes the pending version the current one; may be repeated."""
        pending, current = found.versions.get(PENDING), found.versions.get(CURRENT)
        if pending is None:
            return
        if pending != current:
            removed = {"RemoveFromVersionId": current} if current else {}
            self._move(found, VersionStage=CURRENT, MoveToVersionId=pending, **removed)
        self._move(found, VersionStage=PENDING, RemoveFromVersionId=pending)

    def forget_previous(self, found: StoredSecret) -> None:
        """Takes AWSPREVIOUS off its version; AWS later deletes a version without a stage."""
        if PREVIOUS in found.versions:
            self._move(found, VersionStage=PREVIOUS, RemoveFromVersionId=found.versions[PREVIOUS])

    def _move(self, found: StoredSecret, **request: str) -> None:
        with self._call("UpdateSecretVersionStage"):
            self.client.update_secret_version_stage(SecretId=found.arn, **request)

    def _refuse_foreign(self, tags: dict[str, str]) -> None:
        wanted = {name: self.definition.tags[name] for name in OWN_TAGS if name in self.definition.tags}
        if any(tags.get(name) != value for name, value in wanted.items()):
            said = ", ".join(f"{name}={tags[name]}" for name in OWN_TAGS if name in tags)
            raise SecretForeign(
                self.definition.name, owner=f"its tags say {said}" if said else "it has none of our tags"
            )

    def _call(self, operation: str) -> AbstractContextManager[None]:
        return aws_call(f"secretsmanager:{operation}", f"secret {self.definition.name}")
