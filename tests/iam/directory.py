"""Questions of authorisation about objects in moto, in this process, while the application's lock is held."""

from typing import Any

from firnline_local.aws.moto_state import MotoState

OF_AWS = "alias/aws/"  # keys that AWS manages


class MotoDirectory(MotoState):
    """A Directory of one account and region."""

    def role_arn(self, name: str) -> str:
        role = self.role(name)
        return role.arn if role else f"arn:aws:iam::{self.account}:role/{name}"

    def user_arn(self, name: str) -> str:
        user = self.user_or_none(name)
        return user.arn if user else f"arn:aws:iam::{self.account}:user/{name}"

    def key(self, key: str) -> Any:
        """By id, ARN or alias; None where there is none."""
        kms = self.backend("kms")
        name = key.rpartition("key/")[2] if "alias/" not in key else key[key.index("alias/") :]
        found = kms.keys.get(name)
        return found or next((each for each in kms.keys.values() if name in each.aliases), None)

    def key_arn(self, key: str) -> str:
        found = self.key(key)
        if found:
            return str(found.arn)
        return key if key.startswith("arn:") else f"arn:aws:kms:{self.region}:{self.account}:key/{key}"

    def key_aliases(self, key: str) -> list[str]:
        found = self.key(key)
        return sorted(found.aliases) if found else []

    def is_customers(self, key: Any) -> bool:
        """Tells a customer's key from one that AWS manages, which moto makes like any other, under an alias of AWS's."""
        return not any(alias.startswith(OF_AWS) for alias in key.aliases)

    def secret_arn(self, secret: str) -> str:
        found = self.secret(secret)
        if found:
            return str(found.arn)
        prefix = f"arn:aws:secretsmanager:{self.region}:{self.account}:secret:"
        return secret if secret.startswith("arn:") else f"{prefix}{secret}"

    def table(self, table: str) -> Any:
        """By name or ARN; None where there is none."""
        return self.backend("dynamodb").tables.get(table.rpartition("/")[2])

    def hash_key(self, table: str) -> str | None:
        found = self.table(table)
        return str(found.hash_key_attr) if found else None

    def bucket(self, name: str) -> Any:
        """None where there is none."""
        return self.backend("s3").buckets.get(name)
