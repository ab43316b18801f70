"""The reviewed file beside a specification that `firnline keys` writes: dev.keys.yaml beside dev.yaml.

It holds public halves and where the private ones lie, never a private half; and which key of KMS the bootstrap made.
"""

from pathlib import Path

from firnline_infra.specification.aws import Aws, KeyArn
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.public_key import PublicKeyText
from firnline_infra.specification.snowflake import PublicKeys, SecretArn, ServiceUser
from firnline_ingest.config.document import Section

USERS = ("ingest", "reader")


class UserKeys(Section):
    """What `firnline keys` made for one user."""

    secret_arn: SecretArn | None = None
    """The Secrets Manager secret that holds the private half."""
    slot_1: PublicKeyText | None = None
    """RSA_PUBLIC_KEY"""
    slot_2: PublicKeyText | None = None
    """RSA_PUBLIC_KEY_2"""

    @property
    def public_keys(self) -> PublicKeys:
        return PublicKeys(slot_1=self.slot_1, slot_2=self.slot_2)


class KeysFile(Section):
    """The keys of an environment's users."""

    ingest: UserKeys | None = None
    """The engine's."""
    reader: UserKeys | None = None
    """Those of audit and status."""
    encryption_key: KeyArn | None = None
    """The KMS key that the bootstrap made, as its alias was found to lead to it."""


def keys_file_of(spec_file: Path) -> Path:
    """stacks/environments/dev.yaml has dev.keys.yaml beside it."""
    return spec_file.with_name(f"{spec_file.stem}.keys.yaml")


def is_keys_file(path: Path) -> bool:
    return path.name.endswith(".keys.yaml")


def with_keys(spec: EnvironmentSpec, keys: KeysFile) -> tuple[EnvironmentSpec, list[str]]:
    """The specification with these keys, and a problem for each that the specification gives as well."""
    problems: list[str] = []
    users: dict[str, ServiceUser] = {}
    for name in USERS:
        user, made = getattr(spec.snowflake, name), getattr(keys, name) or UserKeys()
        changes = {"public_keys": made.public_keys, "secret_arn": made.secret_arn}
        given = {field: value for field, value in changes.items() if value not in (None, PublicKeys())}
        problems += [
            f"snowflake.{name}.{field}: is given in the file of keys too; remove it from one of them."
            for field in given
            if getattr(user, field) not in (None, PublicKeys())
        ]
        users[name] = user.model_copy(update=given)
    aws, told = _with_encryption_key(spec.aws, keys.encryption_key)
    snowflake = spec.snowflake.model_copy(update=users)
    return spec.model_copy(update={"aws": aws, "snowflake": snowflake}), [*problems, *told]


def _with_encryption_key(aws: Aws, arn: str | None) -> tuple[Aws, list[str]]:
    if arn is None:
        return aws, []
    if aws.key.origin is not Origin.CREATE:
        return aws, [f"encryption_key: the specification has aws.key.origin: {aws.key.origin}; remove one of them."]
    return aws.model_copy(update={"key": aws.key.model_copy(update={"arn": arn})}), []
