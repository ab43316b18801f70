"""Looks into moto's own objects, in this process. Callers must hold the lock of the application (application.py)."""

import os
from typing import Any

from moto.backends import get_backend
from moto.core.models import DEFAULT_ACCOUNT_ID

from firnline_local.aws.call import SERVICE_KEY

PARTITION = "aws"
ADMINISTRATOR = "administrator"  # signs with any key that belongs to no principal, as the environment itself does


def account_id() -> str:
    return os.environ.get("MOTO_ACCOUNT_ID") or DEFAULT_ACCOUNT_ID


class MotoState:
    """The state of one account and region."""

    def __init__(self, account: str, region: str) -> None:
        self.account = account
        self.region = region

    def role(self, name: str) -> Any:
        """Returns None if there is none."""
        return next((role for role in self.backend("iam").roles.values() if role.name == name), None)

    def instance_profile(self, name: str) -> Any:
        """Returns None if there is none."""
        profiles = self.backend("iam").instance_profiles.values()
        return next((each for each in profiles if each.name == name), None)

    def user_or_none(self, name: str) -> Any:
        return self.backend("iam").users.get(name)

    def policy(self, arn: str) -> Any:
        """A managed one of the account; None where there is none."""
        return self.backend("iam").managed_policies.get(arn)

    def secret(self, secret: str) -> Any:
        """Finds a secret by name or ARN; None if there is none."""
        secrets = self.backend("secretsmanager").secrets
        return next((each for each in secrets.values() if secret in (each.name, each.arn, each.arn[:-7])), None)

    def principals(self, access_key: str) -> tuple[str, ...]:
        """Returns the ARN of the user or session that owns the key, with the session's role; a service; else an administrator."""
        if access_key.startswith(SERVICE_KEY):
            return (access_key.removeprefix(SERVICE_KEY),)
        users = self.backend("iam").users.values()
        owner = next((user for user in users for key in user.access_keys if key.access_key_id == access_key), None)
        if owner:
            return (str(owner.arn),)
        session = self.backend("sts").get_assumed_role_from_access_key(access_key)
        if session:
            return (str(session.arn), str(session.role_arn))
        return (f"arn:aws:iam::{self.account}:user/{ADMINISTRATOR}",)

    def backend(self, service: str) -> Any:
        regions: Any = get_backend(service)[self.account]  # type: ignore[call-overload] # by a literal of each service
        return regions[PARTITION if service in {"iam", "s3", "sts"} else self.region]
