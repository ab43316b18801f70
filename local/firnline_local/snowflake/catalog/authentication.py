"""Proves who asks, and decides whether a user is let in.

The proof is a JWT signed with the private half of a key that is registered with the user. The rules are those of
key-pair authentication (docs.snowflake.com, `user-guide/key-pair-auth`): the issuer is ACCOUNT.USER.SHA256:fingerprint,
the subject ACCOUNT.USER. `iat` and `exp` are seconds, except from the streaming SDK, which sends milliseconds. A user
whose key is right is checked against their network policy, then against their authentication policy.
"""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.directory import Directory
from firnline_local.snowflake.catalog.errors import AuthenticationFailed
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.catalog.users import NetworkPolicy, NetworkRule, PublicKey, User

CLOCK_SKEW = timedelta(seconds=60)
FIRST_MILLISECONDS = 100_000_000_000  # as seconds that would be the year 5138
LOOPBACK = "127.0.0.1"  # where everybody comes from
NETWORK_POLICY = "NETWORK_POLICY"


class KeyPairToken:
    """A JWT that was read and not yet believed."""

    def __init__(self, text: str) -> None:
        """Raises AuthenticationFailed for text that is not an RS256 token of a Snowflake client."""
        try:
            header, claims, signature = text.split(".")
            self.signed = f"{header}.{claims}".encode()
            self.signature = _decode(signature)
            self.claims: dict[str, Any] = json.loads(_decode(claims))
            algorithm = json.loads(_decode(header))["alg"]
            issuer, self.fingerprint = str(self.claims["iss"]).split(".SHA256:")
            self.account, self.user = issuer.split(".", 1)
        except (ValueError, KeyError, TypeError) as error:
            raise invalid_token(f"it can't be read: {error}") from error
        self.fingerprint = f"SHA256:{self.fingerprint}"
        if algorithm != "RS256":
            raise invalid_token(f"its algorithm is {algorithm}, and only RS256 is known here")

    def check(self, key: PublicKey, *, account: str, now: datetime) -> None:
        """Raises AuthenticationFailed unless `key` signed it, for this account, at this time."""
        if self.claims.get("sub") != f"{self.account}.{self.user}":
            raise invalid_token(f"its subject {self.claims.get('sub')} is not its issuer")
        if self.account.upper().replace("_", "-") != account.upper().replace("_", "-"):
            raise invalid_token(f"it is for the account {self.account}, and this is {account}")
        if self._time("iat") > now + CLOCK_SKEW:
            raise invalid_token(f"it was issued in the future, at {self._time('iat'):%FT%TZ}")
        if self._time("exp") <= now:
            raise invalid_token(f"it has expired, at {self._time('exp'):%FT%TZ}")
        try:
            key.rsa.verify(self.signature, self.signed, PKCS1v15(), SHA256())
        except InvalidSignature as error:
            raise invalid_token("its signature is not the registered key's") from error

    def _time(self, claim: str) -> datetime:
        value = self.claims.get(claim)
        if not isinstance(value, int | float):
            raise invalid_token(f"its claim {claim} is {value!r}, not a time")
        return datetime.fromtimestamp(value / 1000 if value >= FIRST_MILLISECONDS else value, UTC)


def invalid_token(reason: str) -> AuthenticationFailed:
    return AuthenticationFailed("JWT token is invalid.", reason=reason)


def _decode(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def check_admission(user: User, directory: Directory) -> None:
    """Raises AuthenticationFailed: 390422 for the address, 390202 for the way to log in."""
    policy = network_policy_of(user, directory)
    if policy is not None and not policy.allows(LOOPBACK, lambda name: find_rule(directory, name)):
        raise AuthenticationFailed(
            f"Incoming request with IP/Token {LOOPBACK} is not allowed to access Snowflake. Contact your account "
            f"administrator.",
            reason=f"the network policy {policy.name} of {user.name} doesn't allow it",
            code="390422",
        )
    authentication = user.authentication_policy
    if authentication is not None and not authentication.allows_key_pairs:
        raise AuthenticationFailed(
            "Authentication attempt rejected by the current authentication policy.",
            reason=f"{authentication.full_name} of {user.name} has no key pairs",
            code="390202",
        )


def network_policy_of(user: User, directory: Directory) -> NetworkPolicy | None:
    name = user.parameters.get(NETWORK_POLICY)
    found = directory.find(kinds.NETWORK_POLICY, read_name(name)) if name else None
    return found if isinstance(found, NetworkPolicy) else None


def find_rule(directory: Directory, name: str) -> NetworkRule | None:
    """Finds a network rule by its full name."""
    found = directory.find(kinds.NETWORK_RULE, read_name(name))
    return found if isinstance(found, NetworkRule) else None
