"""A private key in the forms that people have it in: what reads them, and what is said of those that can't be read.

Who gets a key from here has it as PKCS#8 again, the only form that every client of Snowflake reads.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

BLOCK = re.compile(r"-----BEGIN ((?:[A-Z]+ )*)PRIVATE KEY-----(.*?)-----END \1PRIVATE KEY-----", re.DOTALL)
BEGINS_DER = b"\x30"  # a SEQUENCE; no text of a key begins with a zero
UTF_16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"-\0": "utf-16-le", b"\0-": "utf-16-be"}
"""The encodings of text that PowerShell writes with `>`, by how such a file begins."""
CONVERT = "openssl pkcs8 -topk8 -nocrypt -in KEY -out rsa_key.p8"
"""Writes any private key as unencrypted PKCS#8 PEM; it asks for the passphrase of an encrypted one."""
MAKE = "openssl genrsa 2048 | openssl pkcs8 -topk8 -nocrypt"


@lru_cache(maxsize=8)
def rsa_key(content: bytes) -> "RSAPrivateKey":
    """The key in a file, a secret or a variable. Raises ValueError that says why there is none, and holds nothing of the content.

    Each key is read once a process: to check an RSA key takes 30 ms of CPU, and every session begins with one.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_der_private_key, load_pem_private_key

    try:
        if content.startswith(BEGINS_DER) and content[1:2] >= b"\x80":
            key = load_der_private_key(content, password=None)
        else:
            key = load_pem_private_key(_pem_block(_text(content)), password=None)
    except (TypeError, UnsupportedAlgorithm):
        raise ValueError("it is encrypted, or of a kind that can't be read") from None
    except ValueError as error:
        raise error if isinstance(error, KeyForm) else ValueError("it is damaged, or no private key") from None
    if not isinstance(key, RSAPrivateKey):
        raise KeyForm("it is not an RSA key")
    return key


class KeyForm(ValueError):
    """A reason why a text holds no key that can be read."""


def pkcs8_pem(key: "RSAPrivateKey") -> str:
    """The key as unencrypted PKCS#8 PEM."""
    from cryptography.hazmat.primitives import serialization as s

    return key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()).decode()


def _text(content: bytes) -> str:
    encoding = UTF_16.get(content[:2], "utf-8-sig")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        raise KeyForm("it is neither text nor DER") from None


def _pem_block(text: str) -> bytes:
    """The first private key of a text, without what stands around and in front of its lines: names of a PKCS#12's bags, quotes,
    indentation, certificates, and `\\n` in place of line breaks."""
    found = BLOCK.search(text.replace("\\n", "\n"))
    if found is None:
        raise KeyForm(_no_key(text))
    kind, body = found.groups()
    if "ENCRYPTED" in kind or "ENCRYPTED" in body:
        raise KeyForm("it is encrypted")
    if kind == "OPENSSH ":
        raise KeyForm("it has OpenSSH's own form")
    lines = [line.strip().strip("\"'") for line in body.splitlines()]
    return "\n".join(
        [f"-----BEGIN {kind}PRIVATE KEY-----", *filter(None, lines), f"-----END {kind}PRIVATE KEY-----"]
    ).encode()


def _no_key(text: str) -> str:
    if not text.strip():
        return "it is empty"
    if "PUBLIC KEY-----" in text:
        return "it holds a public key, and no private one"
    if "CERTIFICATE-----" in text:
        return "it holds a certificate, and no private key"
    return "it holds no private key in PEM or DER form"
