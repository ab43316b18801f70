"""An RSA key pair in memory. Printing it shows the fingerprint of its public half."""

import base64
from dataclasses import dataclass, field

from firnline_ingest.snowflake.key import fingerprint_of
from firnline_ingest.snowflake.private_key import pkcs8_pem, rsa_key

BITS = 3072


@dataclass(frozen=True, slots=True)
class KeyPair:
    private_pem: str = field(repr=False)
    """PKCS#8, unencrypted, as the engine reads it."""
    public_key: str = field(repr=False)
    """Base64 without PEM armour, as RSA_PUBLIC_KEY takes it."""

    @property
    def fingerprint(self) -> str:
        return body_fingerprint(self.public_key)

    def __str__(self) -> str:
        return self.fingerprint


def new_pair() -> KeyPair:
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=BITS)
    return pair_of(key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()).decode())


def pair_of(private_pem: str) -> KeyPair:
    """Raises ValueError for anything but an unencrypted RSA key; its message holds nothing of the text."""
    from cryptography.hazmat.primitives import serialization as s

    key = rsa_key(private_pem.encode())
    der = key.public_key().public_bytes(s.Encoding.DER, s.PublicFormat.SubjectPublicKeyInfo)
    return KeyPair(pkcs8_pem(key), base64.b64encode(der).decode())


def body_fingerprint(public_key: str) -> str:
    """The fingerprint of a public key in RSA_PUBLIC_KEY's form: base64 without PEM armour."""
    return fingerprint_of(base64.b64decode(public_key))
