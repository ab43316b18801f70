"""What authorisation asks about objects in moto, in this process. Whoever asks holds the lock that keeps moto still."""

import os
from typing import Any

from moto.backends import get_backend
from moto.core.models import DEFAULT_ACCOUNT_ID

PARTITION = "aws"
ADMINISTRATOR = "administrator"  # who signs with a key that nobody was given, as the environment itself does
OF_AWS = "alias/aws/"  # keys that AWS manages


def account_id() -> str:
    return os.environ.get("MOTO_ACCOUNT_ID") or DEFAULT_ACCOUNT_ID


class MotoWorld:
    def __init__(self, account: str, region: str) -> None:
        self._account = account
        self._region = region

    def role_arn(self, name: str) -> str:
        role = self.role(name)
        return role.arn if role else f"arn:aws:iam::{self._account}:role/{name}"

    def user_arn(self, name: str) -> str:
        user = self.user_or_none(name)
        return user.arn if user else f"arn:aws:iam::{self._account}:user/{name}"

    def role(self, name: str) -> Any:
        """None where there is none."""
        return next((role for role in self._backend("iam").roles.values() if role.name == name), None)

    def user_or_none(self, name: str) -> Any:
        return self._backend("iam").users.get(name)

    def policy(self, arn: str) -> Any:
        """A managed one of the account; None where there is none."""
        return self._backend("iam").managed_policies.get(arn)

    def key(self, key: str) -> Any:
        """By id, ARN or alias; None where there is none."""
        kms = self._backend("kms")
        name = key.rpartition("key/")[2] if "alias/" not in key else key[key.index("alias/") :]
        found = kms.keys.get(name)
        return found or next((each for each in kms.keys.values() if name in each.aliases), None)

    def key_arn(self, key: str) -> str:
        found = self.key(key)
        if found:
            return str(found.arn)
        return key if key.startswith("arn:") else f"arn:aws:kms:{self._region}:{self._account}:key/{key}"

    def is_customers(self, key: Any) -> bool:
        """Not one that AWS manages, which moto makes like any other, under an alias of AWS's."""
        return not any(alias.startswith(OF_AWS) for alias in key.aliases)

    def secret(self, secret: str) -> Any:
        """By name or ARN; None where there is none."""
        secrets = self._backend("secretsmanager").secrets
        return next((each for each in secrets.values() if secret in (each.name, each.arn, each.arn[:-7])), None)

    def secret_arn(self, secret: str) -> str:
        found = self.secret(secret)
        if found:
            return str(found.arn)
        prefix = f"arn:aws:secretsmanager:{self._region}:{self._account}:secret:"
        return secret if secret.startswith("arn:") else f"{prefix}{secret}-XXXXXX"

    def table(self, table: str) -> Any:
        """By name or ARN; None where there is none."""
        return self._backend("dynamodb").tables.get(table.rpartition("/")[2])

    def hash_key(self, table: str) -> str | None:
        found = self.table(table)
        return str(found.hash_key_attr) if found else None

    def bucket(self, name: str) -> Any:
        """None where there is none."""
        return self._backend("s3").buckets.get(name)

    def principals(self, access_key: str) -> tuple[str, ...]:
        """The user or the session whose key it is, and the session's role; an administrator for a key of nobody's."""
        users = self._backend("iam").users.values()
        owner = next((user for user in users for key in user.access_keys if key.access_key_id == access_key), None)
        if owner:
            return (str(owner.arn),)
        session = self._backend("sts").get_assumed_role_from_access_key(access_key)
        if session:
            return (str(session.arn), str(session.role_arn))
        return (f"arn:aws:iam::{self._account}:user/{ADMINISTRATOR}",)

    def _backend(self, service: str) -> Any:
        regions: Any = get_backend(service)[self._account]  # type: ignore[call-overload] # by a literal of each service
        return regions[PARTITION if service in {"iam", "s3", "sts"} else self._region]
