"""The public half of a service user's key pair, as a document holds it and as Snowflake takes it."""

import base64
import binascii
from typing import Annotated

from pydantic import AfterValidator

RSA_ALGORITHM = bytes.fromhex("06092a864886f70d010101")  # OID 1.2.840.113549.1.1.1 in DER
PRIVATE = bytes.fromhex("020100")  # the version that both forms of a private key begin with: PKCS#8 and PKCS#1
SHORTEST = 290  # bytes of a DER-encoded public key of 2048 bits, the least that Snowflake takes
IS_PRIVATE = "is a private key, which never enters a document; replace the key pair, then give its public half"


def public_key_body(text: str) -> str:
    """The base64 of the key without PEM armour and line breaks, as RSA_PUBLIC_KEY takes it. Raises ValueError."""
    if "PRIVATE KEY" in text:
        raise ValueError(IS_PRIVATE)
    body = "".join(line.strip() for line in text.splitlines() if not line.startswith("-----"))
    try:
        der = base64.b64decode(body, validate=True)
    except binascii.Error:
        raise ValueError("is not a public key in PEM form (openssl rsa -pubout writes one)") from None
    if der[4:7] == PRIVATE:
        raise ValueError(IS_PRIVATE)
    if RSA_ALGORITHM not in der[:40]:
        raise ValueError("is not an RSA public key (openssl rsa -pubout writes one)")
    if len(der) < SHORTEST:
        raise ValueError("is shorter than 2048 bits, the least that Snowflake takes")
    return body


PublicKeyText = Annotated[str, AfterValidator(public_key_body)]
"""PEM, or its base64 alone."""
