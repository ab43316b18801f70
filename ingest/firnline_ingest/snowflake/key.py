"""The service user's private key: found where the configuration says, used to sign short-lived tokens, never printed."""

import base64
import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from firnline_ingest.config.login import PrivateKey
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.snowflake.errors import KeyAbsent, KeyUnusable
from firnline_ingest.snowflake.private_key import pkcs8_pem, rsa_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

LIFETIME_S = 300


class SigningKey:
    """An RSA key; its repr shows the public half's fingerprint only."""

    def __init__(self, content: str | bytes, place: str) -> None:
        """Raises KeyUnusable."""
        try:
            self._key = rsa_key(content.encode(errors="surrogateescape") if isinstance(content, str) else content)
        except ValueError as error:
            raise KeyUnusable(place, str(error)) from None
        self.pem = pkcs8_pem(self._key)
        """PKCS#8, as every client of Snowflake takes it, whatever form the key was found in."""
        self.fingerprint = fingerprint_of(_public_key(self._key))

    def __repr__(self) -> str:
        return f"SigningKey({self.fingerprint})"

    def der(self) -> bytes:
        """PKCS#8, as the connector takes it."""
        from cryptography.hazmat.primitives import serialization as s

        return self._key.private_bytes(s.Encoding.DER, s.PrivateFormat.PKCS8, s.NoEncryption())

    def token(self, account: str, user: str) -> str:
        """A JWT for the account's host (key-pair authentication, user guide `key-pair-auth`)."""
        import json

        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.hashes import SHA256

        subject = f"{account.partition('.')[0].upper()}.{user.upper()}"
        now = int(time.time())
        claims = {"iss": f"{subject}.{self.fingerprint}", "sub": subject, "iat": now, "exp": now + LIFETIME_S}
        signed = b".".join(_base64url(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT"}, claims))
        return (signed + b"." + _base64url(self._key.sign(signed, PKCS1v15(), SHA256()))).decode()


def load_key(config: EngineConfig) -> SigningKey:
    """Raises KeyAbsent or KeyUnusable; SecretForbidden, SecretMissing, SecretCredentialsMissing or SecretUnreachable."""
    where = config.snowflake.private_key
    return key_in_file(where.file) if where.file is not None else SigningKey(*_found(where, config))


def key_in_file(file: Path) -> SigningKey:
    """Raises KeyAbsent or KeyUnusable."""
    place = f"file {file}"
    try:
        return SigningKey(file.read_bytes(), place)
    except FileNotFoundError as error:
        raise KeyAbsent(place, error.strerror or str(error)) from error
    except OSError as error:
        raise KeyUnusable(place, error.strerror or str(error)) from error


def _found(where: PrivateKey, config: EngineConfig) -> tuple[str, str]:
    if where.env is not None:
        try:
            return os.environ[where.env], f"environment variable {where.env}"
        except KeyError:
            raise KeyAbsent(f"environment variable {where.env}", "it is not set") from None
    return _from_secrets_manager(str(where.secret_arn), config)


def _from_secrets_manager(arn: str, config: EngineConfig) -> tuple[str, str]:
    from firnline_ingest.aws.secrets import read_secret  # botocore is loaded only where AWS is called

    text = read_secret(config.aws, arn)
    if text is None:
        raise KeyUnusable(f"secret {arn}", "it holds bytes, and no text")
    return text, f"secret {arn}"


def fingerprint_of(public_key: bytes) -> str:
    """The fingerprint of a public key in DER form, as DESCRIBE USER shows it (RSA_PUBLIC_KEY_FP) and a JWT's issuer ends
    with it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(public_key).digest()).decode()


def _public_key(key: "RSAPrivateKey") -> bytes:
    from cryptography.hazmat.primitives import serialization as s

    return key.public_key().public_bytes(s.Encoding.DER, s.PublicFormat.SubjectPublicKeyInfo)


def _base64url(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
