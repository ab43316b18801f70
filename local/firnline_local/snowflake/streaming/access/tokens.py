"""Scoped tokens: what a client shows to the ingest host, instead of its key-pair JWT.

A token is bound to one user and one role, and expires. Its form is a JWT signed with a secret of this process, because
the SDK reads the expiry out of it; nothing else depends on the form.
"""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec

from firnline_local.snowflake.streaming.refusals import NotAuthenticated

LIFETIME = timedelta(minutes=59)  # what Snowflake's own clients assume of the service's
HEADER = b'{"alg":"HS256","typ":"JWT"}'


@dataclass(frozen=True)
class Identity:
    """Who asks, and as what."""

    user: str
    role: str


class _Claims(msgspec.Struct):
    sub: str
    role: str
    iat: int
    exp: int


class ScopedTokens:
    """Issues tokens and reads them back."""

    def __init__(self, clock: Callable[[], datetime], lifetime: timedelta = LIFETIME) -> None:
        self.lifetime = lifetime
        self._clock = clock
        self._secret = secrets.token_bytes(32)

    def issue(self, identity: Identity) -> str:
        now = self._clock()
        claims = _Claims(identity.user, identity.role, int(now.timestamp()), int((now + self.lifetime).timestamp()))
        signed = b".".join((_encode(HEADER), _encode(msgspec.json.encode(claims))))
        return b".".join((signed, self._signature(signed))).decode()

    def read(self, token: str) -> Identity:
        """Raises NotAuthenticated for a token that is not ours, was altered, or has expired."""
        signed, _, signature = token.encode().rpartition(b".")
        if not hmac.compare_digest(signature, self._signature(signed)):
            raise NotAuthenticated("Invalid OAuth access token.")
        payload = signed.partition(b".")[2]
        claims = msgspec.json.decode(urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)), type=_Claims)
        if claims.exp <= self._clock().timestamp():
            raise NotAuthenticated("OAuth access token expired.")
        return Identity(claims.sub, claims.role)

    def _signature(self, signed: bytes) -> bytes:
        return _encode(hmac.digest(self._secret, signed, "sha256"))


def _encode(value: bytes) -> bytes:
    return urlsafe_b64encode(value).rstrip(b"=")
