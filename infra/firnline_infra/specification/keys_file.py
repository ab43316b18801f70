"""The reviewed file beside a specification that `firnline keys` writes: dev.keys.yaml beside dev.yaml.

It holds public halves and where the private ones lie, never a private half; and which key of KMS the bootstrap made.
"""

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from firnline_infra.specification.aws import Aws, KeyArn, StreamName
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.public_key import PublicKeyText
from firnline_infra.specification.service_users import INGEST, READER, service_users
from firnline_infra.specification.snowflake import PublicKeys, SecretArn, ServiceUser
from firnline_ingest.config.document import Section


class UserKeys(Section):
    """Keys that `firnline keys` made for one user."""

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
    pipelines: Mapping[StreamName, UserKeys] = Field(default={})
    """Those of users that pipelines have for themselves, by stream."""
    encryption_key: KeyArn | None = None
    """The KMS key that the bootstrap made, as its alias was found to lead to it."""

    def of(self, user: str) -> UserKeys | None:
        """`user` as `firnline keys` calls it."""
        found: UserKeys | None = getattr(self, user) if user in (INGEST, READER) else self.pipelines.get(user)
        return found

    def having(self, user: str, keys: UserKeys | None) -> "KeysFile":
        """The file with these keys of the user; without any for None."""
        if user in (INGEST, READER):
            return self.model_copy(update={user: keys})
        others = {name: kept for name, kept in self.pipelines.items() if name != user}
        return self.model_copy(update={"pipelines": others if keys is None else {**others, user: keys}})


def keys_file_of(spec_file: Path) -> Path:
    """stacks/environments/dev.yaml has dev.keys.yaml beside it."""
    return spec_file.with_name(f"{spec_file.stem}.keys.yaml")


def is_keys_file(path: Path) -> bool:
    return path.name.endswith(".keys.yaml")


def with_keys(spec: EnvironmentSpec, keys: KeysFile) -> tuple[EnvironmentSpec, list[str]]:
    """The specification with these keys, and a problem for each that the specification gives as well."""
    problems: list[str] = []
    users: dict[str, ServiceUser] = {}
    absent = (None, PublicKeys.default())
    for user in service_users(spec):
        made = keys.of(user.key)
        changes = {} if made is None else {"public_keys": made.public_keys, "secret_arn": made.secret_arn}
        given = {field: value for field, value in changes.items() if value not in absent}
        problems += [
            f"{user.path}.{field}: is given in the file of keys too; remove it from one of them."
            for field in given
            if getattr(user.options, field) not in absent
        ]
        users[user.key] = user.options.model_copy(update=given)
    unknown = keys.pipelines.keys() - users.keys()
    problems += [f"pipelines.{name}: no pipeline of that stream has a user of its own; remove it." for name in unknown]
    aws, told = _with_encryption_key(spec.aws, keys.encryption_key)
    return with_users(spec, users).model_copy(update={"aws": aws}), [*problems, *told]


def with_users(spec: EnvironmentSpec, users: Mapping[str, ServiceUser]) -> EnvironmentSpec:
    """`users` by what `firnline keys` calls them."""
    common = {name: users[name] for name in (INGEST, READER) if name in users}
    pipelines = [
        each.model_copy(update={"ingest": users[each.stream]}) if each.ingest and each.stream in users else each
        for each in spec.pipelines
    ]
    return spec.model_copy(update={"snowflake": spec.snowflake.model_copy(update=common), "pipelines": pipelines})


def _with_encryption_key(aws: Aws, arn: str | None) -> tuple[Aws, list[str]]:
    if arn is None:
        return aws, []
    if aws.key.origin is not Origin.CREATE:
        return aws, [f"encryption_key: the specification has aws.key.origin: {aws.key.origin}; remove one of them."]
    return aws.model_copy(update={"key": aws.key.model_copy(update={"arn": arn})}), []
